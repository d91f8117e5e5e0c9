"""Learning mail by mail: what follows at once, what waits until it is due, and what the file says of it."""

import numpy as np
import pytest

from textnb import TextClassifier
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.state import fit_recipe
from textnb.errors import InputError, ModelFileError
from textnb.files.model_file import packed_fit, unpacked_fit
from textnb.models.ensemble.joining import SummedScorer

WORDS = {
    "ham": ["see", "you", "meeting", "tomorrow", "lunch", "report"],
    "spam": ["cheap", "pills", "win", "money", "now", "click"],
}


def texts_of(label, n, seed=0):
    random = np.random.default_rng([seed, len(label)])
    shared = [f"w{i}" for i in range(12)]
    return [" ".join([*random.choice(WORDS[label], 2), *random.choice(shared, 3)]) for _ in range(n)]


TEXTS = texts_of("ham", 30) + texts_of("spam", 30)
LABELS = ["ham"] * 30 + ["spam"] * 30
NEW = "zyzzyva cheap"


def trained(stacked_from=0):
    plain = TextClassifier("mail", tokenizer="words").recipe.json
    params = {**plain["model"]["params"], "stacked_from": stacked_from, "l2": 0.1}
    recipe = ClassifierRecipe.of({**plain, "model": {"name": "mail", "params": params}})
    return TextClassifier.from_recipe(recipe).fit(TEXTS, LABELS)


def odds(classifier, text):
    log_proba = classifier.predict_log_proba([text])[0]
    return log_proba[1] - log_proba[0]


@pytest.mark.parametrize("stacked_from", [0, 1000], ids=["both scores", "the first alone"])
def test_one_mail_is_heard_at_once_in_the_first_score_and_not_in_the_second(stacked_from):
    classifier = trained(stacked_from)
    before = classifier.fitted
    classifier.update([NEW], ["ham"], refit="when due")
    after = classifier.fitted
    assert after.fit.since == 1
    assert odds(classifier, "zyzzyva") < before.log_prior[1] - before.log_prior[0]
    again = fit_recipe(classifier.recipe, classifier.learnt)
    by_term = [
        (scorer.first if isinstance(scorer, SummedScorer) else scorer).by_term / fit.facts["first_factor"]
        for scorer, fit in ((after.scorer, after.fit), (again.scorer, again.fit))
    ]
    np.testing.assert_allclose(*by_term)
    if stacked_from == 0:
        column = after.vocabulary["zyzzyva"]
        assert after.scorer.second.scale[column] == 0
        kept = np.delete(after.scorer.second.scale, column)
        np.testing.assert_array_equal(kept, before.scorer.second.scale)


def test_a_20th_of_new_mail_is_due_and_then_all_is_as_if_fitted_at_once(tmp_path):
    classifier = trained()
    for i, text in enumerate(texts_of("spam", 3, seed=1)):
        assert classifier.fitted.fit.since == i
        classifier.update([text], ["spam"], refit="when due")
    assert classifier.fitted.fit.since == 0
    classifier.save(tmp_path / "one")
    trained().update(texts_of("spam", 3, seed=1), ["spam"] * 3).save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_fit_that_is_older_than_what_was_learnt_comes_back_from_its_file(tmp_path):
    classifier = trained()
    for text in texts_of("spam", 5, seed=2):
        classifier.update([text], ["spam"], refit="never")
    assert (classifier.fitted.fit.since, classifier.calibration_state) == (5, "stale")
    classifier.save(tmp_path / "m")
    loaded = TextClassifier.load(tmp_path / "m")
    assert (loaded.fitted.fit.since, loaded.calibration_state) == (5, "stale")
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), classifier.predict_proba(TEXTS))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    loaded.refit()
    assert (loaded.fitted.fit.since, loaded.calibration_state) == (0, "calibrated")


def test_learning_and_unlearning_are_both_changes_and_leave_the_scores_as_they_were():
    classifier = trained()
    before, scores = classifier.learnt, classifier.predict_proba(TEXTS)
    classifier.update([NEW], ["ham"], refit="when due").forget([NEW], ["ham"], refit="when due")
    assert classifier.fitted.fit.since == 2
    assert classifier.learnt == before
    np.testing.assert_allclose(classifier.predict_proba(TEXTS), scores)


def test_an_explanation_sums_up_between_fits():
    classifier = trained()
    classifier.update([NEW], ["ham"], refit="never")
    explanation = classifier.explain("zyzzyva pills w3", "spam", "ham")
    assert explanation.bias + sum(part.value for part in explanation.contributions) == pytest.approx(explanation.score)
    assert explanation.score == pytest.approx(odds(classifier, "zyzzyva pills w3"))


def test_a_new_class_is_fitted_at_once():
    classifier = trained()
    classifier.update(["concert tickets"], ["music"], refit="never")
    assert classifier.fitted.fit.since == 0
    assert classifier.classes_.tolist() == ["ham", "music", "spam"]


def test_a_model_that_cannot_be_renewed_is_fitted_whatever_is_asked():
    classifier = TextClassifier(tokenizer="words").fit(TEXTS, LABELS)
    assert classifier.update([NEW], ["ham"], refit="never").calibration_state == "calibrated"


def test_a_time_to_refit_that_is_none_is_refused():
    classifier = trained()
    with pytest.raises(InputError, match="unknown refit 'later'; use one of never, now, when due"):
        classifier.update([NEW], ["ham"], refit="later")


def test_a_file_whose_header_counts_wrong_is_refused():
    facts, arrays = packed_fit(trained().fitted.fit)
    with pytest.raises(ModelFileError, match="'since' in the header must be a whole number"):
        unpacked_fit({**facts, "since": -1}, arrays, 2)

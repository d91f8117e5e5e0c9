"""One state per classifier: what the public methods accept, and that a change is made as a whole or not at all."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from textnb import Document, TextClassifier
from textnb.classifier.state import fit_state
from textnb.counts import counted
from textnb.errors import InputError, NotFittedError, NotLearntError
from textnb.evaluation import Evaluation

TEXTS = ["dog cat", "cat cat fish", "egg salt", "salt oil", "dog fish", "oil egg"]
LABELS = ["pets", "pets", "food", "food", "pets", "food"]


def trained(**settings):
    return TextClassifier(tokenizer="words", **settings).fit(TEXTS, LABELS)


def parts_of(classifier, texts=TEXTS, labels=LABELS, entries=1):
    documents = (Document(text, label) for text, label in zip(texts, labels, strict=True))
    return counted(documents, classifier.recipe.terms_of, entries=entries)


def saved(classifier, folder: Path):
    classifier.save(folder / "m")
    return (folder / "m").read_bytes()


@pytest.mark.parametrize("model", ["multinomial", "nb-logistic", "mail", "gaussian"])
def test_counted_parts_teach_what_their_texts_teach(model, tmp_path, monkeypatch):
    monkeypatch.setattr("textnb.counts.counting.BATCH_DOCUMENTS", 2)
    whole = saved(trained(model=model), tmp_path)
    classifier = TextClassifier(model, tokenizer="words")
    assert saved(classifier.fit(parts_of(classifier)), tmp_path) == whole
    more = parts_of(classifier, ["sea salt"], ["food"])
    assert saved(classifier.update(more), tmp_path) != whole
    assert saved(classifier.forget(["sea salt"], ["food"]), tmp_path) == whole


def test_counted_parts_are_answered_and_evaluated_as_their_texts_are():
    classifier = trained()
    np.testing.assert_array_equal(classifier.predict_proba(parts_of(classifier)), classifier.predict_proba(TEXTS))
    of_parts, of_texts = classifier.evaluate(parts_of(classifier)), classifier.evaluate(TEXTS, LABELS)
    assert of_parts.json == of_texts.json
    assert of_texts.json == Evaluation.of(LABELS, classifier.predict_log_proba(TEXTS), classifier.fitted.classes).json


def test_copies_and_documents_of_one_group_are_one_observation_of_an_evaluation(monkeypatch):
    monkeypatch.setattr("textnb.counts.counting.BATCH_DOCUMENTS", 2)
    classifier = trained()
    once = classifier.evaluate(TEXTS, LABELS)
    four_times = classifier.evaluate([*TEXTS] * 4, [*LABELS] * 4, jobs=2)
    assert (once.groups, four_times.groups) == (len(set(TEXTS)), len(set(TEXTS)))
    assert four_times.accuracy_interval == pytest.approx(once.accuracy_interval, abs=1e-12)
    of_parts = classifier.evaluate(parts_of(classifier, [*TEXTS] * 4, [*LABELS] * 4))
    assert of_parts.json == four_times.json
    thread = [Document(text, label, group="thread") for text, label in zip(TEXTS, LABELS, strict=True)]
    assert classifier.evaluate(thread).groups == 1
    for_answers = [part for part, _ in classifier.predict_parts(thread[:1] * 3)]
    assert classifier.evaluate([dataclasses.replace(part, groups=(None,) * 3) for part in for_answers]).groups == 3


def test_a_counted_document_is_explained_by_its_terms():
    classifier = trained()
    (part,) = parts_of(classifier, ["dog egg dog"], ["pets"])
    of_part, of_text = classifier.explain(part), classifier.explain("dog egg dog")
    for mine, theirs in zip(of_part.by_term(), of_text.by_term(), strict=True):
        assert mine[:2] == theirs[:2]
        assert mine[2] == pytest.approx(theirs[2])
    assert {each.start for each in of_part.contributions} == {-1}


def test_labels_beside_counted_parts_are_refused():
    classifier = trained()
    with pytest.raises(InputError, match="counted parts carry their labels"):
        classifier.update(parts_of(classifier), LABELS)


def test_a_revision_is_a_removal_and_an_addition_in_one_step(tmp_path):
    stepwise = trained().forget(["dog cat"], ["pets"]).update(["dog cat"], ["food"])
    at_once = trained().revise(remove=[Document("dog cat", "pets")], add=[Document("dog cat", "food")])
    assert saved(at_once, tmp_path) == saved(stepwise, tmp_path)


def test_a_change_that_fails_changes_nothing():
    classifier = trained()
    state = classifier.state
    with pytest.raises(NotLearntError):
        classifier.revise(remove=[Document("never seen", "pets")], add=[Document("dog", "pets")])
    with pytest.raises(InputError):
        classifier.update(["dog", 7], ["pets", "pets"])
    assert classifier.state is state


def test_a_state_is_a_function_of_recipe_and_learnt_value():
    classifier = trained()
    again = fit_state(classifier.recipe, classifier.learnt)
    assert again.calibrated.calibration.json == classifier.state.calibrated.calibration.json
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.learnt = None


@pytest.mark.parametrize("entries", [0, 3, 1e9])
def test_one_pool_of_threads_serves_all_parts_of_an_answer(entries, monkeypatch):
    import textnb.parallel

    made = []

    class Watched(textnb.parallel.ThreadPoolExecutor):
        def __init__(self, *args, **kwargs):
            made.append(self)
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(textnb.parallel, "ThreadPoolExecutor", Watched)
    monkeypatch.setattr("textnb.counts.counting.BATCH_DOCUMENTS", 1)
    classifier = trained()
    parts = list(classifier.predict_parts(TEXTS * 3, jobs=2, entries=entries))
    assert len(made) == 1
    rows = np.concatenate([rows for _, rows in parts])
    np.testing.assert_array_equal(rows, classifier.predict_log_proba(TEXTS * 3))
    assert [name for part, _ in parts for name in part.ids] == [str(i) for i in range(18)]


def test_facts_are_the_recipe_what_was_learnt_and_what_was_found():
    facts = trained(model="nb-logistic").facts()
    assert (facts["model"], facts["documents"]) == ("nb-logistic", 6)
    assert (facts["terms"], facts["terms used"]) == (47, 40)  # each of the 7 pairs is in one document only
    assert facts["classes"] == {"food": 3, "pets": 3}
    assert facts["fit"]["l2"] > 0
    assert TextClassifier().facts()["classes"] == {}


def test_parts_that_were_counted_for_answers_are_answered_again_and_not_learnt():
    classifier = trained()
    parts = [
        part for part, _ in classifier.predict_parts([Document(*pair) for pair in zip(TEXTS, LABELS, strict=True)])
    ]
    np.testing.assert_array_equal(classifier.predict(parts), classifier.predict(TEXTS))
    one = parts[0].rows(np.array([1]))
    assert classifier.explain(one).label == "pets"
    for learn in (classifier.update, classifier.forget, classifier.calibrate):
        with pytest.raises(InputError, match="counted for answers and cannot be learnt"):
            learn(parts)


def test_parts_of_several_documents_are_not_explained_and_kinds_are_not_mixed():
    classifier = trained()
    part = next(parts_of(classifier, entries=1e9))
    with pytest.raises(InputError, match="one document, not a part of 6"):
        classifier.explain(part)
    for mixed, wrong in (([part, "dog"], 1), (["dog", part], 1)):
        with pytest.raises(InputError, match=f"text {wrong} is "):
            classifier.predict(mixed)


def test_a_classifier_that_has_learnt_nothing_cannot_be_calibrated():
    with pytest.raises(NotFittedError, match="fit the classifier first"):
        TextClassifier().calibrate(TEXTS, LABELS)

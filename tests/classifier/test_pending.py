"""Pending corrections in the answers: counts follow, smoothing, terms and calibration stay until the next fit."""

from dataclasses import replace

import numpy as np
import pytest
from corrected_models import LABELS, MAILS, TEXTS, correct, saved, trained

from textnb import Document, TextClassifier
from textnb.counts import ClassCounts, count_matrix
from textnb.counts.moments import ClassMoments
from textnb.mail import corrections
from textnb.mail.corrections import learn, refit_file, unlearn
from textnb.models import bernoulli, complement, gaussian, multinomial
from textnb.models.bregman import text_unb
from textnb.models.ensemble.presence import telling_ratios
from textnb.models.model import Need, Statistics
from textnb.models.registry import MODELS, model


@pytest.fixture
def never_due(monkeypatch):
    monkeypatch.setattr(corrections.JournalledModel, "is_due", False)


WEIGHTED = [{}, {"weighting": "raw"}, {"weighting": "tfidf"}]


@pytest.mark.parametrize("options", [*WEIGHTED, {"alpha": 0.5}, {"prior": "uniform"}, {"alpha": "evidence-unigram"}])
def test_counts_of_multinomial_follow_and_smoothing_and_terms_stay(tmp_path, never_due, options):
    path = saved(tmp_path, **options)
    before = TextClassifier.load(path)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    correct(path, lambda learner: learn(learner, MAILS[4], "ham"))
    correct(path, lambda learner: unlearn(learner, Document(TEXTS[1]), "spam"))
    after = TextClassifier.load(path)
    assert after.fitted.vocabulary.terms == before.fitted.vocabulary.terms
    assert repr(after.fitted.calibration) == repr(before.fitted.calibration)
    stored = after.learnt.counts
    counts = stored.selected(stored.vocabulary.columns_of(before.fitted.vocabulary))
    counts = before.fitted.weigher.class_counts(counts)
    expected = multinomial.fit(counts, before.fitted.fit.smoothing.alpha, before.recipe.prior)
    np.testing.assert_allclose(after.fitted.scorer.by_term[:], expected.by_term, rtol=0, atol=1e-9)
    np.testing.assert_allclose(after.fitted.log_prior, expected.bias)
    assert np.abs(after.predict_log_proba(["w1 v2 of"]) - before.predict_log_proba(["w1 v2 of"])).max() > 1e-6
    parts = after.explain("w1 v2 of")
    np.testing.assert_allclose(parts.bias + sum(c.value for c in parts.contributions), parts.score)


def test_the_presence_ratios_of_mail_follow_and_its_other_score_stays(tmp_path, never_due):
    path = saved(tmp_path, "mail")
    before = TextClassifier.load(path)
    correct(path, lambda learner: learn(learner, Document("v2 v2 n0 n0"), "ham"))
    correct(path, lambda learner: unlearn(learner, Document(TEXTS[1]), "spam"))
    after = TextClassifier.load(path)
    renewed = trained("mail").revise(
        add=[Document("v2 v2 n0 n0", "ham")], remove=[Document(TEXTS[1], "spam")], refit="never"
    )
    assert renewed.fitted.vocabulary.terms == after.fitted.vocabulary.terms
    np.testing.assert_allclose(after.predict_log_proba(TEXTS), renewed.predict_log_proba(TEXTS), rtol=1e-9)
    containing = after.learnt.counts.containing.toarray().T
    ratios = telling_ratios(containing, after.learnt.counts.documents) * before.fitted.fit.facts["first_factor"]
    np.testing.assert_allclose(after.fitted.scorer.by_term[:], ratios)


FOLLOWING = [
    ("complement", {}),
    ("complement", {"alpha": "evidence-unigram", "weighting": "tfidf"}),
    ("complement", {"weighting": "tfidf-l2", "alpha": 0.3}),
    ("bernoulli", {}),
    ("bernoulli", {"alpha": 0.0, "calibrate": False}),
    ("gaussian", {}),
    ("unb", {}),
    ("unb", {"alpha": 0.3, "prior": "uniform"}),
]
OPTIONS = [("complement", "weight_norm", True), ("gaussian", "variance", "class"), ("unb", "complement", True)]
OPTIONS += [("unb", "pi", 1.4), ("unb", "norm", "u")]


def corrected(path):
    """Correct a model three times and return it as it was and as it is then."""
    before = TextClassifier.load(path)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    correct(path, lambda learner: learn(learner, MAILS[4], "ham"))
    correct(path, lambda learner: unlearn(learner, Document(TEXTS[1]), "spam"))
    return before, TextClassifier.load(path)


def scores_by_formula(before, learnt):
    """Scores of TEXTS by a fit with the terms, the weights of terms and the smoothing of before, on other counts."""
    fitted, recipe = before.fitted, before.recipe
    stored = learnt.counts.selected(learnt.counts.vocabulary.columns_of(fitted.vocabulary))
    counts = fitted.weigher.class_counts(stored)
    if recipe.weights.normalised:
        rows = fitted.rows(learnt_with_rows(before, learnt))
        weighted = ClassCounts.of(rows.X, rows.y, None, range(2))
        counts = ClassCounts(stored.vocabulary, stored.classes, stored.documents, weighted.terms, stored.containing)
    columns = learnt.counts.vocabulary.columns_of(fitted.vocabulary)
    statistics = Statistics(lambda: counts, learnt.counts, learnt.histograms, columns)
    alpha = None if fitted.fit.smoothing is None else fitted.fit.smoothing.alpha
    if recipe.model == "gaussian":
        moments = ClassMoments.of_histograms(learnt.histograms).selected(columns)
        variances = gaussian.class_variances(moments, recipe.options["variance"]) + fitted.fit.facts["added_variance"]
        scorer = gaussian.fit_variances(moments, variances, recipe.prior)
    elif np.ndim(alpha) and recipe.model == "complement":
        scorer = multinomial.fit_seen(complement.fit, counts, alpha, prior=recipe.prior)
    else:
        fit = {"complement": complement.fit, "bernoulli": bernoulli.fit, "unb": text_unb.fit}[recipe.model]
        options = dict(recipe.options)
        options |= {"normalise": options.pop("weight_norm")} if "weight_norm" in options else {}
        scorer = fit(statistics.counts, alpha, recipe.prior, **options)
    return scorer.joint_log_scores(fitted.weigher(count_matrix([text.split() for text in TEXTS], fitted.vocabulary)[0]))


def learnt_with_rows(before, learnt):
    return replace(learnt, examples=learnt.sample.examples if learnt.examples is None else learnt.examples)


@pytest.mark.parametrize(("kind", "options"), FOLLOWING)
def test_the_counts_of_every_count_model_follow_and_the_rest_stays(tmp_path, never_due, kind, options):
    check_following(saved(tmp_path, kind, **options))


@pytest.mark.parametrize(("kind", "option", "value"), OPTIONS)
def test_the_counts_follow_with_every_option_of_a_model(tmp_path, never_due, kind, option, value):
    recipe = TextClassifier(kind, tokenizer="words").recipe
    of_unb = {"pi": 1.4} if kind == "unb" else {}
    recipe = replace(recipe, options={**recipe.options, **of_unb, option: value})
    labelled = [Document(text, name) for text, name in zip(TEXTS, LABELS, strict=True)]
    path = tmp_path / "m.textnb"
    TextClassifier.from_recipe(recipe).fit(labelled).save(path)
    check_following(path)


def check_following(path):
    before, after = corrected(path)
    assert after.fitted.vocabulary.terms == before.fitted.vocabulary.terms
    assert repr(after.fitted.calibration) == repr(before.fitted.calibration)
    X = after.fitted.weigher(count_matrix([text.split() for text in TEXTS], before.fitted.vocabulary)[0])
    expected = scores_by_formula(before, after.learnt)
    np.testing.assert_allclose(after.fitted.scorer.joint_log_scores(X), expected, rtol=1e-9, atol=1e-9)
    assert not np.allclose(expected, before.fitted.scorer.joint_log_scores(X), rtol=0, atol=1e-3)
    parts = after.explain("w1 v2 of")
    np.testing.assert_allclose(parts.bias + sum(c.value for c in parts.contributions), parts.score)


def test_the_prior_of_compound_follows_and_its_alphas_stay(tmp_path, never_due):
    before, after = corrected(saved(tmp_path, "compound"))
    np.testing.assert_array_equal(after.fitted.scorer.alpha, before.fitted.scorer.alpha)
    np.testing.assert_allclose(after.fitted.log_prior, np.log(after.learnt.counts.documents / 61))
    assert np.abs(after.predict_log_proba(TEXTS) - before.predict_log_proba(TEXTS)).max() > 1e-3


@pytest.mark.parametrize("kind", ["multinomial", "complement", "bernoulli", "gaussian", "compound", "unb", "mail"])
def test_what_is_learnt_and_unlearnt_again_leaves_no_trace_in_the_answers(tmp_path, never_due, kind):
    path = saved(tmp_path, kind)
    before = TextClassifier.load(path).predict_log_proba(TEXTS)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    correct(path, lambda learner: unlearn(learner, MAILS[0], "spam"))
    np.testing.assert_array_equal(TextClassifier.load(path).predict_log_proba(TEXTS), before)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_follows_or_is_fitted_to_the_documents_themselves(name):
    found = model(name)
    assert (found.follow is not None) == (Need.ROWS not in found.needs or name == "mail") or name == "auto"


@pytest.mark.parametrize("kind", ["logistic", "nb-logistic", "ensemble"])
def test_answers_of_models_of_the_documents_themselves_stay_until_they_are_refitted(tmp_path, never_due, kind):
    path = saved(tmp_path, kind)
    before = TextClassifier.load(path).predict_proba(TEXTS)
    for n, mail in enumerate(MAILS):
        correct(path, lambda learner, mail=mail, n=n: learn(learner, mail, LABELS[n]))
    np.testing.assert_array_equal(TextClassifier.load(path).predict_proba(TEXTS), before)
    refit_file(path)
    assert np.abs(TextClassifier.load(path).predict_proba(TEXTS) - before).max() > 0

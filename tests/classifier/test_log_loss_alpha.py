"""Alpha of the smallest log loss of left-out documents: against models fitted again, and the laws of learning."""

import numpy as np
import pytest

from textnb import Analyzer, TextClassifier, read_corpus
from textnb.classifier.log_loss_alpha import ALPHA_WITHOUT_LOG_LOSS, MAX_ALPHA, MIN_ALPHA, least_on_grid
from textnb.corpus import corpus_path
from textnb.errors import InputError
from textnb.models.calibration import HeldOut, Sizes, fit_calibration

RANDOM = np.random.default_rng(4)
WORDS = np.array([f"w{j}" for j in range(30)])
SHARES = {label: RANDOM.dirichlet(np.full(30, 0.4)) for label in ("x", "y", "z")}
LABELS = [str(label) for label in RANDOM.choice([*SHARES], 45)]
TEXTS = [" ".join(RANDOM.choice(WORDS, RANDOM.integers(3, 15), p=SHARES[label])) for label in LABELS]
L2 = ("raw-l2", "binary-l2", "log-l2")


def of(weighting="raw-l2", model="multinomial", texts=TEXTS, labels=LABELS, **settings):
    return TextClassifier(model, weighting=weighting, tokenizer="words", **settings).fit(texts, labels)


def found(classifier):
    return classifier.facts()["smoothing"]


def log_loss_by_fitting_again(alpha, model, weighting):
    """Log loss after calibration of the scores of each document by a model that never saw it."""
    scores, priors, sizes = [], [], []
    for text in TEXTS:
        rest = [j for j in range(len(TEXTS)) if TEXTS[j] != text]
        others = of(weighting, model, [TEXTS[j] for j in rest], [LABELS[j] for j in rest], alpha=alpha, calibrate=False)
        fitted = others.fitted
        X = next(part.X for part, _ in others.predict_parts([text]))
        scores.append(fitted.likelihood(fitted.weigher(X))[0])
        priors.append(fitted.log_frequencies)
        sizes.append([float(size[0]) for size in fitted.sizes(X, fitted.weigher(X))])
    y = np.array([["x", "y", "z"].index(label) for label in LABELS])
    rows = HeldOut(np.array(scores), np.array(priors), Sizes(*np.array(sizes).T), y, np.ones(len(y)))
    log_p = fit_calibration(rows).log_posterior(rows.scores, rows.log_prior, rows.sizes)
    return -log_p[np.arange(len(y)), y].mean()


@pytest.mark.parametrize("model", ["multinomial", "complement"])
def test_alpha_has_the_smallest_log_loss_of_documents_left_out(model):
    chosen = found(of("binary-l2", model))
    tried = {
        alpha: log_loss_by_fitting_again(alpha, model, "binary-l2") for alpha in (1e-4, 0.01, 0.1, 1.0, 10.0, 100.0)
    }
    mine = log_loss_by_fitting_again(chosen["alpha"], model, "binary-l2")
    assert mine <= min(tried.values()) + 0.01
    assert mine < max(tried.values()) - 0.05
    assert chosen["log loss"] == pytest.approx(mine, abs=0.05)  # a left-out document's words stay in no other's length


@pytest.mark.parametrize("weighting", [*L2, "tfidf-l2"])
@pytest.mark.parametrize("model", ["multinomial", "complement"])
def test_it_is_the_default_and_stays_in_its_range(model, weighting):
    classifier = of(weighting, model)
    assert classifier.recipe.alpha == "log-loss"
    assert MIN_ALPHA <= found(classifier)["alpha"] <= MAX_ALPHA
    np.testing.assert_allclose(classifier.predict_proba(TEXTS[:5]).sum(axis=1), 1)


def test_other_weightings_and_models_keep_theirs():
    assert TextClassifier("multinomial", weighting="tfidf").recipe.alpha == "evidence"
    assert TextClassifier("multinomial").recipe.alpha == "leave-one-out"
    assert TextClassifier("complement").recipe.alpha == 1.0
    assert TextClassifier("logistic").recipe.alpha == "evidence"  # its alpha means nothing


@pytest.mark.parametrize("model", ["multinomial", "complement"])
def test_update_forget_and_merge_equal_fitting_at_once(model, tmp_path):
    def saved(classifier):
        classifier.save(tmp_path / "m.textnb")
        return (tmp_path / "m.textnb").read_bytes()

    whole, halves = (
        saved(of(model=model)),
        [of(model=model, texts=TEXTS[a:b], labels=LABELS[a:b]) for a, b in ((0, 20), (20, 45))],
    )
    assert saved(halves[0].merge(halves[1])) == whole
    assert saved(of(model=model).update(["new w1 words"], ["x"]).forget(["new w1 words"], ["x"])) == whole
    loaded = TextClassifier.load(tmp_path / "m.textnb")
    assert found(loaded) == found(of(model=model))
    assert saved(loaded) == whole


@pytest.mark.parametrize(
    ("texts", "labels"), [(["a b"], ["x"]), (["a", "b"], ["x", "y"]), (["a a", "a a"], ["x", "x"]), ([""], ["x"])]
)
def test_too_few_documents_have_the_number_of_development_data(texts, labels, tmp_path):
    classifier = of(texts=texts, labels=labels)
    assert found(classifier) == {"alpha": ALPHA_WITHOUT_LOG_LOSS}
    classifier.save(tmp_path / "m.textnb")
    assert found(TextClassifier.load(tmp_path / "m.textnb")) == {"alpha": ALPHA_WITHOUT_LOG_LOSS}


def test_copies_are_left_out_together():
    once, twice = found(of()), found(of(texts=TEXTS * 2, labels=LABELS * 2))
    assert once["log loss"] == pytest.approx(twice["log loss"], abs=0.15)


def test_on_ja_mini_it_is_far_better_than_evidence_was():
    documents = list(read_corpus(corpus_path("ja-mini") / "train"))
    classifier = TextClassifier("multinomial", weighting="raw-l2", analyzer=Analyzer()).fit(documents[::2])
    assert classifier.evaluate(documents[1::2]).accuracy > 0.85  # by evidence less than 0.77


def test_no_documents_kept_are_refused():
    with pytest.raises(InputError, match="'raw-l2' keeps the counts of the documents; sample=0 forbids that"):
        TextClassifier(weighting="raw-l2", sample=0).fit(TEXTS, LABELS)


@pytest.mark.parametrize("best", [-9.0, -4.0, -3.6, 0.3, 1.9, 2.0, 7.0])
def test_the_search_ends_within_an_eighth_of_the_best_point_in_its_range(best):
    point, value = least_on_grid(lambda x: (x - best) ** 2, -4, 2)
    assert abs(point - np.clip(best, -4, 2)) <= 1 / 8
    assert value == (point - best) ** 2

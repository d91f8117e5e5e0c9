import weakref
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from textnb import TextClassifier
from textnb.counts import ClassCounts
from textnb.counts.weighting import weighting
from textnb.errors import InputError
from textnb.models import complement
from textnb.models.ensemble import ensemble, members
from textnb.models.ensemble.ensemble import MEMBERS, N_FOLDS, EnsembleScorer, chosen, solution, supported
from textnb.models.ensemble.joining import joint
from textnb.models.ensemble.members import (
    FoldCounts,
    HingeSettings,
    fit_complement,
    fit_hinge,
    hinge,
    idf,
    present,
    ratio,
)
from textnb.models.logistic import nb_logistic
from textnb.models.logistic.path import left_out_loss
from textnb.models.rows import Labelled, dealt_folds

LOG = weighting("log")


def made_up(n=60, n_terms=40, n_classes=3, seed=0):
    """Counts of which some terms tell the class, as (counts, statistics, weighted rows)."""
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n)
    rates = np.full((n_classes, n_terms), 0.2)
    for k in range(n_classes):
        rates[k, 4 * k : 4 * k + 4] = 1.0
    return of_counts(sparse.csr_array(random.poisson(rates[y])), y, n_classes)


def of_counts(X, y, n_classes):
    stored = LOG.stored(sparse.csr_array(X))
    counts = ClassCounts.of(stored, y, classes=range(n_classes), unit=LOG.unit)
    return counts, Labelled(tuple(range(n_classes)), LOG.weights(X), np.asarray(y), np.ones(len(y)))


def dense_scores(rows, found):
    """Scores of eq. (3) by dense arithmetic, from the members' own scales and weights."""
    X = rows.X.toarray()
    total, (first, second, third) = np.zeros((len(X), len(rows.classes))), found.members
    u = X / np.sqrt(np.maximum(X.sum(axis=1, keepdims=True), 1e-300))
    total += found.chosen.factors[0] * u @ first.linear().by_term
    for factor, member, values in ((1, second, X), (2, third, (X > 0).astype(float))):
        u = values * member.scale
        u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-300)
        total += found.chosen.factors[factor] * (u @ member.linear().by_term + member.linear().bias)
    return total + found.chosen.bias


@pytest.mark.parametrize("l2", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_scores_are_the_weighted_sum_of_the_members(n_classes, l2):
    counts, rows = made_up(n_classes=n_classes)
    found = solution(counts, lambda: rows, strengths=[l2])
    np.testing.assert_allclose(found.scorer.joint_log_scores(rows.X), dense_scores(rows, found), atol=1e-9)


def test_memory_holds_the_weights_of_documents_once():
    counts, rows = made_up(n_terms=600)
    made = []

    def make():
        assert not any(values() is not None for values in made)
        X = rows.X.copy()
        made.append(weakref.ref(X.data))
        return replace(rows, X=X)

    found = solution(counts, make)
    assert len(made) == 2
    np.testing.assert_array_equal(found.scorer.bias, solution(counts, lambda: rows).scorer.bias)


def test_scores_of_all_members_are_summed_if_all_count(monkeypatch):
    monkeypatch.setattr(ensemble, "MAX_ERRORS", 1e9)
    counts, rows = made_up()
    found = solution(counts, lambda: rows)
    np.testing.assert_allclose(found.chosen.weights, 1 / 3)
    assert (found.chosen.factors > 0).all()
    np.testing.assert_allclose(found.scorer.joint_log_scores(rows.X), dense_scores(rows, found), atol=1e-9)


def test_contributions_of_terms_and_the_bias_sum_to_the_difference_of_scores(monkeypatch):
    monkeypatch.setattr(ensemble, "MAX_ERRORS", 1e9)
    counts, rows = made_up()
    scorer = solution(counts, lambda: rows).scorer
    scores = scorer.joint_log_scores(rows.X)
    for i in range(10):
        parts = scorer.differences(rows.X[[i]], 2, 0)
        assert parts.score == pytest.approx(scores[i, 2] - scores[i, 0], abs=1e-9)


def test_the_complement_left_out_is_that_of_statistics_without_the_document_and_its_copies():
    counts, rows = made_up(30, 12)
    X, y = sparse.csr_array(sparse.vstack([rows.X, rows.X[:2]])), np.append(rows.y, [rows.y[0], (rows.y[1] + 1) % 3])
    counts = ClassCounts.of(members._stored(X, LOG.unit), y, classes=range(3), unit=LOG.unit)
    found = fit_complement(counts, X, y).left_out(slice(None))
    np.testing.assert_array_equal(fit_complement(counts, X, y).left_out(slice(None, None, 3)), found[::3])
    dense = X.toarray()
    for i in range(len(y)):
        others = np.flatnonzero((dense != dense[i]).any(axis=1))
        known = np.flatnonzero(dense[others].any(axis=0))
        rest = ClassCounts.of(
            members._stored(X[others][:, known], LOG.unit), y[others], classes=range(3), unit=LOG.unit
        )
        u = dense[i, known] / np.sqrt(dense[i, known].sum())
        np.testing.assert_allclose(found[i], u @ complement.fit(rest, 1.0).by_term, atol=1e-9)


def fitted_hinge(X, y, n_classes, folds, settings):
    return fit_hinge(X, y, folds, FoldCounts.of(X, y, n_classes, folds), settings)


def hinge_of(X, y, n_classes, settings, tol):
    """Scale and linear scorer of all rows."""
    counts = FoldCounts.of(X, y, n_classes, np.zeros(len(y), int))
    scale = settings.scale(*counts.without(None), settings.min_df)
    return scale, hinge(
        members.scaled(X, scale), y, n_classes, np.ones(len(y), bool), settings.strengths[0], tol
    ).linear


@pytest.mark.parametrize("scale", [idf, ratio], ids=["tfidf", "presence"])
@pytest.mark.parametrize("min_df", [1, 3])
@pytest.mark.parametrize("n_terms", [40, 600], ids=["by Newton", "by passes"])
def test_a_hinge_left_out_is_that_of_fitting_without_the_fold(scale, min_df, n_terms):
    _, rows = made_up(seed=1, n_terms=n_terms)
    X = present(rows.X) if scale is ratio else rows.X
    folds = dealt_folds(rows.X, rows.y, N_FOLDS)
    settings = HingeSettings(scale, (1.0,), min_df)
    found = fitted_hinge(X, rows.y, 3, folds, settings).left_out(slice(None))
    for fold in range(N_FOLDS):
        held = folds == fold
        for tol, error in ((members._TOL_OF_FOLDS, 1e-9), (1e-8, 0.3)):
            of_part, linear = hinge_of(X[~held], rows.y[~held], 3, settings, tol)
            expected = members.scaled(X[held], of_part) @ linear.by_term + linear.bias
            if tol < members._TOL_OF_FOLDS or n_terms == 40:  # passes visit rows in another order
                np.testing.assert_allclose(found[held], expected, atol=error)
        assert np.corrcoef(found[held].ravel(), expected.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("n_terms", [40, 600], ids=["by Newton", "by passes"])
def test_a_weaker_penalty_is_taken_if_it_lowers_the_left_out_loss_enough(n_terms):
    _, rows = made_up(n=120, n_terms=n_terms)
    folds = dealt_folds(rows.X, rows.y, N_FOLDS)
    fits = {l2: fitted_hinge(rows.X, rows.y, 3, folds, HingeSettings(idf, (l2,), 1)) for l2 in (1e4, 1.0, 1e-6)}
    losses = {l2: left_out_loss(rows.y, np.ones(120), fit.left_out(slice(None))) for l2, fit in fits.items()}
    for strong, weak in ((1e4, 1.0), (1.0, 1e-6)):
        found = fitted_hinge(rows.X, rows.y, 3, folds, HingeSettings(idf, (strong, weak), 1))
        assert found.l2 == (weak if losses[weak] < (1 - members._MIN_GAIN) * losses[strong] else strong)
        np.testing.assert_allclose(found.left_out(slice(None)), fits[found.l2].left_out(slice(None)), atol=0.3)
    assert losses[1.0] < losses[1e4]  # so that the cases differ


@pytest.mark.parametrize("n_terms", [40, 600], ids=["by Newton", "by passes"])
def test_a_class_without_documents_outside_the_fold_has_no_left_out_score(n_terms):
    _, rows = made_up(n_terms=n_terms)
    y = np.where(np.arange(60) == 7, 3, rows.y)  # the only document of the class 3
    folds = np.arange(60) % 3
    found = fitted_hinge(rows.X, y, 4, folds, HingeSettings(idf, (1.0,), 1)).left_out(slice(None))
    np.testing.assert_array_equal(np.isneginf(found[:, 3]), folds == 7 % 3)
    assert np.isfinite(found[:, :3]).all()


def test_a_document_does_not_change_its_own_left_out_score():
    _, rows = made_up(n_terms=600)
    folds = np.arange(60) % 3
    X, y = members.in_single_precision(rows.X, np.arange(600)), rows.y
    other = y.copy()
    other[3] = (y[3] + 1) % 3
    settings = HingeSettings(ratio, (1.0,), 1)
    one, another = (fitted_hinge(present(X), labels, 3, folds, settings).left_out(slice(3, 4)) for labels in (y, other))
    np.testing.assert_array_equal(one, another)


@pytest.mark.parametrize("block", [1, 50])
def test_documents_left_out_in_blocks_have_the_same_scores(block, monkeypatch):
    counts, rows = made_up()
    whole = fit_complement(counts, rows.X, rows.y).left_out(slice(None))
    monkeypatch.setattr("textnb.counts.rows._BLOCK", block)
    np.testing.assert_array_equal(fit_complement(counts, rows.X, rows.y).left_out(slice(None)), whole)


@pytest.mark.parametrize("n_classes", [1, 2, 5])
@pytest.mark.parametrize("n_folds", [1, 2, 4])
def test_counts_without_a_fold_are_those_of_the_other_rows(n_classes, n_folds):
    _, rows = made_up(n_classes=max(n_classes, 2))
    y, folds, dense = rows.y % n_classes, np.arange(60) % n_folds, rows.X.toarray() > 0
    counts = FoldCounts.of(rows.X, y, n_classes, folds)
    for fold in [*range(n_folds), None]:
        kept = folds != fold if fold is not None else np.ones(60, bool)
        containing, number = counts.without(fold)
        expected = [dense[kept & (y == k)].sum(axis=0) for k in range(n_classes)]
        np.testing.assert_array_equal(containing.T, expected)
        assert number == kept.sum()


def test_columns_by_frequency_are_the_same_rows_in_another_order():
    _, rows = made_up()
    places = members.places_by_frequency(rows.X)
    moved = members.in_single_precision(rows.X, places)
    np.testing.assert_array_equal(moved.toarray()[:, places], rows.X.toarray().astype(np.float32))
    df = (moved.toarray() > 0).sum(axis=0)
    assert (np.diff(df) <= 0).all()
    assert moved.has_sorted_indices


def test_the_presence_member_is_nb_logistic_with_the_squared_hinge():
    _, rows = made_up(n=200)
    settings = nb_logistic.NBLogisticSettings(1.0, "squared-hinge", min_df=2, tol=1e-8)
    other = nb_logistic.solution(rows.X, rows.y, rows.weight, rows.weight, 3, settings).scorer
    scale, linear = hinge_of(present(rows.X), rows.y, 3, HingeSettings(ratio, (1.0,), 2), 1e-8)
    np.testing.assert_allclose(scale, other.scale)
    np.testing.assert_allclose(linear.by_term, other.linear.by_term, atol=1e-5)
    np.testing.assert_allclose(linear.bias, other.linear.bias, atol=1e-5)


def test_the_tfidf_member_weighs_rows_like_the_weighting_tfidf_l2():
    counts, rows = made_up()
    stored = members._stored(rows.X, LOG.unit)
    plain = sparse.csr_array((np.rint(np.expm1(rows.X.data)), stored.indices, stored.indptr), shape=stored.shape)
    expected = weighting("tfidf-l2").on(counts)(plain)
    containing, number = FoldCounts.of(rows.X, rows.y, 3, np.zeros(60, int)).without(None)
    np.testing.assert_allclose(
        members.scaled(rows.X, idf(containing, number, 1)).toarray(), expected.toarray(), atol=1e-6
    )


def answers(y, n_classes, right, size=3.0, seed=0):
    """Left-out scores of a member that names the right class with a probability."""
    random = np.random.default_rng(seed)
    named = np.where(random.random(len(y)) < right, y, random.integers(n_classes, size=len(y)))
    return size * np.eye(n_classes)[named] + 0.1 * random.standard_normal((len(y), n_classes))


Y = np.arange(300) % 3


def chosen_by(scores, y):
    return chosen([each.__getitem__ for each in scores], y, scores[0].shape[1])


def test_a_perfect_member_counts_alone_beside_useless_ones():
    scores = np.array([answers(Y, 3, 0.0, seed=1), answers(Y, 3, 1.0), answers(Y, 3, 0.0, seed=2)])
    assert chosen_by(scores, Y).weights.tolist() == [0, 1, 0]


def test_a_useless_member_has_next_to_no_influence():
    scores = np.array([answers(Y, 3, 0.6, seed=1), answers(Y, 3, 0.0, seed=2), answers(Y, 3, 0.6, seed=3)])
    good, useless, other = chosen_by(scores, Y).factors
    assert useless < 0.05 * min(good, other)


def test_members_that_are_equal_or_equally_good_count_alike():
    same = answers(Y, 3, 0.7)
    np.testing.assert_allclose(chosen_by(np.array([same, same, same]), Y).weights, 1 / 3)
    scores = np.array([answers(Y, 3, 0.6, seed=seed) for seed in range(3)])
    np.testing.assert_allclose(chosen_by(scores, Y).weights, 1 / 3)


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e3])
def test_the_size_of_a_members_scores_does_not_matter(factor):
    scores = np.array([answers(Y, 3, 0.6, seed=seed) for seed in range(3)])
    plain, other = chosen_by(scores, Y), chosen_by(scores * [[[factor]], [[1.0]], [[1.0]]], Y)
    np.testing.assert_array_equal(other.weights, plain.weights)
    np.testing.assert_allclose(other.left_out_scores, plain.left_out_scores, atol=1e-4)


def test_the_chosen_group_has_the_smallest_loss_of_its_size_within_the_allowed_errors():
    random = np.random.default_rng(0)
    for _ in range(50):
        sizes, losses = [3, 2, 2, 1], random.normal([[1.0], [0.9], [0.95], [0.8]], 0.5, (4, 20))
        found, best = supported(sizes, losses), np.argmin(losses.mean(axis=1))
        beyond = losses - losses[best]
        allowed = [g for g in range(4) if beyond[g].mean() <= 2 * beyond[g].std() / np.sqrt(20)]
        assert found in allowed
        assert sizes[found] == max(sizes[g] for g in allowed)
        assert all(losses[found].mean() <= losses[g].mean() for g in allowed if sizes[g] == sizes[found])


@pytest.mark.parametrize("most", [75, 100, 299])
def test_a_member_that_does_not_count_scores_only_some_documents(monkeypatch, most):
    y = np.random.default_rng(5).integers(3, size=300)
    scores = np.array([answers(y, 3, 0.0, seed=1), answers(y, 3, 1.0)])
    asked = []

    def of_member(m):
        return lambda documents: (asked.append((m, documents.step)), scores[m][documents])[1]

    monkeypatch.setattr(ensemble, "MOST_ROWS", most)
    monkeypatch.setattr(ensemble, "MOST_SCORES", 3 * most)
    found = chosen([of_member(0), of_member(1)], y, 3)
    assert found.weights.tolist() == [0, 1]
    assert found.left_out_scores.shape == (300, 3)
    assert asked == [(0, -(-300 // most)), (1, -(-300 // most)), (1, None)]


def test_without_left_out_documents_all_members_count_alike():
    scores = np.full((3, 2, 2), -np.inf)
    found = chosen_by(scores, np.array([0, 1]))
    np.testing.assert_allclose(found.weights, 1 / 3)
    np.testing.assert_allclose(found.factors, 1 / 3)
    assert supported([2, 3, 1], np.empty((3, 0))) == 1


@pytest.mark.parametrize(
    ("X", "y", "n_classes"),
    [([[1]], [0], 1), ([[1], [2]], [0, 0], 1), ([[1, 0], [0, 1]], [0, 1], 2), ([[1, 0], [1, 0]], [0, 1], 2)],
    ids=["one document", "one class", "two documents", "two equal documents"],
)
def test_next_to_nothing_has_finite_scores(X, y, n_classes):
    counts, rows = of_counts(sparse.csr_array(X), y, n_classes)
    found = solution(counts, lambda: rows)
    assert np.isfinite(found.scorer.joint_log_scores(rows.X)).all()
    np.testing.assert_allclose(found.scorer.joint_log_scores(rows.X), dense_scores(rows, found), atol=1e-9)


def test_left_out_scores_are_those_of_the_chosen_members():
    counts, rows = made_up()
    found = solution(counts, lambda: rows)
    scores = np.array([member.left_out(slice(None)) for member in found.members])
    expected = np.tensordot(found.chosen.factors, scores, 1) + found.chosen.bias
    np.testing.assert_allclose(found.chosen.left_out_scores, expected, atol=1e-9)


def test_the_factor_and_the_bias_are_those_of_joining_the_mean_of_the_scaled_members():
    scores = np.array([answers(Y, 3, 0.6, seed=seed) for seed in range(3)])
    spreads = [(each - each.mean(axis=1, keepdims=True)).std() for each in scores]
    pairs, tol = zip(scores, spreads, strict=True), ensemble._TOL
    factors = [joint(each[np.newaxis] / by, Y, tol=tol).factors[0] / by for each, by in pairs]
    whole = joint(np.tensordot(factors, scores, 1)[np.newaxis] / 3, Y, tol=tol)
    found = chosen_by(scores, Y)
    np.testing.assert_allclose(found.factors, whole.factors[0] * np.array(factors) / 3, rtol=1e-6)
    np.testing.assert_allclose(found.bias, whole.bias, rtol=1e-6)


TEXTS = ["good fun day", "good good film", "fun film film", "bad sad day", "sad film bad bad", "bad day day"] * 3
LABELS = (["pos"] * 3 + ["neg"] * 3) * 3


def test_the_facts_tell_the_weights_of_the_members():
    facts = TextClassifier("ensemble", tokenizer="whitespace").fit(TEXTS, LABELS).fitted.fit.facts
    weights = [facts[f"{name}_weight"] for name in MEMBERS]
    assert sum(weights) == pytest.approx(1)
    assert min(weights) >= 0


def test_a_sample_of_0_keeps_no_documents_and_answers_the_same(tmp_path):
    kept, bare = (TextClassifier("ensemble", tokenizer="whitespace", sample=n).fit(TEXTS, LABELS) for n in (10, 0))
    bare.save(tmp_path / "bare")
    loaded = TextClassifier.load(tmp_path / "bare")
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), kept.predict_proba(TEXTS))


def test_a_scorer_of_other_terms_is_refused():
    counts, rows = made_up()
    scorer = solution(counts, lambda: rows).scorer
    with pytest.raises(InputError, match="columns"):
        scorer.joint_log_scores(rows.X[:, :5])
    arrays = {**scorer.arrays(), "tfidf_scale": np.ones(7)}
    with pytest.raises(InputError, match="number of terms"):
        EnsembleScorer.of(arrays, {})

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from textnb import Document, TextClassifier
from textnb.counts import ClassCounts, Vocabulary
from textnb.errors import InputError
from textnb.models.ensemble import mail
from textnb.models.ensemble.joining import SummedScorer, joint
from textnb.models.ensemble.presence import RatioScorer, containing_by_class, ratio_scorer
from textnb.models.logistic import nb_logistic
from textnb.models.model import Fit, Statistics
from textnb.models.prior import class_weighted
from textnb.models.rows import Labelled, dealt_folds


def made_up(n=60, n_terms=40, classes=("a", "b", "c"), seed=0):
    """Rows of which some terms tell the class."""
    random = np.random.default_rng(seed)
    y = random.integers(len(classes), size=n)
    odds = np.full((len(classes), n_terms), 0.04)
    for k in range(len(classes)):
        odds[k, 4 * k : 4 * k + 4] = 0.3
    X = sparse.csr_array((random.random((n, n_terms)) < odds[y]).astype(np.int64))
    return Labelled(classes, X, y, np.ones(n))


def test_scores_held_out_are_those_of_refitting_without_the_fold():
    rows = made_up(seed=2)  # both scores are of use
    found = mail.solution(rows, l2=0.1, stacked_from=0)
    folds = dealt_folds(rows.X, rows.y, nb_logistic.N_FOLDS)
    first, second = np.empty((2, len(rows.y), 3))
    weight = class_weighted(rows.weight, rows.y, rows.classes, "balanced")
    for fold in np.unique(folds):
        held = folds == fold
        X, y = rows.X[~held], rows.y[~held]
        ratios = ratio_scorer(containing_by_class(X, y, 3), np.bincount(y, minlength=3).astype(float))
        settings = nb_logistic.NBLogisticSettings(0.1, min_df=found.second.min_df)
        linear = nb_logistic.solution(X, y, np.ones(len(y)), weight[~held], 3, settings).scorer
        first[held], second[held] = (scorer.joint_log_scores(rows.X[held]) for scorer in (ratios, linear))
    followed = found.second.path.scores  # the path is followed roughly
    assert np.corrcoef(followed.ravel(), second.ravel())[0, 1] > 0.99
    expected = joint(np.array([first, followed]), rows.y)
    assert (expected.factors > 0).all()
    np.testing.assert_allclose(found.factors, expected.factors)
    np.testing.assert_allclose(found.left_out_scores, expected.scores(np.array([first, followed])))


def test_the_scorer_is_the_sum_of_both_scores_times_their_factors():
    rows = made_up()
    found = mail.solution(rows, l2=0.1, stacked_from=0)
    first = ratio_scorer(containing_by_class(rows.X, rows.y, 3), rows.documents).joint_log_scores(rows.X)
    second = found.second.scorer.joint_log_scores(rows.X)
    rest = found.scorer.joint_log_scores(rows.X) - found.factors[0] * first - found.factors[1] * second
    np.testing.assert_allclose(rest, np.tile(rest[0], (len(rows.y), 1)), atol=1e-9)
    assert (found.scorer.joint_log_scores(rows.X).argmax(axis=1) == rows.y).mean() > 0.8


def test_few_rows_have_the_first_score_alone():
    assert isinstance(mail.solution(made_up(60)).scorer, RatioScorer)
    assert isinstance(mail.solution(made_up(60), stacked_from=60).scorer, SummedScorer)


def test_one_class_and_classes_of_one_row_have_an_answer():
    rows = made_up(4, classes=("a",))
    assert mail.solution(rows, stacked_from=0).second is None
    lonely = Labelled(("a", "b"), sparse.csr_array([[1, 0], [0, 1]]), np.array([0, 1]), np.ones(2))
    scores = mail.solution(lonely, stacked_from=0).scorer.joint_log_scores(lonely.X)
    assert scores.argmax(axis=1).tolist() == [0, 1]


def test_renewing_counts_anew_and_keeps_what_was_fitted():
    rows, more = made_up(), made_up(80, seed=1)
    found = mail.solution(rows, l2=0.1, stacked_from=0)
    before = np.array([-1, *range(1, 40)])  # the first term of old is gone, and another has come in its place
    factor = float(found.factors[0])
    counts = ClassCounts.of(more.X, more.y)
    changed = Statistics(lambda: counts, counts, None, np.arange(40))
    scorer = mail.MODEL.renew(changed, Fit(found.scorer, facts={"first_factor": factor}), before).scorer
    first = ratio_scorer(containing_by_class(more.X, more.y, 3), more.documents).by_term
    np.testing.assert_allclose(scorer.first.by_term, factor * first)
    np.testing.assert_array_equal(scorer.first.bias, found.scorer.first.bias)
    np.testing.assert_array_equal(scorer.second.scale, [0, *found.scorer.second.scale[1:]])
    np.testing.assert_array_equal(scorer.second.weights[:, 0], [0, 0, 0])
    np.testing.assert_array_equal(scorer.second.weights[:, 1:], found.scorer.second.weights[:, 1:])


def test_a_number_of_rows_that_is_none_is_refused():
    with pytest.raises(InputError, match="stacked_from must be a number of at least 0, not -1"):
        mail.MODEL.options["stacked_from"].checked(-1)


@pytest.mark.parametrize("n_lasting", [40, 39, 20, 1, 0])
def test_the_second_score_is_that_of_rows_without_the_terms_that_age(n_lasting):
    rows = made_up(120)
    lasting = np.arange(40) < n_lasting
    found = mail.solution(rows, l2=0.1, stacked_from=0, lasting=lasting)
    cut = Labelled(rows.classes, sparse.csr_array(rows.X.toarray() * lasting), rows.y, rows.weight)
    weight = class_weighted(cut.weight, cut.y, cut.classes, "balanced")
    folds = dealt_folds(rows.X, rows.y, nb_logistic.N_FOLDS)
    settings = nb_logistic.NBLogisticSettings(0.1)
    expected = nb_logistic.solution(cut.X, cut.y, cut.weight, weight, 3, settings, folds)
    np.testing.assert_allclose(found.second.scorer.weights, expected.scorer.weights)
    np.testing.assert_allclose(found.second.path.scores, expected.path.scores)
    assert not found.second.scorer.weights[:, ~lasting].any()
    first = ratio_scorer(containing_by_class(rows.X, rows.y, 3), rows.documents).by_term
    np.testing.assert_allclose(found.scorer.first.by_term, found.factors[0] * first)  # the first score has all terms


def test_terms_of_relays_age_and_words_with_the_same_letters_do_not():
    terms = [
        "received",
        "received:example.com",
        "subject:received:x",
        "from:ann@example.com",
        "receivedx:a",
        "header:received:a",
    ]
    vocabulary = Vocabulary(terms)
    lasting = dict(zip(vocabulary.terms, mail.lasting_terms(vocabulary), strict=True))
    assert [term for term in terms if not lasting[term]] == ["received:example.com"]


def test_a_relay_changes_only_the_first_score_of_a_trained_filter():
    def mails(label, word, relay):
        return [
            Document(f"{word} {i % 7} {i % 5}", label, fields={"received": (relay,), "subject": (word,)})
            for i in range(40)
        ]

    learnt = mails("ham", "lunch", "a.example") + mails("spam", "pills", "b.example")
    recipe = replace(TextClassifier("mail", tokenizer="words").recipe, options={"stacked_from": 0})
    fitted = TextClassifier.from_recipe(recipe).fit(learnt).fitted
    scorer, terms = fitted.fit.scorer, fitted.vocabulary
    relay, subject = terms["received:b.example"], terms["subject:pills"]
    assert scorer.first.by_term[relay].any()
    assert not scorer.second.weights[:, relay].any()
    assert scorer.second.weights[:, subject].any()

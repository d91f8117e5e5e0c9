import pickle

import numpy as np
import pytest
from made_corpora import documents, recipe, tokenised

from textnb import TextClassifier
from textnb.comparison import compare, learning_curve
from textnb.comparison.cross_validation import Trial
from textnb.comparison.curve import CurveRunner, nested_order
from textnb.errors import InputError
from textnb.evaluation.splits import repeated_folds
from textnb.models.registry import MODELS

MADE = documents(45)


@pytest.mark.parametrize("model", MODELS)
def test_adding_increments_equals_fitting_each_beginning_to_the_bit(model):
    settings, corpus = recipe(model), tokenised(MADE, recipe(model))
    folds = repeated_folds(corpus.labels, corpus.groups, 3)
    found = CurveRunner({"it": settings}, corpus, folds, [6, 11, 25], 0)(Trial("it", 0, 1)).log_probabilities
    outside = np.flatnonzero(folds[0] != 1)
    order = outside[nested_order(corpus.y[outside], [corpus.digests[i] for i in outside], (0, 0, 1))]
    test = [MADE[i] for i in np.flatnonzero(folds[0] == 1)]
    for size, answers in zip([6, 11, 25], found, strict=True):
        alone = TextClassifier.from_recipe(settings).fit([MADE[i] for i in order[:size]])
        np.testing.assert_array_equal(answers, alone.predict_log_proba(test))


def test_the_last_point_is_the_cross_validated_one_where_folds_are_equal():
    single = [each for each in MADE if each.group is None][:30]
    corpus = tokenised(single)
    assert len(set(np.bincount(repeated_folds(corpus.labels, corpus.groups, 3)[0]))) == 1
    (curve,) = learning_curve({"it": recipe()}, corpus, folds=3)
    (row,) = compare({"it": recipe()}, corpus, folds=3).rows
    assert curve.points[-1].accuracy == row.measures["accuracy"]
    assert curve.points[-1].log_loss == row.measures["log_loss"]


def test_sizes_are_halves_of_all_by_default_and_can_be_given():
    corpus = tokenised(MADE)
    most = 45 - np.bincount(repeated_folds(corpus.labels, corpus.groups, 3)[0]).max()
    by_default, given = (
        [point.documents for point in learning_curve({"it": recipe()}, corpus, sizes=sizes, folds=3)[0].points]
        for sizes in (None, [20, 5, 20])
    )
    assert by_default == [most >> 3, most >> 2, most >> 1, most]
    assert given == [5, 20]


TOO_SMALL, TOO_LARGE = r"sizes must be from 3 \(one per class\) to", "size 1,000 is too large: .*; use at most"


@pytest.mark.parametrize(("size", "complaint"), [(2, TOO_SMALL), (1000, TOO_LARGE), (2.5, TOO_SMALL)])
def test_sizes_that_there_are_not_are_refused(size, complaint):
    with pytest.raises(InputError, match=complaint):
        learning_curve({"it": recipe()}, tokenised(MADE), sizes=[size], folds=3)


def test_every_beginning_of_the_order_has_its_share_of_every_class():
    y = np.repeat([0, 1, 2], [40, 15, 5])
    order = nested_order(y, [bytes([i]) for i in range(60)], (1,))
    assert sorted(order) == [*range(60)]
    assert sorted(y[order[:3]]) == [0, 1, 2]
    for size in range(3, 60):
        found = np.bincount(y[order[:size]], minlength=3)
        assert (abs(found - size * np.array([40, 15, 5]) / 60) <= 1.5).all()


def test_the_curve_is_the_same_for_the_same_seed_and_in_another_process():
    settings, corpus = {"it": recipe()}, tokenised(MADE)
    here = learning_curve(settings, corpus, sizes=[10], folds=2, seed=5)
    assert here == learning_curve(settings, corpus, sizes=[10], folds=2, seed=5)
    assert here != learning_curve(settings, corpus, sizes=[10], folds=2, seed=6)
    learner = CurveRunner(settings, corpus, repeated_folds(corpus.labels, corpus.groups, 2), [5], 0)
    sent = pickle.loads(pickle.dumps(learner))
    answers = (each(Trial("it", 0, 1)).log_probabilities for each in (learner, sent))
    np.testing.assert_array_equal(*answers)

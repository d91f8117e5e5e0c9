import json

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from textnb.errors import InputError
from textnb.evaluation import Reliability, metrics

SEEDS = range(4)


def random_answers(seed, n_documents=200):
    rng = np.random.default_rng(seed)
    y, P = rng.integers(0, 4, n_documents), rng.dirichlet(np.full(4, 0.4), n_documents)
    return y, P, P.max(axis=1), P.argmax(axis=1) == y


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bins_are_those_of_scikit_learn(seed):
    _, _, sure, right = random_answers(seed)
    table = Reliability.of(sure, right)
    accuracy, confidence = calibration_curve(right, sure, n_bins=15)
    np.testing.assert_allclose([each.accuracy for each in table.bins], accuracy, atol=1e-12)
    np.testing.assert_allclose([each.confidence for each in table.bins], confidence, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_error_is_the_calibration_error(seed):
    y, P, sure, right = random_answers(seed)
    table = Reliability.of(sure, right)
    assert table.error == pytest.approx(metrics.calibration_error(y, P), abs=1e-12)
    assert table.documents == len(y)


def test_a_bin_holds_the_documents_between_its_ends_and_the_last_one_certainty():
    table = Reliability.of(np.array([0.5, 0.74, 0.75, 1.0]), np.array([True, False, True, True]), bins=4)
    assert [(b.low, b.high, b.documents, b.accuracy) for b in table.bins] == [(0.5, 0.75, 2, 0.5), (0.75, 1.0, 2, 1.0)]
    assert table.bins[0].accuracy_interval == metrics.wilson_interval(1, 2)


def test_the_json_is_plain():
    _, _, sure, right = random_answers(0)
    table = Reliability.of(sure, right)
    again = json.loads(json.dumps(table.json, allow_nan=False))
    assert [row["documents"] for row in again] == [each.documents for each in table.bins]
    assert again == table.json


def test_no_documents_are_refused():
    with pytest.raises(InputError, match="no documents"):
        Reliability.of(np.array([]), np.array([], bool))

import numpy as np
import pytest

from textnb.evaluation.evaluation import Mistake, surest_mistakes

CLASSES = ("a", "b", "c")


@pytest.mark.parametrize("seed", range(4))
def test_the_mistakes_are_those_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(3), 40)
    labels = rng.choice([*CLASSES, "new"], 40).tolist()
    every = []
    for i, (label, row) in enumerate(zip(labels, P, strict=True)):
        predicted = CLASSES[row.argmax()]
        if predicted != label:
            every.append((-row.max(), i, label, predicted, dict(zip(CLASSES, row, strict=True)).get(label, 0.0)))
    for most in (0, 1, 7, 100):
        found = surest_mistakes(labels, np.log(P), CLASSES, most)
        assert [(m.row, m.true, m.predicted) for m in found] == [each[1:4] for each in sorted(every)[:most]]
        np.testing.assert_allclose([m.probability for m in found], [-each[0] for each in sorted(every)[:most]])
        np.testing.assert_allclose([m.probability_of_true for m in found], [each[4] for each in sorted(every)[:most]])


def test_of_equally_sure_mistakes_the_earlier_comes_first():
    found = surest_mistakes(["b", "b", "b"], np.log(np.full((3, 1), 1.0)), ["a"], 2)
    assert found == [Mistake(0, "b", "a", 1.0, 0.0), Mistake(1, "b", "a", 1.0, 0.0)]


def test_right_answers_and_no_documents_are_no_mistakes():
    assert surest_mistakes(["a"], np.zeros((1, 1)), ["a"], 5) == []
    assert surest_mistakes([], np.zeros((0, 2)), ["a", "b"], 5) == []

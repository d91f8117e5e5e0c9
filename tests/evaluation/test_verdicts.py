import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import Document
from textnb.errors import InputError
from textnb.evaluation.verdicts import Verdicts, is_thin
from textnb.readers import read_message


def test_the_two_probabilities_part_spam_good_and_unsure():
    found = Verdicts()([1, 0.99, 0.9899, 0.1001, 0.1, 0])
    assert found.tolist() == ["spam", "spam", "unsure", "unsure", "good", "good"]


@given(st.floats(0.001, 0.9999), st.integers(1, 10**6), st.booleans())
def test_thin_headers_and_few_messages_ask_for_larger_odds(p, learnt, thin):
    odds, needed = p / (1 - p), 99 * (1 + 3000 / learnt) * (3 if thin else 1)
    if abs(odds / needed - 1) > 1e-6:
        expected = "spam" if odds >= needed else "good" if p <= 0.1 else "unsure"
        assert Verdicts()(p, thin, learnt) == expected


def test_certainty_is_never_unsure_however_thin():
    assert Verdicts(thin=1000)([1.0, 0.0], thin=True, learnt=1).tolist() == ["spam", "good"]
    assert Verdicts(spam=1, good=0)([1.0, 0.999, 0.0]).tolist() == ["spam", "unsure", "good"]


def test_a_model_that_has_learnt_nothing_calls_nothing_spam_that_is_not_certain():
    assert Verdicts().spam_from(0) == 1


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"spam": 0.1}, "in order"),
        ({"spam": 1.1}, "in order"),
        ({"good": -0.1}, "good must be a number and not negative"),
        ({"spam": "0.9"}, "spam must be a number"),
        ({"thin": 0.5}, "1 or more"),
        ({"thin": np.inf}, "thin must be a number"),
        ({"few": -1}, "few must be a number"),
    ],
)
def test_what_cannot_part_them_is_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        Verdicts(**wrong)


def test_headers_are_thin_where_no_host_is_told():
    body = b"From: a@example.jp\nSubject: hello\n\nhello"
    assert is_thin(read_message(body))
    assert not is_thin(read_message(b"Received: from mx.example.jp by mail.example.jp; Fri\n" + body))
    assert is_thin(Document("hello"))

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import Document
from textnb.errors import InputError
from textnb.mail.filter import Verdicts, is_thin
from textnb.readers import read_message


def test_the_two_probabilities_part_spam_good_and_unsure():
    found = Verdicts()([1, 0.99, 0.9899, 0.1001, 0.1, 0])
    assert found.tolist() == ["spam", "spam", "unsure", "unsure", "good", "good"]


@given(st.floats(0.001, 0.9999))
def test_thin_headers_ask_for_larger_odds_to_call_it_spam(p):
    odds = p / (1 - p)
    if abs(odds / 297 - 1) > 1e-6:
        assert Verdicts()(p, thin=True) == ("spam" if odds >= 297 else "good" if p <= 0.1 else "unsure")


def test_certainty_is_never_unsure_however_thin():
    assert Verdicts(thin=1000)([1.0, 0.0], thin=True).tolist() == ["spam", "good"]
    assert Verdicts(spam=1, good=0)([1.0, 0.999, 0.0]).tolist() == ["spam", "unsure", "good"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"spam": 0.1}, "in order"),
        ({"spam": 1.1}, "in order"),
        ({"good": -0.1}, "good must be a number and not negative"),
        ({"spam": "0.9"}, "spam must be a number"),
        ({"thin": 0.5}, "1 or more"),
        ({"thin": np.inf}, "thin must be a number"),
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

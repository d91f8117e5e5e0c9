"""Decisions about mail by cut-offs: one mail and many, with and without a class of spam."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb import Document, TextClassifier
from textnb.errors import InputError
from textnb.mail.decision import Cutoffs, MailFilter, Verdict, is_thin
from textnb.mail.protocol import OTHER, SPAM, UNSURE
from textnb.readers import read_message

CLASSES = ["family", "spam", "work"]


def decided(cutoffs, p_spam, thin=False):
    """``spam``, ``good`` or ``unsure`` for probabilities of spam, where ham is the only other class."""
    p = np.asarray(p_spam, float)
    codes, unsure = cutoffs.decide(np.stack([1 - p, p], axis=1), ["ham", "spam"], thin)
    return np.where(unsure, "unsure", np.where(codes == 1, "spam", "good")).tolist()


def test_two_cutoffs_separate_spam_good_and_unsure():
    found = decided(Cutoffs("spam"), [1, 0.999, 0.9989, 0.1001, 0.1, 0])
    assert found == ["spam", "spam", "unsure", "unsure", "good", "good"]


@given(st.floats(0.001, 0.99999))
def test_spam_needs_larger_odds_where_headers_are_thin(p):
    odds = p / (1 - p)
    for least, thin in ((999, False), (2997, True)):
        if abs(odds / least - 1) > 1e-6:
            expected = "spam" if odds >= least else "good" if p <= 0.1 else "unsure"
            assert decided(Cutoffs("spam"), [p], thin) == [expected]


def test_certainty_is_never_unsure_however_thin():
    assert decided(Cutoffs("spam", thin=1000), [1, 0], thin=True) == ["spam", "good"]
    assert decided(Cutoffs("spam", spam_cutoff=1, good_cutoff=0), [1, 0.999, 0]) == ["spam", "unsure", "good"]


@pytest.mark.parametrize(
    ("p_spam", "label", "unsure"),
    [(0.999, "spam", False), (0.998, "spam", True), (0.11, "work", True), (0.1, "work", False)],
)
def test_an_unsure_decision_names_the_likeliest_class(p_spam, label, unsure):
    rest = 1 - p_spam
    [code], [is_unsure] = Cutoffs("spam").decide([[rest / 4, p_spam, rest * 3 / 4]], CLASSES)
    assert (CLASSES[code], is_unsure) == (label, unsure)


def test_good_mail_is_never_named_spam_even_where_spam_is_likeliest():
    codes, unsure = Cutoffs("spam", 0.9, 0.4).decide([[0.3, 0.4, 0.3]], CLASSES)
    assert (codes.tolist(), unsure.tolist()) == ([0], [False])


def test_where_spam_is_the_only_class_nothing_else_can_be_decided():
    codes, unsure = Cutoffs("spam").decide([[1.0], [0.05]], ["spam"])
    assert (codes.tolist(), unsure.tolist()) == ([0, 0], [False, True])


def test_without_a_class_of_spam_the_likeliest_must_be_likely_enough():
    codes, unsure = Cutoffs(unsure=0.6).decide([[0.3, 0.1, 0.6], [0.5, 0.1, 0.4], [0.4, 0.2, 0.4]], CLASSES)
    assert (codes.tolist(), unsure.tolist()) == ([2, 0, 0], [False, True, True])


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"spam_cutoff": 0.1}, "0 <= good < spam <= 1"),
        ({"spam_cutoff": 1.1}, "0 <= good < spam <= 1"),
        ({"good_cutoff": -0.1}, "good_cutoff must be a number and not negative"),
        ({"spam_cutoff": "0.9"}, "spam_cutoff must be a number"),
        ({"thin": 0.5}, "1 or more"),
        ({"thin": np.inf}, "thin must be a number"),
        ({"unsure": 2.0}, "must be a probability from 0 to 1"),
        ({"unsure": np.nan}, "unsure must be a number"),
    ],
)
def test_cutoffs_that_cannot_separate_are_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        Cutoffs("spam", **wrong)


@pytest.mark.parametrize("cutoffs", [Cutoffs(), Cutoffs(unsure=0.0), Cutoffs("spam"), Cutoffs("ham")])
@pytest.mark.parametrize("row", [[np.nan, np.nan], [np.nan, 0.0], [np.nan, 1.0], [0.0, np.nan], [1.0, np.nan]])
def test_a_probability_that_is_not_a_number_is_unsure(cutoffs, row):
    assert cutoffs.decide([row], ["ham", "spam"])[1].tolist() == [True]
    assert cutoffs.decide([[1.0, 0.0]], ["ham", "spam"])[1].tolist() == [False]


def test_the_filter_decides_about_many_mails_as_about_each():
    mails = [Document(f"cheap pills {n}", "spam") for n in range(9)] + [Document(f"lunch {n}", "ham") for n in range(9)]
    classifier = TextClassifier(tokenizer="words").fit(mails)
    filter_ = MailFilter(classifier, Cutoffs("spam", spam_cutoff=0.7, good_cutoff=0.3))
    texts = ["cheap pills", "lunch", "cheap lunch", "cheap pills cheap pills"]
    asked = [Document(text, fields={"received": ["a"] * (n % 2)}) for n, text in enumerate(texts)]
    found = filter_.decide(asked)
    assert found == [filter_.decide([mail])[0] for mail in asked]
    assert len({(verdict.label, verdict.unsure) for verdict in found}) > 1
    with pytest.raises(InputError, match="'junk' is not among the model's classes: ham, spam"):
        MailFilter(classifier, Cutoffs("junk"))


def test_codes_are_those_of_bogofilter():
    verdicts = [Verdict("spam", 1.0, False), Verdict("ham", 1.0, False), Verdict("spam", 0.6, True)]
    assert [verdict.code("spam") for verdict in verdicts] == [SPAM, OTHER, UNSURE] == [0, 1, 2]


def test_headers_are_thin_without_received_fields():
    body = b"From: a@example.jp\nSubject: hello\n\nhello"
    assert is_thin(read_message(body))
    assert not is_thin(read_message(b"Received: from mx.example.jp by mail.example.jp; Fri\n" + body))
    assert is_thin(Document("hello"))

"""Decisions by cut-offs, and the field as a mail program reads it."""

import email
from email.utils import collapse_rfc2231_value

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.mail.filter import Cutoffs, Verdict, Verdicts
from textnb.mail.protocol import OTHER, SPAM, UNSURE

CLASSES = ["family", "spam", "work"]


@pytest.mark.parametrize(
    ("p_spam", "label", "unsure", "code"),
    [
        (0.99, "spam", False, SPAM),
        (0.98, "spam", True, UNSURE),
        (0.11, "work", True, UNSURE),
        (0.1, "work", False, OTHER),
    ],
)
def test_spam_is_called_so_late_and_good_mail_early(p_spam, label, unsure, code):
    rest = 1 - p_spam
    verdict = Cutoffs("spam").verdict(CLASSES, [rest / 4, p_spam, rest * 3 / 4])
    assert (verdict.label, verdict.unsure, verdict.code("spam")) == (label, unsure, code)


def test_without_a_class_of_spam_the_likeliest_must_be_likely_enough():
    cutoffs = Cutoffs(least=0.6)
    assert cutoffs.verdict(CLASSES, [0.3, 0.1, 0.6]) == Verdict("work", 0.6, False)
    assert cutoffs.verdict(CLASSES, [0.5, 0.1, 0.4]) == Verdict("family", 0.5, True)


def test_good_mail_is_never_named_spam_even_where_spam_is_likeliest():
    assert Cutoffs("spam", Verdicts(0.9, 0.4)).verdict(CLASSES, [0.3, 0.4, 0.3]).label == "family"


def test_where_spam_is_the_only_class_nothing_else_can_be_decided():
    assert Cutoffs("spam").verdict(["spam"], [1.0]) == Verdict("spam", 1.0, False)


def test_spam_is_called_so_later_where_less_is_known():
    cutoffs, p = Cutoffs("spam", Verdicts(thin=3)), [0.0025, 0.995, 0.0025]
    assert not cutoffs.verdict(CLASSES, p).unsure
    assert cutoffs.verdict(CLASSES, p, thin=True).unsure


def test_cutoffs_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="must be a number from 0 to 1"):
        Cutoffs(least=2.0)
    with pytest.raises(InputError, match="'junk' is not among the model's classes: family, spam, work"):
        Cutoffs("junk").verdict(CLASSES, [0.2, 0.3, 0.5])


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=300))
@example("\\")
@example('"a"')
@example("<a>")
@settings(max_examples=150, deadline=None)
def test_a_mail_program_reads_any_class_name_back(label):
    field = Verdict(label, 0.5, True).field
    assert all(len(line) <= 90 for line in field.split(b"\n"))
    message = email.message_from_bytes(field.replace(b":", b": value;", 1) + b"\n\n")  # its parameters come second
    read = message.get_param("class", header="X-Textnb")
    assert collapse_rfc2231_value(read, fallback_charset="ascii") == label
    assert message.get_param("unsure", header="X-Textnb") == "yes"
    assert message.get_param("probability", header="X-Textnb") == "0.500000"


def test_names_are_plain_where_they_can_be():
    assert Verdict("spam", 1, False).field.startswith(b"X-Textnb: class=spam; ")
    assert Verdict("my mail", 1, False).field.startswith(b'X-Textnb: class="my mail"; ')
    assert Verdict("迷惑", 1, False).field.startswith(b"X-Textnb: class*=utf-8''%E8%BF%B7%E6%83%91; ")

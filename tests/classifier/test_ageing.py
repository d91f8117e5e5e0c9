"""Forgetting by date equals never having seen what is older."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from corrected_models import LABELS, TEXTS, dated
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import Document, TextClassifier
from textnb.classifier.ageing import day_before
from textnb.errors import InputError, ParameterError
from textnb.files.model_file import verify_model

DOCUMENTS = [
    replace(dated(Document(text, label), n % 12), id=str(n))
    for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
]


def trained(documents, kind="multinomial", **options):
    return TextClassifier(kind, tokenizer="words", **options).fit(documents)


def written(classifier, folder):
    classifier.save(folder / "written")
    return (folder / "written").read_bytes()


@pytest.mark.parametrize("kind", ["multinomial", "complement", "compound", "nb-logistic", "mail"])
@pytest.mark.parametrize("undated", [False, True])
def test_forgetting_what_is_older_gives_the_bytes_of_a_training_on_the_rest(tmp_path, kind, undated):
    trained(DOCUMENTS, kind).save(tmp_path / "m.textnb")
    verify_model(tmp_path / "m.textnb")
    found = TextClassifier.load(tmp_path / "m.textnb").forget_before("2002-01-07", undated=undated)
    rest = [each for each in DOCUMENTS if (not undated if each.received is None else each.received.day >= 7)]
    assert 20 < len(rest) < 40
    assert written(found, tmp_path) == written(trained(rest, kind), tmp_path)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_any_days_of_any_copies_are_forgotten_exactly(drawn, first):
    fixed = [dated(Document("always here", "ham"), 9)]
    documents = [dated(Document(f"w{n} text", "spam"), day) for n, day in drawn]
    rest = [each for each in documents if each.received is None or each.received.day >= first]
    found = trained(fixed + documents).forget_before(date(2002, 1, first))
    assert found.learnt == trained(fixed + rest).learnt
    merged = trained(fixed).merge(trained(documents)).forget_before(datetime(2002, 1, first, 13, tzinfo=UTC))
    assert merged.learnt == found.learnt


def test_the_day_is_that_of_receiving_in_utc_and_else_that_of_the_date():
    forged = Document("a", date=datetime(2030, 1, 1, tzinfo=UTC), received=datetime(2002, 1, 1, 23, tzinfo=UTC))
    assert date.fromordinal(forged.day) == date(2002, 1, 1)
    late = datetime.fromisoformat("2002-01-01T23:00:00-05:00")
    assert date.fromordinal(Document("a", received=late).day) == date(2002, 1, 2)
    assert date.fromordinal(Document("a", date=datetime(2002, 1, 3)).day) == date(2002, 1, 3)
    assert Document("a").day is None
    assert Document("a", date=datetime.min.replace(tzinfo=datetime.fromisoformat("2002-01-01T00+09").tzinfo)).day == 1


def test_documents_without_a_date_stay_and_a_model_without_dates_says_so(tmp_path):
    plain = [Document(text, label) for text, label in zip(TEXTS, LABELS, strict=True)]
    before = trained(plain)
    with pytest.raises(InputError, match=r"no document of the model has a date; .*train it again on mails"):
        before.forget_before("2002-01-07")
    assert "dates" not in before.facts()
    with_one = trained([*plain, dated(Document("old", "ham"), 2)])
    assert with_one.facts()["dates"] == {"first": "2002-01-02", "last": "2002-01-02", "documents": 1}
    assert with_one.forget_before("2003-01-01").learnt == before.learnt


def test_nothing_changes_if_nothing_is_old_or_nothing_would_be_left():
    documents = [each for each in DOCUMENTS if each.received]
    classifier = trained(documents)
    learnt = classifier.learnt
    assert classifier.forget_before("2001-12-31").learnt == learnt
    with pytest.raises(InputError, match="all 55 documents are older than 2002-02-01, so nothing would be left"):
        classifier.forget_before("2002-02-01")
    assert classifier.learnt == learnt


@pytest.mark.parametrize("sample", [0, 10])
def test_a_model_that_does_not_keep_all_documents_refuses(sample):
    with pytest.raises(InputError, match=f"keeps {sample} of 60 documents, so it does not know which .* older than"):
        trained(DOCUMENTS, sample=sample).forget_before("2002-01-07")


@pytest.mark.parametrize("day", ["yesterday", "2002-13-01", "", 5, None])
def test_a_day_that_is_none_is_one_clear_line(day):
    with pytest.raises(ParameterError, match=r"a day must be a date such as 2024-12-31, not "):
        trained(DOCUMENTS).forget_before(day)


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("1day", (2024, 3, 30)),
        ("2weeks", (2024, 3, 17)),
        ("1 month", (2024, 2, 29)),
        ("3 Months", (2023, 12, 31)),
        ("13months", (2023, 2, 28)),
        ("24months", (2022, 3, 31)),
        ("1year", (2023, 3, 31)),
    ],
)
def test_a_period_before_a_day(period, expected):
    assert day_before(date(2024, 3, 31), period) == date(*expected)


@pytest.mark.parametrize("period", ["", "0days", "24", "months", "-1day", "1.5years", "99999years", "99999weeks days"])
def test_a_period_that_is_none_is_one_clear_line(period):
    with pytest.raises(ParameterError, match=r"a period must be|there is no day"):
        day_before(date(2024, 3, 31), period)

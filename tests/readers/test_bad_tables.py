import gzip
import warnings
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError, ReadingWarning
from textnb.readers import read_corpus, read_table


def among(record):
    """A record between two good ones, as JSON lines."""
    return '{"text":"a","label":"x"}\n' + record + '\n{"text":"b","label":"y"}'


BAD_RECORDS = {
    "no text (csv)": ("csv", "text,label\na,x\n,x\nb,y\n", 3, "no text in 'text'"),
    "no label (csv)": ("csv", "text,label\na,x\nc,\nb,y\n", 3, "no label in 'label'"),
    "blank label (csv)": ("csv", "text,label\na,x\nc, \nb,y\n", 3, "no label in 'label'"),
    "no label (tsv)": ("tsv", "本文\t分類\na\tx\nc\t\nb\ty\n", 3, "no label in '分類'"),
    "short row": ("csv", "text,label\na,x\nc\nb,y\n", 3, "1 cell, but the header has 2"),
    "long row": ("csv", "text,label\na,x\nc,d,e\nb,y\n", 3, "3 cells, but the header has 2"),
    "row after a quoted line end": ("csv", 'text,label\n"a",x\n"c\nd",\nb,y\n', 4, "no label in 'label'"),
    "null text": ("jsonl", among('{"text":null,"label":"x"}'), 2, "no text"),
    "number as text": ("jsonl", among('{"text":1,"label":"x"}'), 2, "no text"),
    "null label": ("jsonl", among('{"text":"c","label":null}'), 2, "no label"),
    "NaN as label": ("jsonl", among('{"text":"c","label":NaN}'), 2, "label"),
    "list as label": ("jsonl", among('{"text":"c","label":["x"]}'), 2, "label"),
    "object as label": ("jsonl", among('{"text":"c","label":{}}'), 2, "label"),
    "key of the label absent": ("jsonl", among('{"text":"c"}'), 2, "label"),
    "key of the text absent": ("jsonl", among('{"label":"x"}'), 2, "text"),
    "empty object": ("jsonl", among("{}"), 2, "text"),
    "no JSON": ("jsonl", among('{"text":'), 2, "not JSON"),
    "no object": ("jsonl", among("[1]"), 2, "not a JSON object"),
    "deep JSON": ("jsonl", among("[" * 200_000), 2, "not JSON"),
    "long number": ("jsonl", among("9" * 9_999), 2, "not JSON"),
    "line without a label": ("lines", "__label__x a\nc d\n__label__y b\n", 2, "does not start with __label__"),
    "line with an empty label": ("lines", "__label__x a\n__label__ c\n__label__y b\n", 2, "does not start with"),
    "two labels": ("lines", "__label__x a\n__label__a __label__b hello\n__label__y b\n", 2, "more than one label"),
    "label without a text": ("lines", "__label__x a\n__label__x\n__label__y b\n", 2, "no text"),
}


def found(documents):
    return [(document.text, document.label) for document in documents]


@pytest.mark.parametrize(("kind", "content", "line", "what"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_a_bad_record_is_an_error_that_names_its_line(table, kind, content, line, what):
    documents = read_corpus(table("a.data", content), kind)
    assert found([next(documents)]) == [("a", "x")]
    with pytest.raises(InputError, match=rf"a\.data, line {line}(?: \(record 2\))?: .*{what}.*skip_bad=True"):
        list(documents)


@pytest.mark.parametrize(("kind", "content", "line", "what"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_a_bad_record_is_skipped_and_counted_where_that_is_asked_for(table, kind, content, line, what):
    with pytest.warns(
        ReadingWarning, match=rf"a\.data: 1 bad record was skipped .*line {line}(?: \(record 2\))?: .*{what}"
    ) as caught:
        documents = list(read_corpus(table("a.data", content), kind, skip_bad=True, max_skipped=0.34))
    assert found(documents) == [("a", "x"), ("b", "y")]
    assert len(caught) == 1


def test_many_bad_records_are_one_warning_that_shows_the_first_three(table):
    path = table("a.csv", "text,label\n" + "a,\n" * 100 + "b,x\n")
    shown = r"100 bad records were skipped .*line 2: .*line 3: .*line 4: [^;]*; \.\.\.\)"
    with pytest.warns(ReadingWarning, match=shown) as caught:
        assert found(read_table(path, skip_bad=True, max_skipped=1)) == [("b", "x")]
    assert len(caught) == 1


@given(good=st.integers(0, 40), bad=st.integers(0, 40), limit=st.sampled_from([None, 0, 0.1, 0.25, 0.5, 0.999, 1]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_skipping_more_than_the_stated_proportion_is_an_error_that_says_so(table, good, bad, limit):
    path = table("a.csv", "text,label\n" + "a,\n" * bad + "b,x\n" * good)
    stated = {} if limit is None else {"max_skipped": limit}
    limit = Fraction(0.1 if limit is None else limit).limit_denominator(1000)
    if bad > limit * (good + bad):
        said = (
            rf"a\.csv: {bad} of {good + bad} records are bad, .* {float(limit):g} \(.*line 2: no label .*--max-skipped"
        )
        with pytest.raises(InputError, match=said):
            list(read_table(path, skip_bad=True, **stated))
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert found(read_table(path, skip_bad=True, **stated)) == [("b", "x")] * good
        assert len(caught) == (bad > 0)


@pytest.mark.parametrize("limit", [-0.1, 1.1, 5, float("nan"), float("inf")])
def test_a_proportion_is_between_0_and_1(table, limit):
    with pytest.raises(InputError, match="max_skipped must be between 0 and 1"):
        read_table(table("a.csv", "text,label\n"), skip_bad=True, max_skipped=limit)


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "lines"])
def test_blank_lines_are_no_records(table, kind):
    records = {
        "csv": "\ntext,label\n\na,x\n\r\nb,y\n\n",
        "tsv": "\ntext\tlabel\n\na\tx\n\r\nb\ty\n\n",
        "jsonl": '\n{"text":"a","label":"x"}\n \r\n{"text":"b","label":"y"}\n\n',
        "lines": "\n__label__x a\n\r\n__label__y b\n\n",
    }
    assert found(read_corpus(table("a.data", records[kind]), kind)) == [("a", "x"), ("b", "y")]


@pytest.mark.parametrize("header", ["text,text,label", "text,label,label "])
def test_two_columns_of_one_name_are_refused_where_they_are_needed(table, header):
    with pytest.raises(InputError, match=r"a\.csv"):
        list(read_table(table("a.csv", f"{header}\n1,2,3\n")))


def test_columns_of_one_name_that_are_not_needed_do_no_harm(table):
    assert found(read_table(table("a.csv", "text,,label,\na,1,x,2\n"))) == [("a", "x")]


@pytest.mark.parametrize("content", ['text,label\na,x\n"b,y\nc,z\n', 'text,label\na,x\n"b"c,y\n'])
@pytest.mark.parametrize("skip_bad", [False, True])
def test_an_open_quotation_mark_is_an_error_that_names_a_line(table, content, skip_bad):
    with pytest.raises(InputError, match=r"a\.csv, line \d: .*quotation mark"):
        list(read_table(table("a.csv", content), skip_bad=skip_bad))


def test_a_header_of_no_use_is_refused_even_without_records(table):
    with pytest.raises(InputError, match="no text column found among foo, bar"):
        list(read_table(table("a.csv", "foo,bar\n")))


PLAIN = ("text,label\n" + "".join(f"text {i},x\n" for i in range(500))).encode()
WHOLE = gzip.compress(PLAIN)
MIDDLE = len(WHOLE) // 2
DAMAGED = [PLAIN, WHOLE + b"junk", WHOLE[:MIDDLE] + bytes([WHOLE[MIDDLE] ^ 0xFF]) + WHOLE[MIDDLE + 1 :]]
DAMAGED += [WHOLE[:keep] for keep in (5, 15, 40, -9, -1)]


@pytest.mark.parametrize("data", DAMAGED, ids=["plain", "junk after", "damaged", *["truncated"] * 5])
def test_what_is_no_whole_gzip_file_is_an_error_that_names_it(table, data):
    with pytest.raises(InputError, match=r"a\.csv\.gz: "):
        list(read_table(table("a.csv.gz", data)))


def test_undecodable_places_are_counted_where_they_are(table):
    path = table("a.csv", b"text,label\nfine,x\ncaf\xe9! \xe9!,x\n" + "良い,y\n".encode())
    with pytest.warns(ReadingWarning, match=r"1 of 3 documents .*2: 2 undecodable places in utf-8") as caught:
        documents = list(read_table(path))
    assert found(documents) == [("fine", "x"), ("caf\ufffd! \ufffd!", "x"), ("良い", "y")]
    assert [document.defects for document in documents] == [(), ("2 undecodable places in utf-8",), ()]
    assert len(caught) == 1


def test_an_undecodable_label_does_not_become_a_class_without_a_word(table):
    path = table("a.csv", b"text,label\nfine,x\nb,caf\xe9\n")
    with pytest.warns(ReadingWarning, match=r"1 of 2 documents"):
        documents = list(read_table(path))
    assert len(documents[1].defects) == 1


def test_a_broken_place_late_in_a_file_with_a_byte_order_mark_is_counted(table):
    path = table("a.csv", b"\xef\xbb\xbftext,label\n" + b"a,b\n" * 100_000 + b"x\xffy,z\n")
    with pytest.warns(ReadingWarning, match=r"1 of 100001 documents"):
        assert list(read_table(path))[-1].defects == ("1 undecodable place in utf-8-sig",)


def test_replacement_characters_that_are_in_the_file_are_no_defect(table):
    (document,) = read_table(table("a.csv", "text,label\nold \ufffd damage,x\n"))
    assert document.defects == ()


def test_a_stray_byte_in_a_cp932_table_is_counted(table):
    rows = "text,label\n今日は晴れです。,a\n".encode("cp932") + "明日は".encode("cp932") + b"\xff,b\n"
    path = table("a.csv", rows)
    with pytest.warns(ReadingWarning, match="1 of 2 documents could not be decoded completely"):
        documents = list(read_table(path))
    assert documents[1].text == "明日は\ufffd"

import csv
import gzip
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.readers import Settings, open_input, read_corpus, read_lines, read_table

same_file_again = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
texts = st.text(min_size=1).filter(str.strip)
labels = st.text(min_size=1).filter(lambda label: label == label.strip())
rows = st.lists(st.tuples(texts, labels), max_size=6)


def found(documents):
    return [(document.text, document.label) for document in documents]


def written(header, records, delimiter=","):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows([header, *records])
    return out.getvalue()


@given(records=rows)
@same_file_again
def test_what_the_csv_module_writes_comes_back(table, records):
    path = table("a.csv", written(("text", "label"), records))
    assert found(read_table(path)) == records


@given(records=rows, ascii_only=st.booleans())
@same_file_again
def test_what_the_json_module_writes_comes_back(table, records, ascii_only):
    lines = [json.dumps({"text": text, "label": label}, ensure_ascii=ascii_only) for text, label in records]
    assert found(read_table(table("a.jsonl", "\n".join(lines)))) == records


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp932", "euc_jp", "iso2022_jp"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "lines"])
def test_every_kind_in_every_encoding_with_either_line_end(table, kind, zipped, end, codec):
    records = [("今日は、良い天気。", "天気"), ("表を見る,能力", "仕事")]
    lines = {
        "csv": ["text,label", *(f'"{text}",{label}' for text, label in records)],
        "tsv": ["text\tlabel", *(f"{text}\t{label}" for text, label in records)],
        "jsonl": [json.dumps({"text": text, "label": label}, ensure_ascii=False) for text, label in records],
        "lines": [f"__label__{label} {text}" for text, label in records],
    }
    data = "".join(line + end for line in lines[kind]).encode(codec)
    path = table(f"a.{kind}{'.gz' * zipped}", gzip.compress(data) if zipped else data)
    assert found(read_corpus(path, kind)) == records


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_named_utf_16_and_utf_32_need_no_byte_order_mark(table, encoding, end, name):
    texts = ["一行目", "上から 二行目", "", "三行目"]
    codec = encoding if encoding.endswith("e") else f"{encoding}-le"
    data = end.join(texts).encode(codec)
    path = table(name, gzip.compress(data) if name.endswith(".gz") else data)
    settings = Settings(encoding=encoding, labelled=False)
    assert [document.text for document in open_input(path, "lines", settings).documents()] == texts
    assert [document.text for document in read_lines(io.BytesIO(data), settings)] == texts


def test_records_after_several_pieces_of_ascii_are_read_in_their_encoding(table):
    filler = b"a,b\n" * (4 * 2**16 // 4)  # the file is looked through in pieces of 64 KiB
    data = b"text,label\n" + filler + "今日は良い天気です,天気\n".encode("cp932") + filler
    assert ("今日は良い天気です", "天気") in found(read_table(table("a.csv", data)))


def test_quoted_cells_hold_line_ends_delimiters_and_quotation_marks(table):
    path = table("a.csv", 'text,label\n"one\ntwo\r\nthree, ""four""",x\nfive,y\n')
    documents = list(read_table(path))
    assert found(documents) == [('one\ntwo\r\nthree, "four"', "x"), ("five", "y")]
    assert [document.id for document in documents] == ["1", "2"]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_a_cell_may_be_longer_than_the_csv_modules_limit(table, kind):
    text = "長い文章" * 60_000 + "\n"
    lines = {
        "csv": written(("text", "label"), [(text, "x")]),
        "tsv": written(("text", "label"), [(text, "x")], "\t"),
        "jsonl": json.dumps({"text": text, "label": "x"}),
    }
    assert found(read_table(table(f"a.{kind}", lines[kind]))) == [(text, "x")]


@pytest.mark.parametrize(
    "header",
    ["Text,LABEL", "label,text", "body,class", "content,category", "本文,ラベル", " text , 分類 "],
)
def test_common_names_of_columns_are_guessed(table, header):
    record = "x,hello" if header.startswith("label") else "hello,x"
    assert found(read_table(table("a.csv", f"{header}\n{record}\n"))) == [("hello", "x")]


def test_the_more_common_name_goes_first(table):
    path = table("a.csv", "content,text,target,label\n1,2,3,4\n")
    assert found(read_table(path)) == [("2", "4")]


@pytest.mark.parametrize(("text", "label"), [("記事", "種類"), ("Headline", "Kind"), ("headline", "kind")])
def test_given_names_of_columns_go_before_common_ones(table, text, label):
    path = table("a.csv", "text,label,記事,種類,Headline,Kind\n1,2,良い,天気,良い,天気\n")
    assert found(read_table(path, text=text, label=label)) == [("良い", "天気")]


@pytest.mark.parametrize(("name", "expected"), [("Text", "upper"), ("text", "lower")])
def test_a_column_given_exactly_goes_before_one_that_differs_in_case(table, name, expected):
    path = table("a.csv", "Text,text,label\nupper,lower,x\n")
    assert found(read_table(path, text=name)) == [(expected, "x")]


@pytest.mark.parametrize("what", ["text", "label"])
def test_a_given_column_that_is_not_there_is_refused_with_the_columns_there_are(table, what):
    path = table("a.csv", "text,label\nhello,x\n")
    with pytest.raises(InputError, match=rf"a\.csv: no column 'nope' among text, label; .*--{what}"):
        list(read_table(path, **{what: "nope"}))


@pytest.mark.parametrize(("header", "what"), [("foo,label", "text"), ("text,foo", "label")])
def test_a_column_that_cannot_be_guessed_is_refused_with_the_columns_there_are(table, header, what):
    with pytest.raises(InputError, match=f"no {what} column found among {header.replace(',', ', ')}"):
        list(read_table(table("a.csv", f"{header}\na,b\n")))


def test_a_huge_number_of_columns_is_read_and_not_all_listed_in_an_error(table):
    names = [f"column{i}" for i in range(5_000)]
    path = table("a.csv", ",".join([*names, "text", "label"]) + "\n" + "1," * 5_000 + "hello,x\n")
    assert found(read_table(path)) == [("hello", "x")]
    with pytest.raises(InputError, match=r"'nope'.*column0, column1") as refused:
        list(read_table(path, text="nope"))
    assert len(str(refused.value)) < 2_000


def test_ids_are_the_id_column_or_the_number_of_the_record(table):
    assert [d.id for d in read_table(table("a.csv", "id,text,label\nn1,a,x\nn2,b,y\n"))] == ["n1", "n2"]
    assert [d.id for d in read_table(table("b.csv", "text,label\na,x\n\nb,y\n"))] == ["1", "2"]
    assert [d.id for d in read_table(table("c.jsonl", '{"ID": 7, "text": "a", "label": "x"}\n'))] == ["7"]


@pytest.mark.parametrize(
    "content", ['{"id": null, "text": "a", "label": "x"}\n', '{"id": "", "text": "a", "label": "x"}']
)
def test_a_record_with_an_empty_id_is_called_by_its_line(table, content):
    assert [document.id for document in read_table(table("a.jsonl", content))] == ["1"]


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("csv", "id,text\n1,a\n2,\n3,b\n4,\n"),
        ("tsv", 'id\ttext\n1\ta\n2\t\n3\tb\n4\t""\n'),
        ("jsonl", '{"id":1,"text":"a"}\n{"id":2,"text":""}\n{"id":3,"text":"b"}\n{"id":4,"text":null}\n'),
    ],
)
def test_an_empty_cell_is_a_document_in_its_place(table, kind, content):
    documents = list(open_input(table(f"a.{kind}", content), None, Settings(labelled=False)).documents())
    assert [(document.id, document.text) for document in documents] == [("1", "a"), ("2", ""), ("3", "b"), ("4", "")]


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_an_empty_line_is_a_document_where_a_record_has_one_cell(table, kind):
    documents = list(open_input(table(f"a.{kind}", 'text\n\na\n""\n\n'), None, Settings(labelled=False)).documents())
    assert [(d.id, d.text) for d in documents] == [("1", ""), ("2", "a"), ("3", ""), ("4", "")]


def test_the_group_column_is_the_group(table):
    groups = [document.group for document in read_table(table("a.csv", "text,label,group\na,x,g1\nb,y,\n"))]
    assert groups == ["g1", None]


@pytest.mark.parametrize(("value", "label"), [("1", "1"), ("-0.5", "-0.5"), ("0", "0"), ('"01"', "01")])
def test_numbers_are_labels_as_they_are_written(table, value, label):
    assert found(read_table(table("a.jsonl", f'{{"text": "a", "label": {value}}}'))) == [("a", label)]
    assert found(read_table(table("a.csv", f"text,label\na,{value}\n"))) == [("a", label)]


@given(records=rows)
@same_file_again
def test_fasttext_lines_come_back(table, records):
    def joined(string):
        return "-".join(string.split()) or "-"

    records = [(" ".join(text.split()), joined(label)) for text, label in records]
    records = [(text.replace("\x00", ""), label) for text, label in records if text.replace("\x00", "")]
    content = "".join(f"__label__{label} {text}\n" for text, label in records)
    assert found(read_corpus(table("a.txt", content), "lines")) == records


def test_a_tab_ends_a_fasttext_label_too(table):
    assert found(read_corpus(table("a.txt", "__label__x\thello world\n"), "lines")) == [("hello world", "x")]


def test_lines_of_a_stream_are_decoded_one_by_one():
    lines = ["__label__ja こんにちは\n".encode("cp932"), b"\n", "今日は\r\n".encode("iso2022_jp"), b"caf\xe9!"]
    documents = list(read_lines(io.BytesIO(b"".join(lines)), Settings(labelled=False)))
    assert found(documents) == [("こんにちは", "ja"), ("", None), ("今日は", None), ("caf\ufffd!", None)]
    assert [document.id for document in documents] == ["1", "2", "3", "4"]
    assert documents[3].defects == ("1 undecodable place in utf-8",)

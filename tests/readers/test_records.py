"""Columns of tables: which are text, label and id, and what a record becomes."""

import pytest

from textnb import read_corpus
from textnb.errors import InputError, ReadingWarning, did_you_mean
from textnb.readers import read_table

INQUIRIES = "受付番号,件名,本文,担当部署\nA-1,返品,箱が割れた,配送\nA-2,,領収書がほしい,経理\n"


@pytest.fixture
def inquiries(tmp_path):
    path = tmp_path / "問い合わせ.csv"
    path.write_bytes(INQUIRIES.encode("cp932"))
    return path


@pytest.mark.parametrize("text", ["件名,本文", ["件名", "本文"], ["件名,本文"], "件名, 本文"])
def test_several_text_columns_are_one_text_in_their_order(inquiries, text):
    documents = list(read_table(inquiries, text=text, label="担当部署", id="受付番号"))
    assert [(d.id, d.text, d.label) for d in documents] == [
        ("A-1", "返品\n箱が割れた", "配送"),
        ("A-2", "領収書がほしい", "経理"),
    ]
    first, *_ = read_table(inquiries, text="本文,件名", label="担当部署")
    assert (first.id, first.text) == ("1", "箱が割れた\n返品")


def test_a_document_has_all_cells_of_its_record(inquiries):
    _, second = read_table(inquiries, text="本文", label="担当部署")
    assert second.columns == {"受付番号": "A-2", "件名": "", "本文": "領収書がほしい", "担当部署": "経理"}


def test_a_name_with_a_comma_is_one_column(tmp_path):
    (tmp_path / "a.csv").write_text('"x,y",x,label\na,b,c\n')
    assert [d.text for d in read_table(tmp_path / "a.csv", text="x,y")] == ["a"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "本文", "label": "担当部所"}, "no column '担当部所' among 受付番号, .*; did you mean '担当部署'\\?"),
        ({"text": "件名,本分", "label": "担当部署"}, "no column '本分' among .*; did you mean '本文'\\?"),
        ({"text": "本文", "label": "担当部署", "id": "受付番"}, "no column '受付番' .*; did you mean '受付番号'\\?"),
        ({"text": "本文", "label": "zzz"}, "no column 'zzz' among .*; name it with --label or label="),
        ({"text": ["本文", "本文"], "label": "担当部署"}, "the text column '本文' is named twice"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(inquiries, options, message):
    with pytest.raises(InputError, match=message):
        list(read_table(inquiries, **options))


def test_case_and_width_do_not_matter_for_the_nearest_name():
    assert did_you_mean("ＬＡＢＥＬ", ["text", "label"]) == "did you mean 'label'?"
    assert did_you_mean("zzz", ["text", "label"]) == did_you_mean("a", []) == ""


def test_a_record_is_bad_only_if_all_its_text_columns_are_empty(tmp_path):
    (tmp_path / "a.csv").write_text("q1,q2,label\na,,x\n,b,x\n,,x\n")
    with pytest.raises(InputError, match="line 4: no text in 'q1' or 'q2'"):
        list(read_table(tmp_path / "a.csv", text="q1,q2"))


def test_rows_of_empty_cells_are_no_records(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\na,x\n,\nb,y\n,\n")
    assert [(d.id, d.text) for d in read_table(tmp_path / "a.csv")] == [("1", "a"), ("2", "b")]


def test_no_column_is_lost_where_names_repeat(tmp_path):
    (tmp_path / "a.csv").write_text("text,note,note,label\na,1,2,x\n")
    (document,) = read_table(tmp_path / "a.csv")
    assert document.columns == {"text": "a", "note": "1", "note_2": "2", "label": "x"}
    with pytest.raises(InputError, match="there are two columns 'note'"):
        list(read_table(tmp_path / "a.csv", text="note"))


def test_several_corpora_patterns_and_folders_of_tables_are_read_one_after_the_other(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "b.csv").write_text("text,label\nb,x\n")
    (folder / "a.tsv").write_text("text\tlabel\na\tx\n")
    (folder / "~$b.xlsx").write_bytes(b"lock file of Excel")
    lines = tmp_path / "train.txt"
    lines.write_text("__label__y c d\n")
    assert [d.text for d in read_corpus(folder)] == ["a", "b"]
    assert [d.text for d in read_corpus([lines, folder / "*.csv", folder])] == ["c d", "b", "a", "b"]
    assert [d.text for d in read_corpus(folder, "csv")] == ["b"]
    with pytest.raises(InputError, match=r"\*\.jsonl matches no file"):
        read_corpus(str(folder / "*.jsonl"))
    (folder / "corpus.toml").write_text('[reader]\ntext = "label"\nlabel = "text"\n')
    assert [d.text for d in read_corpus(folder)] == ["x", "x"]


def test_labels_come_from_a_header_field_of_mails(tmp_path):
    labels = ["Inbox,Opened,仕事", "=?UTF-8?B?5Y+X5L+h44OI44Os44KkLOWutuaXjw==?=", "Unread,Category Promotions", "A,B"]
    mbox = "".join(
        f"From a@example.jp Thu Jan  1 00:00:00 2026\nX-Gmail-Labels: {each}\nSubject: s{i}\n\nbody\n\n"
        for i, each in enumerate(labels)
    )
    (tmp_path / "all.mbox").write_text(mbox)
    read = read_corpus(tmp_path / "all.mbox", label="header:x-gmail-labels", skip_bad=True, max_skipped=0.5)
    with pytest.warns(ReadingWarning) as caught:
        documents = list(read)
    assert [(d.label, d.text.split()[0]) for d in documents] == [("仕事", "s0"), ("家族", "s1")]
    assert "1 bad record was skipped" in str(caught[0].message) and "A, B" in str(caught[0].message)
    assert "1 message has no label in that header field" in str(caught[1].message)
    assert not any("gmail" in token.lower() for d in documents for tokens in d.fields.values() for token in tokens)

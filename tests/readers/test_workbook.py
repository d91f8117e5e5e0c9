"""Excel workbooks, written by openpyxl: sheets, kinds of cells, and files that cannot be read."""

import zipfile
from datetime import date, datetime

import openpyxl
import pytest

from textnb.errors import InputError, ReadingWarning
from textnb.readers import read_table
from textnb.readers.corpus import open_corpus


@pytest.fixture
def workbook(tmp_path):
    def write(**sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
        path = tmp_path / "a.xlsx"
        book.save(path)
        return path

    return write


ROWS = [["番号", "本文", "部署"], [1, "箱が割れた", "配送"], [2, "領収書", "経理"]]


def test_a_sheet_is_chosen_by_name_or_number_and_the_first_is_read_with_a_warning(workbook):
    path = workbook(一月=ROWS, 二月=[["本文", "部署"], ["届かない", "配送"]])
    with pytest.warns(ReadingWarning, match="has 2 sheets; read the first, '一月'; --sheet or sheet= .* 一月, 二月"):
        assert [d.text for d in read_table(path, label="部署")] == ["箱が割れた", "領収書"]
    for sheet in ("二月", 2, "2"):
        assert [d.text for d in read_table(path, label="部署", sheet=sheet)] == ["届かない"]
    for sheet in ("三月", 3, 0):
        with pytest.raises(InputError, match=r"has no sheet .* among 一月, 二月; "):
            list(read_table(path, label="部署", sheet=sheet))


def test_numbers_dates_and_truth_values_are_text_and_stay_cells(workbook):
    path = workbook(
        s=[["本文", "部署"], [12, 1], [0.5, 2], [date(2026, 11, 18), 2], [datetime(2026, 1, 2, 9, 30), 2], [True, "x"]]
    )
    documents = list(read_table(path, label="部署"))
    assert [d.text for d in documents] == ["12", "0.5", "2026-11-18", "2026-01-02 09:30:00", "TRUE"]
    assert [d.label for d in documents] == ["1", "2", "2", "2", "x"]
    assert documents[0].columns == {"本文": 12, "部署": 1}


def test_empty_rows_and_columns_are_left_out_and_the_header_may_come_later(workbook):
    path = workbook(s=[[], [None, "本文", "部署", None], [None, "a", "x"], [], [None, "b", "y"]])
    documents = list(read_table(path, label="部署"))
    assert [(d.id, d.text, dict(d.columns)) for d in documents] == [
        ("1", "a", {"本文": "a", "部署": "x"}),
        ("2", "b", {"本文": "b", "部署": "y"}),
    ]
    assert open_corpus(path).columns() == ["本文", "部署"]


def test_a_bad_record_is_named_by_its_row(workbook):
    path = workbook(s=[[], *ROWS, [3, "空", None]])
    with pytest.raises(InputError, match=r"a\.xlsx, row 5 \(record 3\): no label in '部署'"):
        list(read_table(path, label="部署"))


def test_a_merged_header_is_one_clear_line(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["問い合わせ一覧"])
    book.active.merge_cells("A1:C1")
    for row in ROWS:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match=r"sheet 'Sheet', row 1: column B has cells but no name; .* merged cells"):
        list(read_table(tmp_path / "a.xlsx"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "is encrypted, or an old .xls file; save it in Excel as"),
        (b"PK\x03\x04broken", "cannot be read as .xlsx .*; open it in a spreadsheet program and save it again"),
        (b"text,label\na,x\n", "cannot be read as .xlsx"),
        (b"", "cannot be read as .xlsx"),
    ],
)
def test_a_damaged_or_encrypted_file_is_one_clear_line(tmp_path, content, message):
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        list(read_table(tmp_path / "a.xlsx"))
    assert "\n" not in str(caught.value)


def test_a_damaged_member_is_one_clear_line(workbook, tmp_path):
    path = workbook(s=ROWS)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data[: len(data) // 2] if "sheet1" in name else data)
    with pytest.raises(InputError, match=r"b\.xlsx cannot be read as \.xlsx"):
        list(read_table(tmp_path / "b.xlsx", label="部署"))


def test_an_empty_workbook_has_no_documents(workbook):
    assert list(read_table(workbook(s=[]))) == []

"""Tables that are written: every format keeps what was read, text is text, and a failure leaves nothing."""

import csv
import json
from datetime import date, datetime

import openpyxl
import pytest

from textnb.errors import InputError, ParameterError, ReadingWarning
from textnb.files import table_file
from textnb.files.table_file import TableStyle, added_names, table_writer
from textnb.readers import read_table

HOSTILE = ["=1+1", "+81-3-1234", "-x", "@SUM(A1)", "\t=1", "https://example.jp", "007", "1e3", 'a "b", c\td', "一\n二"]


def write(path, rows, columns=("text", "label", "probability"), style=None):
    with table_writer(path, columns, style) as write_row:
        for kept, added in rows:
            write_row(kept, added)
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "xlsx"])
def test_every_format_is_read_again_as_it_was_written(tmp_path, suffix):
    path = write(tmp_path / f"a.{suffix}", [([text], ["x", 0.98765]) for text in HOSTILE])
    documents = list(read_table(path))
    assert [document.text for document in documents] == HOSTILE
    shown = {"csv": "0.9877", "tsv": "0.9877", "jsonl": 0.98765, "xlsx": 0.98765}[suffix]
    assert {document.columns["probability"] for document in documents} == {shown}


def test_text_in_a_workbook_is_never_a_formula_a_link_or_a_number(tmp_path):
    path = write(tmp_path / "a.xlsx", [([text], ["=x", 0.5]) for text in HOSTILE])
    sheet = openpyxl.load_workbook(path).active
    assert {cell.data_type for row in sheet.iter_rows(min_row=2, max_col=2) for cell in row} == {"s"}
    assert not any(cell.hyperlink for row in sheet.iter_rows() for cell in row)
    assert sheet["C2"].value == 0.5 and sheet["C2"].number_format == "0.0000"


def test_safe_cells_puts_an_apostrophe_before_formulas_only(tmp_path):
    cells = [*HOSTILE[:5], "-5", "+1,000.5%", "a=b"]
    for style, expected in (
        (None, cells),
        (TableStyle(safe_cells=True), [f"'{each}" for each in cells[:5]] + cells[5:]),
    ):
        path = write(tmp_path / "a.csv", [([text], ["x", 0.5]) for text in cells], style=style)
        with path.open(encoding="utf-8", newline="") as stream:
            assert [row[0] for row in list(csv.reader(stream))[1:]] == expected


def test_line_ends_within_cells_stay_in_csv_and_are_lf_in_a_workbook(tmp_path):
    rows = [(["a\rb\r\nc\n"], ["x", 0.5])]
    assert [d.text for d in read_table(write(tmp_path / "a.csv", rows))] == ["a\rb\r\nc\n"]
    assert [d.text for d in read_table(write(tmp_path / "a.xlsx", rows))] == ["a\nb\nc\n"]


def test_digits_and_byte_order_mark(tmp_path):
    rows = [(["a"], ["x", 2 / 3]), (["b"], ["y", 1.0]), (["c"], ["z", 7])]
    data = write(tmp_path / "a.csv", rows, style=TableStyle(digits=2, bom=True)).read_bytes()
    assert data == b"\xef\xbb\xbftext,label,probability\r\na,x,0.67\r\nb,y,1.00\r\nc,z,7\r\n"
    assert (
        write(tmp_path / "a.tsv", rows, style=TableStyle(digits=0))
        .read_bytes()
        .endswith(b"a\tx\t1\r\nb\ty\t1\r\nc\tz\t7\r\n")
    )


def test_cells_keep_their_kind(tmp_path):
    kept = [date(2026, 11, 18), datetime(2026, 1, 2, 9, 30), 12.0, 12.5, True, None, 2**60, {"a": [1]}]
    columns = [str(n) for n in range(len(kept))]
    text = ["2026-11-18", "2026-01-02 09:30:00", "12", "12.5", "TRUE", "", str(2**60), '{"a": [1]}']
    with write(tmp_path / "a.csv", [(kept, [])], columns).open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream))[1] == text
    record = json.loads(write(tmp_path / "a.jsonl", [(kept, [])], columns).read_text())
    assert list(record.values()) == [*text[:2], 12.0, 12.5, True, None, 2**60, {"a": [1]}]
    sheet = openpyxl.load_workbook(write(tmp_path / "a.xlsx", [(kept, [])], columns)).active
    cells = [cell.value for cell in sheet[2]]
    assert cells == [
        datetime(2026, 11, 18),
        datetime(2026, 1, 2, 9, 30),
        12,
        12.5,
        True,
        None,
        str(2**60),
        '{"a": [1]}',
    ]


def test_infinity_is_null_in_json_and_text_in_a_workbook(tmp_path):
    rows = [([], [float("inf"), float("nan")])]
    assert json.loads(write(tmp_path / "a.jsonl", rows, ["a", "b"]).read_text()) == {"a": None, "b": None}
    assert [cell.value for cell in openpyxl.load_workbook(write(tmp_path / "a.xlsx", rows, ["a", "b"])).active[2]] == [
        "inf",
        "nan",
    ]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "xlsx"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, suffix):
    path = write(tmp_path / f"a.{suffix}", [(["old"], ["x", 0.5])])
    before = path.read_bytes()

    def fail():
        yield ["new"], ["y", 0.5]
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        write(path, fail())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_cell_too_long_for_a_workbook_is_cut_and_counted(tmp_path):
    with pytest.warns(ReadingWarning, match=r"1 cells were cut to 32,767 characters"):
        path = write(tmp_path / "a.xlsx", [(["あ" * 40_000], ["x", 0.5]), (["😀" * 16_000], ["y", 0.5])])
    first, second = read_table(path)
    assert (first.text, second.text) == ("あ" * 32_767, "😀" * 16_000)


def test_too_many_rows_for_a_sheet_are_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.setattr(table_file, "_MAX_ROWS", 3)
    with pytest.raises(InputError, match=r"a\.xlsx: a sheet holds 3 rows; write \.csv instead"):
        write(tmp_path / "a.xlsx", [(["a"], ["x", 0.5])] * 3)
    assert not list(tmp_path.iterdir())


def test_a_name_without_a_known_suffix_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"a\.ods: the name must end in one of \.csv, \.tsv"):
        write(tmp_path / "a.ods", [])


def test_added_columns_never_replace_others():
    assert added_names(["label", "textnb_label"], ["label", "p"]) == ["textnb_textnb_label", "p"]
    assert added_names([], ["id", "id"]) == ["id", "textnb_id"]

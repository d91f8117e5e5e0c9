import csv
import io
import re
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.readers import read_table
from textnb.readers.columns import read_columns
from textnb.readers.tables import csv_records

same_file_again = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
LINE_ENDS = ["\n", "\r\n", "\r"]
TEXTS = st.text(st.sampled_from("\"a,'\u3000日\n\r ") | st.characters(codec="utf-8")).map(
    lambda t: t.replace("\t", " ")
)
LABELS = TEXTS.filter(str.strip)


def found(documents):
    return [(document.text, document.label) for document in documents]


def records(content):
    return list(csv_records("a.tsv", io.StringIO(content, newline=""), "\t"))


def as_excel_writes(rows):
    out = io.StringIO(newline="")
    csv.writer(out, "excel-tab").writerows(rows)
    return out.getvalue()


@given(rows=st.lists(st.tuples(TEXTS.filter(bool), LABELS), max_size=8), codec=st.sampled_from(["utf-8", "utf-16"]))
@same_file_again
def test_cells_with_line_ends_and_quotation_marks_come_back(table, rows, codec):
    path = table("a.tsv", as_excel_writes([("text", "label"), *rows]).encode(codec))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found(read_table(path)) == rows


@given(
    st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n), min_size=1)),
    st.sampled_from(["excel-tab", "unix"]),
)
def test_any_number_of_columns_comes_back_whatever_is_quoted(rows, dialect):
    out = io.StringIO(newline="")
    csv.writer(out, dialect, delimiter="\t").writerows(rows)
    assert [cells for _, cells in records(out.getvalue())] == rows


UNQUOTED_CELLS = st.text(st.sampled_from('"" ab')).filter(lambda cell: not re.fullmatch('"(?:[^"]|"")*"', cell))


@given(
    st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(UNQUOTED_CELLS, min_size=n, max_size=n), min_size=1)),
    st.sampled_from(LINE_ENDS),
)
def test_quotation_marks_of_a_file_without_quoting_join_no_records(rows, end):
    header = [f"column{i}" for i in range(len(rows[0]))]
    content = "".join("\t".join(cells) + end for cells in [header, *rows])
    assert records(content) == [(number, cells) for number, cells in enumerate([header, *rows], 1)]


QUOTED = re.compile(r'"((?:[^"]|"")*)"(?=\t|\r|\n|\Z)')
PLAIN = re.compile(r"[^\t\r\n]*")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def by_the_rules(content):
    """Records by the rules in the docstring of `tables`, from the whole text."""
    read, at, width = [], 0, None
    while at < len(content):
        cells = []
        while True:
            cell = QUOTED.match(content, at)
            if cell is not None:
                first = max(content.rfind("\n", 0, at), content.rfind("\r", 0, at)) + 1
                last = LINE.match(content, cell.end()).end()
                lines = [line for line in LINE.findall(content[first:last]) if line]
                whole = sum(line.count("\t") + 1 == width for line in lines)
                if width is not None and width > 1 and (whole > 1 if len(lines) > 1 else whole and "\t" in cell[0]):
                    cell = None
            cell = cell or PLAIN.match(content, at)
            cells.append(cell[1].replace('""', '"') if cell.re is QUOTED else cell[0])
            at = cell.end() + 1
            if content[cell.end() : at] != "\t":
                break
        at += content[cell.end() : at + 1] == "\r\n"
        width = width or (len(cells) if content[: cell.end()].strip("\r\n") else None)
        read.append(cells)
    return read


PIECES = ['"', "a", "\t", "\n", "\r\n", "\r", '""', '"a"', '\t"', '"\t', '\n"', '"\n', "x\ty\n"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
@settings(max_examples=400)
@pytest.mark.parametrize("header", ["", "x\ty\n", "x\ty\tz\r\n"])
def test_records_are_those_of_the_rules(header, content):
    expected = [[] if cells == [""] else cells for cells in by_the_rules(header + content)]
    assert [[] if cells == [""] else cells for _, cells in records(header + content)] == expected


def test_the_line_of_a_record_is_its_last_one():
    content = 'text\tlabel\r\n"a\nb\n""c"""\tx\r\nd\ty\r\n\r\ne "f" g\tz'
    assert records(content) == [
        (1, ["text", "label"]),
        (4, ['a\nb\n"c"', "x"]),
        (5, ["d", "y"]),
        (6, []),
        (7, ['e "f" g', "z"]),
    ]


@pytest.mark.parametrize("end", LINE_ENDS)
@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_a_quotation_mark_that_is_not_closed_joins_no_records(end, n):
    content = end.join(["text\tlabel", '"open\tx', *["more\ty"] * n])
    assert [cells for _, cells in records(content)] == [["text", "label"], ['"open', "x"], *[["more", "y"]] * n]


def test_a_table_in_a_cell_is_an_error_that_names_its_line_not_other_records(table):
    path = table("a.tsv", 'text\tlabel\n"a\tb\nc\td\ne\tf"\tx\n')
    with pytest.raises(InputError, match=r"a\.tsv, line 4: 3 cells, but the header has 2"):
        found(read_table(path))


@pytest.mark.parametrize("header", ["text\n", "text\tlabel\n"])
@pytest.mark.parametrize(
    "line", ['"\n', '"a\n', '""\n', '"""\n', 'x\t"\n', 'x\t"a\n', '"\t"\n', '"a""\tx\n', '""a\t"\n']
)
def test_many_quotation_marks_take_time_in_proportion(never_hangs, header, line):
    assert records(header + line * 50_000)[0][0] == 1


def test_a_table_of_categories_has_the_same_quoting(table):
    path = table("a.tsv", 'sky\theat\tplay\n"sun\nny"\t"ho""t"\tno\n5" wide\thot\tyes\n')
    assert read_columns(path, label="play").X.tolist() == [["sun\nny", 'ho"t'], ['5" wide', "hot"]]

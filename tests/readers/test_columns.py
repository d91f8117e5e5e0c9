import gzip

import numpy as np
import pytest

from textnb.errors import InputError, ReadingWarning
from textnb.readers import read_columns

PLAY = "sky,heat,play\nsun,hot,no\nrain,cool,yes\n"


@pytest.fixture
def table(tmp_path):
    def write(name, content, encoding="utf-8"):
        path = tmp_path / name
        data = content.encode(encoding) if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def plain(columns):
    return columns.X.tolist(), None if columns.y is None else columns.y.tolist(), columns.names


@pytest.mark.parametrize("label", ["play", 2, -1])
def test_a_label_is_given_by_name_or_number(table, label):
    expected = ([["sun", "hot"], ["rain", "cool"]], ["no", "yes"], ("sky", "heat"))
    assert plain(read_columns(table("a.csv", PLAY), label)) == expected
    assert plain(read_columns(str(table("a.csv", PLAY)), label=label)) == expected


@pytest.mark.parametrize(("label", "names"), [("sky", ("heat", "play")), ("heat", ("sky", "play"))])
def test_the_other_columns_keep_their_order(table, label, names):
    found = read_columns(table("a.csv", PLAY), label)
    assert found.names == names
    assert found.X.shape == (2, 2)
    assert found.X.dtype == object


def test_without_a_label_every_column_is_a_feature(table):
    X = [["sun", "hot", "no"], ["rain", "cool", "yes"]]
    assert plain(read_columns(table("a.csv", PLAY))) == (X, None, ("sky", "heat", "play"))


def test_without_a_header_columns_are_named_by_their_numbers(table):
    found = read_columns(table("a.data", "a,b,x\nc,d,y\n\n"), label=-1, header=False)
    assert plain(found) == ([["a", "b"], ["c", "d"]], ["x", "y"], ("0", "1"))
    assert read_columns(table("a.data", "a,b,x\n"), label="0", header=False).y.tolist() == ["a"]


@pytest.mark.parametrize(
    ("name", "content", "delimiter"),
    [
        ("a.tsv", "a\tb, c\nd\t\n", None),
        ("a.tsv.gz", 'a\t"b, c"\nd\t\n', None),
        ("a.csv.gz", 'a,"b, c"\nd,\n', None),
        ("a.txt", "a; b, c \n d;\r\n", ";"),
    ],
)
def test_delimiters_quotation_marks_and_blanks(table, name, content, delimiter):
    found = read_columns(table(name, content), header=False, delimiter=delimiter)
    assert found.X.tolist() == [["a", "b, c"], ["d", ""]]


def test_any_number_of_blanks_is_one_delimiter(table):
    found = read_columns(table("monks", " 1 2  x\n\n 3 4\ty \n"), label=-1, header=False, delimiter=" ")
    assert plain(found) == ([["1", "2"], ["3", "4"]], ["x", "y"], ("0", "1"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "iso2022_jp", "utf-16"])
def test_bytes_are_decoded_as_everywhere(table, encoding):
    content = "空,気温,遊ぶ\n晴れ,暑い,いいえ\n雨,涼しい,はい\n"
    found = read_columns(table("a.csv", content, encoding), "遊ぶ")
    assert plain(found) == ([["晴れ", "暑い"], ["雨", "涼しい"]], ["いいえ", "はい"], ("空", "気温"))


def test_what_cannot_be_decoded_is_said(table):
    with pytest.warns(ReadingWarning, match=r"a\.csv: 2 undecodable places"):
        found = read_columns(table("a.csv", "空,y\n".encode() + b"\xe7\xa9\xff,x\n" + "空,x\n".encode() * 50), "y")
    assert "\ufffd" in found.X[0, 0]


def test_a_nul_at_the_end_of_a_cell_stays(table):
    assert read_columns(table("a.csv", "a,b\nx\0,y\n")).X.tolist() == [["x\0", "y"]]


@pytest.mark.parametrize(
    ("content", "settings", "why"),
    [
        ("a,b\n1\n", {}, r"line 2: 1 cell, but the first line has 2"),
        ("a,b\n1,2\n1,2,3\n", {}, r"line 3: 3 cells, but the first line has 2"),
        ("a,b\n1,2\n", {"label": "c"}, r"has no column 'c'; use one of its 2 columns: a, b"),
        ("a,b\n1,2\n", {"label": 2}, r"has no column 2; use one of its 2 columns: a, b"),
        ("a,b\n1,2\n", {"label": -3}, r"has no column -3"),
        ("a,a\n1,2\n", {"label": "a"}, r"has two columns 'a'"),
        ("a,b\n1,\n", {"label": "b"}, r"line 2: no label in column 'b'"),
        ("a,b\n", {}, "has no records"),
        ("", {}, "has no records"),
        ("", {"header": False}, "has no records"),
        ('a,b\n"1,2\n', {}, "quotation mark that is not closed"),
        ("a,b\n1,2\n", {"delimiter": ",,"}, "delimiter must be one character"),
        ("a,b\n1,2\n", {"encoding": "klingon"}, "unknown encoding 'klingon'"),
    ],
)
def test_what_is_no_table_is_refused(table, content, settings, why):
    with pytest.raises(InputError, match=why):
        read_columns(table("a.csv", content), **settings)


def test_a_file_that_is_not_there_or_damaged_is_refused(tmp_path, table):
    with pytest.raises(InputError, match="nowhere"):
        read_columns(tmp_path / "nowhere.csv")
    broken = table("a.csv.gz", PLAY)
    broken.write_bytes(broken.read_bytes()[:-12])
    with pytest.raises(InputError, match=r"a\.csv\.gz"):
        read_columns(broken)


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [("car.data", (1728, 6), {"acc", "good", "unacc", "vgood"}), ("nursery.data", (12960, 8), None)],
)
def test_public_tables_with_commas(public_corpora, name, shape, classes):
    path = public_corpora / "uci" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    found = read_columns(path, label=-1, header=False)
    assert found.X.shape == shape
    assert len(found.y) == shape[0]
    assert classes is None or set(found.y) == classes


@pytest.mark.parametrize(("name", "n_rows"), [("monks-1.train", 124), ("monks-2.train", 169), ("monks-3.test", 432)])
def test_public_tables_with_blanks(public_corpora, name, n_rows):
    path = public_corpora / "uci" / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    X, y, names = read_columns(path, label=0, header=False, delimiter=" ")
    assert X.shape == (n_rows, 7)
    assert names == tuple("1234567")
    assert set(y) == {"0", "1"}
    assert np.isin(X[:, :6], list("1234")).all()

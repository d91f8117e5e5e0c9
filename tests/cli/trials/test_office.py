"""Trial of an office worker: 問い合わせ.csv as Excel writes it, to 結果.xlsx."""

import csv
import io

import openpyxl
import pytest


def written(path, header, rows):
    """A CSV file as Japanese Excel saves it: cp932, CR LF, line ends within cells."""
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([header, *rows])
    path.write_bytes(stream.getvalue().encode("cp932", "replace"))


@pytest.fixture
def desk(tmp_path, texts):
    """A folder with inquiries of last year, whose departments are known, and with new ones."""
    known = [
        (f"A-{n:03}", text.split("。")[0][:20], text, name)
        for n, (name, text) in enumerate((name, text) for name, some in texts("train", 24).items() for text in some)
    ]
    new = [("007", "=HYPERLINK(1)", text) for some in texts("test", 6).values() for text in some]
    new.append(("008", "+81-3-0000-0000", "-"))
    written(tmp_path / "問い合わせ.csv", ["受付番号", "件名", "本文", "担当部署"], known)
    written(tmp_path / "新規.csv", ["受付番号", "件名", "本文"], new)
    return tmp_path


def test_inquiries_become_a_workbook_that_opens(run, desk):
    columns = ["--text", "件名,本文"]
    wrong = run("train", "問い合わせ.csv", *columns, "--label", "担当部所", "-o", "部署.textnb")
    assert "no column '担当部所' among 受付番号, 件名, 本文, 担当部署; did you mean '担当部署'?" in wrong.refusal
    trained = run("train", "問い合わせ.csv", *columns, "--label", "担当部署", "-o", "部署.textnb").ok
    assert "learnt 72 documents" in trained.err and "left-out accuracy" in trained.err
    assert "most often confused: " in trained.err
    decision = ["--unsure", 0.8, "--unsure-label", "要確認", "--top", 2]
    done = run("predict", "部署.textnb", "新規.csv", *columns, *decision, "-o", "結果.xlsx").ok
    assert (done.out, "wrote 19 rows to 結果.xlsx" in done.err) == ("", True)
    sheet = openpyxl.load_workbook(desk / "結果.xlsx").active
    header, *rows = sheet.iter_rows(values_only=True)
    added = ("label", "probability", "most_probable", "label_2", "probability_2", "known_terms")
    assert header == ("受付番号", "件名", "本文", *added)
    with (desk / "新規.csv").open(encoding="cp932", newline="") as stream:
        asked = [tuple(cell.replace("\r\n", "\n") for cell in cells) for cells in list(csv.reader(stream))[1:]]
    assert [row[:3] for row in rows] == asked
    assert {cell.data_type for row in sheet.iter_rows(min_row=2, max_col=4) for cell in row} == {"s"}
    for row in rows:
        label, probability, guess = row[3:6]
        assert label == (guess if probability >= 0.8 else "要確認")
    assert sum(row[3] == "要確認" for row in rows) >= 1  # nobody can know where "-" belongs
    true = [name for name in ("配送", "経理", "技術") for _ in range(6)]
    assert sum(row[5] == name for row, name in zip(rows, true, strict=False)) >= 15


def test_the_result_is_a_table_again(run, desk):
    columns = ["--text", "件名,本文"]
    assert run("train", "問い合わせ.csv", *columns, "--label", "担当部署", "-o", "部署.textnb", "-q").ok
    assert run("predict", "部署.textnb", "新規.csv", *columns, "-o", "結果.xlsx", "-q").ok
    again = run("predict", "部署.textnb", "結果.xlsx", *columns, "--id", "件名", "-o", "結果2.csv", "--bom").ok
    assert "結果2.csv" in again.err
    data = (desk / "結果2.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    header, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    assert header[3:7] == ["label", "probability", "known_terms", "textnb_label"]
    assert [row[3] for row in rows] == [row[6] for row in rows]
    assert all(len(row[7].partition(".")[2]) == 4 for row in rows)

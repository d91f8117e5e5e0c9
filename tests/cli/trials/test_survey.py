"""Trial of a researcher: answers of a survey in a workbook, two questions, some of them coded by hand."""

import csv

import openpyxl
import pytest


@pytest.fixture
def answers(tmp_path, texts):
    """A workbook with coded answers and, on another sheet, all answers; one code was given once only."""
    book = openpyxl.Workbook()
    coded = book.active
    coded.title = "コード済み"
    coded.append(["回答者", "良かった点", "改善点", "コード"])
    for name, some in texts("train", 16).items():
        for n, text in enumerate(some):
            half = len(text) // 2
            coded.append([len(list(coded.rows)), text[:half], None if n % 5 == 0 else text[half:], name])
    coded["D3"] = "技術"  # a slip of the hand
    coded.append([99, "その他の意見", None, "その他"])
    every = book.create_sheet("全回答")
    every.append(["回答者", "良かった点", "改善点"])
    for n, text in enumerate(text for some in texts("test", 4).values() for text in some):
        every.append([n + 1, None, text])
    book.save(tmp_path / "アンケート.xlsx")
    return ["アンケート.xlsx", "--text", "良かった点", "--text", "改善点"]


def test_a_survey_is_checked_compared_and_coded(run, answers, tmp_path):
    coded = [*answers, "--sheet", "コード済み", "--label", "コード", "--id", "回答者"]
    checked = run("corpus", "check", *coded, "--top", 10).ok
    suspects = [line.split("│") for line in checked.out.split("suspect labels")[1].splitlines()[4:]]
    assert ["2", "技術", "配送"] in [[cell.strip() for cell in cells[1:4]] for cells in suspects]
    compared = run("compare", *coded, "--models", "multinomial,complement", "--answers", "fold.csv", "--folds", 3).ok
    assert "left out 1 class with too few different documents for 3 folds: その他 (1)" in compared.err
    assert "Use " in compared.lines[-1]
    with (tmp_path / "fold.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["id"] for row in rows] == [str(n) for n in range(1, 49)]
    assert {"label", "label(complement)", "probability(multinomial)"} <= rows[0].keys()
    asked = run("train", *coded, "--exclude", "その他", "-o", "コード.textnb")
    assert asked.code == 2  # an option of compare, curve and tune
    assert run("train", *coded, "-o", "コード.textnb", "-q").ok
    assert run("predict", "コード.textnb", *answers, "--sheet", 2, "--top", 2, "-o", "結果.csv", "-q").ok
    with (tmp_path / "結果.csv").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    added = ["label", "probability", "label_2", "probability_2", "known_terms"]
    assert header == ["回答者", "良かった点", "改善点", *added]
    assert [row[0] for row in rows] == [str(n) for n in range(1, 13)]

import json

import numpy as np
import pytest

from textnb import TextClassifier
from textnb.evaluation import Costs

LINES = ["dog", "", "dog egg", "unknown words", "egg", "cat oil pan"]
STDIN = "\n".join(LINES)
COSTS = "unsure = 0.2\ndefault = 1\n[cost.food]\npets = 4.0\n"


@pytest.fixture
def costs(tmp_path):
    (tmp_path / "costs.toml").write_text(COSTS)
    return "costs.toml"


@pytest.fixture
def clf(model):
    return TextClassifier.load(model)


@pytest.fixture
def least(clf):
    """A probability that some answers have and others have not."""
    sure = np.unique(clf.predict_proba(LINES).max(axis=1))
    return float(sure[-2:].mean())


def cells(done):
    assert done.code == 0, done.err
    return [line.split("\t") for line in done.lines[1:]]


def test_unsure_is_the_label_below_the_probability_which_stays_that_of_the_likeliest(run, model, clf, least):
    plain = cells(run("predict", model, stdin=STDIN))
    rows = cells(run("predict", model, "--unsure", least, stdin=STDIN))
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert [row[2] for row in rows] == [row[2] for row in plain]
    assert [row[1] for row in rows] == ["unsure" if float(row[2]) < least else row[1] for row in plain]
    assert 0 < [row[1] for row in rows].count("unsure") < len(rows)
    assert [row[1] for row in rows] == [label or "unsure" for label in clf.decide(LINES, unsure=least)]


def test_line_by_line_and_in_every_format_the_same_is_decided(run, model, costs):
    rows = cells(run("predict", model, "--costs", costs, stdin=STDIN))
    assert cells(run("predict", model, "--costs", costs, "--line-buffered", stdin=STDIN)) == rows
    coded = run("predict", model, "--costs", costs, "--format", "jsonl", stdin=STDIN)
    values = [json.loads(line).values() for line in coded.lines]
    assert [[f"{v:.4f}" if isinstance(v, float) else str(v) for v in row] for row in values] == rows


def test_costs_decide_and_show_the_probability_of_what_they_decided(run, model, costs, clf):
    rows = cells(run("predict", model, "--costs", costs, stdin=STDIN))
    decided = clf.decide(LINES, costs=Costs({"food": {"pets": 4}}, unsure=0.2))
    P, numbers = clf.predict_proba(LINES), {"food": 0, "pets": 1}
    assert [row[1] for row in rows] == [label or "unsure" for label in decided]
    shown = [p.max() if label is None else p[numbers[label]] for p, label in zip(P, decided, strict=True)]
    assert [row[2] for row in rows] == [f"{p:.4f}" for p in shown]


def test_without_a_cost_of_being_unsure_the_dear_mistake_is_avoided(run, model, tmp_path, clf):
    (tmp_path / "dear.toml").write_text("[cost.food]\npets = 1e9\n")
    rows = cells(run("predict", model, "--costs", "dear.toml", stdin=STDIN))
    assert {row[1] for row in rows} == {"food"}
    assert [row[2] for row in rows] == [f"{p:.4f}" for p in clf.predict_proba(LINES)[:, 0]]
    assert float(rows[0][2]) < 0.5  # not the likeliest


def test_after_the_decision_the_likeliest_others_follow(run, model, costs, clf, least):
    rows = cells(run("predict", model, "--unsure", least, "--top", 5, stdin=STDIN))
    assert {len(row) for row in rows} == {6}
    for row, p in zip(rows, clf.predict_proba(LINES), strict=True):
        ranked = [clf.classes_[k] for k in np.argsort(-p, kind="stable")]
        assert row[1:5:2] == (["unsure", ranked[0]] if p.max() < least else ranked)
    for row in cells(run("predict", model, "--costs", costs, "--top", 2, "--all-scores", stdin=STDIN)):
        probability = {"food": row[5], "pets": row[6], "unsure": max(row[5:7], key=float)}
        assert row[3] != row[1]
        assert (row[2], row[4]) == (probability[row[1]], probability[row[3]])


def test_the_edges_of_the_probability(run, model):
    plain = run("predict", model, stdin=STDIN)
    assert run("predict", model, "--unsure", 0, stdin=STDIN).out == plain.out
    assert {row[1] for row in cells(run("predict", model, "--unsure", 1, stdin=STDIN))} == {"unsure"}


@pytest.mark.parametrize("given", ["-0.1", "1.5", "nan"])
def test_what_is_no_probability_is_refused(run, model, given):
    assert "from 0 to 1" in run("predict", model, f"--unsure={given}", stdin=STDIN).misuse


def test_both_at_once_are_refused(run, model, costs):
    assert "cannot be combined" in run("predict", model, "--unsure", 0.9, "--costs", costs, stdin=STDIN).misuse


def test_a_class_of_that_name_is_refused_where_it_could_be_mistaken(run, tmp_path, costs):
    (tmp_path / "c.csv").write_text("text,label\ndog,unsure\negg,food\n")
    assert run("train", "c.csv", "-o", "u.textnb", "-q", "--alpha", 0.1, "--no-calibrate").code == 0
    assert "class named 'unsure'" in run("predict", "u.textnb", "--unsure", 0.5, stdin="dog\n").refusal
    (tmp_path / "with.toml").write_text("unsure = 0.2\n[cost.food]\nunsure = 3\n")
    assert "class named 'unsure'" in run("predict", "u.textnb", "--costs", "with.toml", stdin="dog\n").err
    (tmp_path / "without.toml").write_text("[cost.food]\nunsure = 3\n")
    assert cells(run("predict", "u.textnb", "--costs", "without.toml", stdin="dog\n"))[0][1] == "unsure"
    assert cells(run("predict", "u.textnb", stdin="dog\n"))[0][1] == "unsure"
    assert TextClassifier.load(tmp_path / "u.textnb").decide(["dog", ""], unsure=0.55).tolist() == ["unsure", None]


@pytest.mark.parametrize("verb", ["predict", "test"])
def test_a_bad_costs_file_is_one_clear_line(run, model, corpus, tmp_path, verb):
    (tmp_path / "bad.toml").write_text("[cost.food]\nfish = 1\n")
    for name, said in (("bad.toml", "unknown class 'fish'; the model has food, pets"), ("none.toml", "cannot be read")):
        done = run(verb, model, corpus, "--costs", name)
        assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
        assert done.err.startswith(f"textnb: {name}: ")
        assert said in done.err


def test_test_shows_risk_over_coverage(run, model, tmp_path):
    (tmp_path / "t.csv").write_text("text,label\ndog,pets\ndog egg,food\nnew words,pets\negg,food\ncat oil pan,pets\n")
    shown, coded = run("test", model, "t.csv"), run("test", model, "t.csv", "--json")
    assert shown.code == coded.code == 0
    result = json.loads(coded.out)
    points = result["risk_coverage"]["points"]
    assert points[0]["documents"] == result["documents"] == 5
    assert points[0]["accuracy"] == result["accuracy"]
    assert "answering only if confident" in shown.out
    assert f"{result['risk_coverage']['aurc']:.4f}" in shown.out
    assert "costs" not in result
    for point in points:
        rows = cells(run("predict", model, "t.csv", "--unsure", point["threshold"]))
        assert sum(row[1] != "unsure" for row in rows) == point["documents"]


def test_test_shows_the_mean_cost_beside_that_of_the_most_probable_class(run, model, corpus, tmp_path, clf):
    (corpus / "food" / "9.txt").write_text("dog cat")
    (tmp_path / "c.toml").write_text("unsure = 0.9\n[cost.food]\npets = 4.0\n")
    result = json.loads(run("test", model, corpus, "--costs", "c.toml", "--json").out)["costs"]
    assert result["mean_cost_of_most_probable"] == pytest.approx(4 / 6)
    texts = {path: path.read_text() for path in corpus.rglob("*.txt")}
    decided = clf.decide(texts.values(), costs=Costs({"food": {"pets": 4}}, unsure=0.9)).tolist()
    paid = [0.9 if d is None else 0 if d == p.parent.name else 4 for d, p in zip(decided, texts, strict=True)]
    assert result["mean_cost"] == pytest.approx(sum(paid) / 6)
    assert result["unsure"] == decided.count(None)
    assert f"{result['mean_cost']:.4f}" in run("test", model, corpus, "--costs", "c.toml").out


@pytest.mark.parametrize("verb", ["predict", "test"])
def test_the_help_tells_of_costs(run, verb):
    assert "--costs" in run(verb, "--help").out

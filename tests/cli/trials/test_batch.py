"""Trial of a batch operator: tables of every day, counted once, merged, learnt and answered in one run."""

import json

import pytest


@pytest.fixture
def days(tmp_path, texts):
    """A folder of tables to learn from, one per day and in several formats, and a folder to answer."""
    learn, ask = tmp_path / "learn", tmp_path / "ask"
    learn.mkdir()
    ask.mkdir()
    known = texts("train", 18)
    rows = [{"text": known[name][n], "label": name} for n in range(18) for name in known]
    for day, suffix in enumerate(["jsonl", "tsv", "jsonl"], 1):
        some = rows[(day - 1) * 18 : day * 18]
        path = learn / f"2026-11-0{day}.{suffix}"
        if suffix == "tsv":
            cells = ['"{}"\t{}'.format(row["text"].replace('"', '""'), row["label"]) for row in some]
            path.write_text("\n".join(["text\tlabel", *cells]), encoding="utf-8", newline="")
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in some), encoding="utf-8")
    for day, some in enumerate(texts("test", 3).values(), 1):
        lines = [json.dumps({"id": f"{day}-{n}", "text": text, "n": n / 2}) for n, text in enumerate(some)]
        (ask / f"2026-12-0{day}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_a_night_of_tables(run, days):
    assert run("count", "learn/2026-11-01.jsonl", "learn/*.tsv", "-o", "old.counts", "-q").ok
    assert run("train", "old.counts", "learn/2026-11-03.jsonl", "-o", "mixed.textnb", "-q").ok
    assert run("count", "learn/2026-11-03.jsonl", "-o", "new.counts", "-q").ok
    assert run("merge", "old.counts", "new.counts", "-o", "all.counts", "-q").ok
    for corpora in (["learn"], ["all.counts"], ["new.counts", "old.counts"]):
        assert run("train", *corpora, "-o", "again.textnb", "--model", "complement", "-q").ok
        if corpora == ["learn"]:
            first = (days / "again.textnb").read_bytes()
    assert run("train", "old.counts", "learn/2026-11-03.jsonl", "-o", "mixed.textnb", "--model", "complement", "-q").ok
    assert (days / "again.textnb").read_bytes() == (days / "mixed.textnb").read_bytes()
    assert len(first) > 0
    assert run("predict", "again.textnb", "ask", "-o", "out.jsonl", "--all-scores", "-q").ok
    rows = [json.loads(line) for line in (days / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert list(rows[0]) == ["id", "text", "n", "label", "probability", *(f"p({k})" for k in ("技術", "経理", "配送")),
                             "known_terms", "file"]  # fmt: skip
    assert [(row["id"], row["file"], row["n"]) for row in rows][:2] == [
        ("1-0", "ask/2026-12-01.jsonl", 0.0),
        ("1-1", "ask/2026-12-01.jsonl", 0.5),
    ]
    assert all(abs(sum(row[f"p({k})"] for k in ("技術", "経理", "配送")) - 1) < 1e-12 for row in rows)
    one = run("predict", "again.textnb", "ask/2026-12-02.jsonl", "--format", "jsonl").ok
    assert [json.loads(line)["id"] for line in one.lines] == [row["id"] for row in rows[3:6]]


def test_a_run_that_fails_leaves_the_last_result(run, days):
    assert run("train", "learn", "-o", "m.textnb", "-q").ok
    assert run("predict", "m.textnb", "ask", "-o", "out.csv", "-q").ok
    before = (days / "out.csv").read_bytes()
    with (days / "ask" / "2026-12-03.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("\n{broken\n")
    failed = run("predict", "m.textnb", "ask", "-o", "out.csv", "-q")
    assert failed.code == 1 and "2026-12-03.jsonl, line 4: not JSON" in failed.err
    assert (days / "out.csv").read_bytes() == before
    assert not [path.name for path in days.iterdir() if path.name.endswith(".tmp")]
    skipped = run("predict", "m.textnb", "ask", "-o", "out.csv", "--skip-bad", "--max-skipped", 0.5).ok
    assert "1 bad record was skipped" in skipped.err
    assert (days / "out.csv").read_bytes() == before

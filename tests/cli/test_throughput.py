import io

import fsspec
import pyarrow as pa
import pytest
from pyarrow import parquet

from textnb.cli import terminal, throughput
from textnb.cli.throughput import Input, Throughput
from textnb.readers import open_corpus, read_corpus
from textnb.readers.position import position


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_long_run_ends_with_one_line_for_logs(run, monkeypatch, tmp_path):
    monkeypatch.setattr(throughput, "LONG_RUN", 0.0)
    rows = "".join(f"good fun {i},{'xy'[i % 2]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(f"text,label\n{rows}")
    model = tmp_path / "m.textnb"
    for verb in (("train", tmp_path / "t.csv", "-o", model), ("count", tmp_path / "t.csv", "-o", tmp_path / "c")):
        line = run(*verb).ok.err.splitlines()[-1]
        assert line.startswith("40 documents in ")
        assert "documents/s" in line
        assert "MB/s" in line
        assert "peak memory" in line
    assert "40 documents in " in run("predict", model, tmp_path / "t.csv").ok.err
    assert run("count", tmp_path / "t.csv", "-o", tmp_path / "c", "--quiet").ok.err == ""


@pytest.fixture
def corpus(run, monkeypatch, tmp_path):
    """Two tables of 40 documents, their model and their counts, where every run counts as long."""
    for name in "ab":
        rows = "".join(f"good fun {i} {name},{'xy'[i % 2]}\n" for i in range(40))
        (tmp_path / f"{name}.csv").write_text(f"text,label\n{rows}")
    run("train", "a.csv", "--model", "multinomial", "-o", "m.textnb").ok  # noqa: B018
    run("count", "a.csv", "-o", "a.counts").ok  # noqa: B018
    monkeypatch.setattr(throughput, "LONG_RUN", 0.0)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "number", "names"),
    [
        (["count", "?.csv", "-o", "c"], 80, ["a.csv", "b.csv"]),
        (["count", "b.csv", "--append", "-o", "a.counts"], 40, ["b.csv"]),
        (["train", "a.counts", "-o", "n.textnb"], 40, ["a.counts"]),
        (["train", "a.counts", "b.csv", "-o", "n.textnb"], 80, ["a.counts", "b.csv"]),
        (["train", "a.csv", "b.csv", "--checkpoint", "c", "-o", "n.textnb"], 80, ["a.csv", "b.csv"]),
        (["update", "m.textnb", "b.csv"], 40, ["b.csv"]),
        (["forget", "m.textnb", "a.csv", "-o", "n.textnb"], 40, ["a.csv"]),
        (["test", "m.textnb", "b.csv"], 40, ["b.csv"]),
        (["calibrate", "m.textnb", "b.csv"], 40, ["b.csv"]),
        (["predict", "m.textnb", "?.csv"], 80, ["a.csv", "b.csv"]),
        (["predict", "m.textnb", "*.csv", "-o", "o.jsonl"], 80, ["a.csv", "b.csv"]),
        (["predict", "m.textnb", "*.csv", "--output-dir", "out"], 80, ["a.csv", "b.csv"]),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_the_last_line_counts_what_was_read_by_any_verb(run, corpus, monkeypatch, words, number, names):
    seen, said = [], Throughput.say
    monkeypatch.setattr(Throughput, "say", lambda work, *, quiet: (seen.append(work.n_bytes), said(work, quiet=quiet)))
    size = sum((corpus / name).stat().st_size for name in names)
    error = run(*words).ok.err
    assert [line.split(" in ")[0] for line in error.splitlines() if "documents/s" in line] == [f"{number} documents"]
    assert seen == [size]
    assert "MB/s; peak memory" in error
    if words[0] not in ("forget",):
        assert "documents/s" not in run(*words[:-1], f"{words[-1]}2" if "-o" in words else words[-1], "--quiet").err


def test_finished_tables_are_not_counted(run, corpus):
    words = ["predict", "m.textnb", "--output-dir", "out"]
    assert "40 documents in " in run(*words, "a.csv").ok.err
    assert "40 documents in " in run(*words, "a.csv", "b.csv").ok.err
    assert "documents/s" not in run(*words, "a.csv", "b.csv").ok.err


def test_pipes_and_addresses_have_a_speed_too(run, corpus):
    data = (corpus / "a.csv").read_bytes()
    fsspec.filesystem("memory").pipe("/in/a.csv", data)
    assert "MB/s" in run("count", "memory://in/a.csv", "-o", "c").ok.err
    assert "MB/s" in run("predict", "m.textnb", "-", "--reader", "csv", stdin=data).ok.err


def test_the_bar_shows_how_far_all_inputs_are(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stderr", Terminal())
    sizes = [100, 0, 50]
    paths = [tmp_path / f"{i}.csv" for i in range(3)]
    for path, n_rows in zip(paths, sizes, strict=True):
        path.write_text("text,label\n" + "good,x\n" * n_rows)
    corpora = [open_corpus(path) for path in paths]
    inputs = [Input(each.kind, each.documents, each) for each in corpora]
    work = Throughput()
    work.begin(inputs, quiet=False)
    seen = [work._so_far()[:2] for _ in work.watch(inputs, "reading", quiet=False)]
    total = sum(path.stat().st_size for path in paths)
    assert work._total == total
    assert [number for number, _ in seen] == list(range(1, 151))
    assert seen == sorted(seen) and seen[99][1] <= paths[0].stat().st_size < seen[100][1] <= total
    assert work.n_bytes == total


@pytest.mark.parametrize("kind", ["parquet", "folder"])
def test_the_bar_follows_rows_and_files_where_there_is_no_stream(monkeypatch, tmp_path, kind):
    monkeypatch.setattr("sys.stderr", Terminal())
    path = tmp_path / f"in.{kind}"
    if kind == "parquet":
        parquet.write_table(pa.table({"text": ["good"] * 40, "label": ["x", "y"] * 20}), path)
    else:
        for i in range(40):
            (path / "xy"[i % 2]).mkdir(parents=True, exist_ok=True)
            (path / "xy"[i % 2] / f"{i}.txt").write_text("good")
    corpus = open_corpus(path)
    inputs, work = [Input(corpus.kind, corpus.documents, corpus)], Throughput()
    work.begin(inputs, quiet=False)
    seen = [work._so_far()[1] for _ in work.watch(inputs, "reading", quiet=False)]
    assert seen == [work._total * number // 40 for number in range(1, 41)]


def test_a_short_run_says_nothing_about_its_throughput(capsys):
    work = Throughput()
    assert list(work.watch([Input("csv", lambda: "abc")], "reading", quiet=False)) == ["a", "b", "c"]
    work.say(quiet=False)
    assert (work.n_documents, capsys.readouterr().err) == (3, "")


def test_progress_follows_the_bytes_of_the_file(monkeypatch, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("text,label\n" + "good,x\n" * 5000)
    size, shown = path.stat().st_size, Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr(terminal, "_SECONDS_BETWEEN", 0.0)
    positions = []

    def noted():
        positions.append(position())
        return 5000, positions[-1], 1.0

    items = terminal.progress_of_bytes(read_corpus(path), "reading", size, noted)
    assert len(list(items)) == 5000
    read = positions[1:-1]  # but for those before and behind
    assert read == sorted(read)
    assert 0 < read[0] < read[-1] == size
    assert "5,000" in shown.getvalue()

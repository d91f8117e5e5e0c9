import io

from textnb.cli import terminal, throughput
from textnb.cli.throughput import Throughput
from textnb.readers import read_corpus
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


def test_a_short_run_says_nothing_about_its_throughput(capsys):
    work = Throughput()
    assert list(work.watch("abc")) == ["a", "b", "c"]
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
        return positions[-1]

    items = terminal.progress_of_file(read_corpus(path), "reading", size, noted)
    assert len(list(items)) == 5000
    assert positions == sorted(positions)
    assert 0 < positions[0] < positions[-1] == size
    assert "5,000" in shown.getvalue()

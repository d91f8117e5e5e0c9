"""Trial of a user of fastText: lines with __label__, standard input, one answer per line."""

import pytest


@pytest.fixture
def lines(tmp_path, texts):
    for name, number in (("train", 16), ("test", 4)):
        found = [f"__label__{label} {' '.join(text.split())}" for label, some in texts(name, number).items()
                 for text in some]  # fmt: skip
        (tmp_path / f"{name}.txt").write_text("\n".join(found) + "\n", encoding="utf-8")
    return tmp_path


def test_train_test_and_predict_as_with_fasttext(run, lines):
    trained = run("train", "train.txt", "-o", "model.textnb").ok
    assert "learnt 48 documents" in trained.err
    data = (lines / "train.txt").read_bytes()
    assert run("train", "-", "-o", "piped.textnb", stdin=data).ok.err.startswith("learnt 48 documents")
    assert (lines / "piped.textnb").read_bytes() == (lines / "model.textnb").read_bytes()
    test = (lines / "test.txt").read_bytes()
    assert run("test", "model.textnb", "-", stdin=test).ok.out == run("test", "model.textnb", "test.txt").ok.out
    by_file = run("predict", "model.textnb", "test.txt").ok
    assert by_file.out == run("predict", "model.textnb", "-", stdin=test).ok.out
    assert len(by_file.lines) == 13
    plain = "".join(line.partition(" ")[2] + "\n" for line in test.decode().splitlines())
    (lines / "plain.txt").write_text(plain, encoding="utf-8")
    per_line = run("predict", "model.textnb", "plain.txt", "--per-line", "--top", 3).ok
    assert [row.split("\t")[1] for row in per_line.lines] == [row.split("\t")[1] for row in by_file.lines]
    assert len(run("predict", "model.textnb", "plain.txt").ok.lines) == 2  # one document
    assert run("update", "model.textnb", "-", stdin=test).ok.err.startswith("learnt 12 documents")  # fmt: skip


def test_lines_without_labels_are_one_clear_line(run, lines):
    refused = run("train", "-", "-o", "m.textnb", stdin="no label here\n").refusal
    assert "give --reader" in refused
    refused = run("train", "-", "--reader", "lines", "-o", "m.textnb", stdin="no label here\n").refusal
    assert "line 1: the line does not start with __label__x" in refused

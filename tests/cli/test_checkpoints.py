import os
import signal
import subprocess
import sys

import pytest

from textnb.classifier import recipe as recipe_module
from textnb.cli import count as count_module
from textnb.files import checkpoint

ROWS = [(f"d{i}", f"猫 犬{i % 7} word{i % 31} w{i}", "xy"[i % 2]) for i in range(120)]
PART = 300
TRAIN = ("train", "--model", "multinomial", "--terms", "words", "--tokenizer", "words", "--checkpoint-every", "1")
BUDGET = (*TRAIN, "--term-budget", "20")
COUNT = ("count", "--tokenizer", "words")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    for module in (recipe_module, count_module):
        monkeypatch.setattr(module, "PART_CHARACTERS", PART)


def table(path, rows=ROWS):
    path.write_text("id,text,label\n" + "".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path):
    return table(tmp_path / "corpus.csv")


def without_checkpoint(run, verb, corpus):
    output = corpus.parent / "expected"
    run(*[word for word in verb if word not in ("--checkpoint-every", "1")], corpus, "-o", output).ok  # noqa: B018
    return output.read_bytes()


@pytest.mark.parametrize("verb", [TRAIN, BUDGET, COUNT, (*TRAIN[:1], *TRAIN[3:])], ids=str)
def test_a_run_that_was_interrupted_goes_on_and_writes_the_same_bytes(run, corpus, monkeypatch, verb):
    expected, output, path = without_checkpoint(run, verb, corpus), corpus.parent / "out", corpus.parent / "so-far"
    for stop_after in (1, 3):
        with monkeypatch.context() as patch:
            stop_after_parts(patch, stop_after)
            assert run(*verb, corpus, "-o", output, "--checkpoint", path).code != 0
        assert path.exists()
        assert not output.exists()
    run(*verb, corpus, "-o", output, "--checkpoint", path).ok  # noqa: B018
    assert output.read_bytes() == expected
    assert not path.exists()


def stop_after_parts(patch, number):
    """Let a run fail after this number of checkpoints."""
    left = [number]

    def failing(function):
        def called(*given):
            if not left[0]:
                raise checkpoint.InputError("stopped")
            left[0] -= 1
            return function(*given)

        return called

    patch.setattr("textnb.cli.resuming.write_checkpoint", failing(checkpoint.write_checkpoint))
    patch.setattr(checkpoint.CountedParts, "add", failing(checkpoint.CountedParts.add))


@pytest.mark.parametrize("verb", [TRAIN, COUNT], ids=["train", "count"])
def test_a_checkpoint_of_another_corpus_or_recipe_is_refused(run, corpus, monkeypatch, verb):
    path, output = corpus.parent / "so-far", corpus.parent / "out"
    with monkeypatch.context() as patch:
        stop_after_parts(patch, 2)
        run(*verb, corpus, "-o", output, "--checkpoint", path)
    found = run(*verb, corpus, "-o", output, "--checkpoint", path, "--normalise", "casefold")
    assert (found.code, "its options are others" in found.err) == (1, True)
    table(corpus, ROWS[:-1])
    found = run(*verb, corpus, "-o", output, "--checkpoint", path)
    assert (found.code, found.err.count("\n")) == (1, 1)
    assert "so-far is the checkpoint of another run: the corpus is another, or has changed since" in found.err
    assert not output.exists()


def test_a_folder_with_other_files_is_no_checkpoint(run, corpus):
    (corpus.parent / "mine").mkdir()
    (corpus.parent / "mine" / "letter.txt").write_text("Dear")
    found = run(*COUNT, corpus, "-o", corpus.parent / "out", "--checkpoint", corpus.parent / "mine")
    assert "is a folder with other files" in found.err


def test_a_killed_run_goes_on(corpus):
    code = (
        "import os, signal, textnb.classifier.recipe as a; from textnb.cli import resuming; a.PART_CHARACTERS = 300\n"
        "written = resuming.write_checkpoint\n"
        "def killed(*given):\n    written(*given); os.kill(os.getpid(), signal.SIGKILL)\n"
        "if KILLED: resuming.write_checkpoint = killed\n"
        "from textnb.__main__ import main; main()"
    )
    files = [str(corpus), "-o", str(corpus.parent / "out"), "--checkpoint", str(corpus.parent / "so-far"), "-q"]
    codes = []
    for killed in (True, False):
        command = [sys.executable, "-c", code.replace("KILLED", str(killed)), *TRAIN, *files]
        codes.append(subprocess.run(command, env=os.environ, check=False).returncode)
    assert codes == [-signal.SIGKILL, 0]
    assert (corpus.parent / "out").exists()
    assert not (corpus.parent / "so-far").exists()


def test_documents_that_are_appended_are_counted_as_all_at_once(run, tmp_path):
    first, rest, whole = (
        table(tmp_path / f"{name}.csv", rows) for name, rows in (("a", ROWS[:50]), ("b", ROWS[50:]), ("ab", ROWS))
    )
    run(*COUNT, first, "--append", "-o", tmp_path / "appended").ok  # noqa: B018
    run("count", rest, "--append", "-o", tmp_path / "appended").ok  # noqa: B018
    run(*COUNT, whole, "-o", tmp_path / "whole").ok  # noqa: B018
    assert (tmp_path / "appended").read_bytes() == (tmp_path / "whole").read_bytes()
    found = run("count", rest, "--append", "--tokenizer", "chars", "-o", tmp_path / "appended")
    assert (found.code, "was counted with another tokenizer" in found.err) == (1, True)


def test_a_model_with_a_term_budget_says_what_it_dropped_and_does_not_forget(run, corpus):
    model = corpus.parent / "m.textnb"
    run(*BUDGET[:-4], "--term-budget", "20", corpus, "-o", model).ok  # noqa: B018
    info = run("info", model).ok.out
    assert "dropped terms" in info
    found = run("forget", model, corpus)
    assert (found.code, "a model with a term budget (20 terms) cannot forget" in found.err) == (1, True)
    assert run("update", model, table(corpus.parent / "more.csv", ROWS[:3])).ok
    assert run("train", corpus, "--model", "logistic", "--term-budget", "9", "-o", corpus.parent / "l").code == 2

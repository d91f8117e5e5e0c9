import json
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


def stopped(run, monkeypatch, after, *words):
    """Start a run that fails after so many checkpoints."""
    with monkeypatch.context() as patch:
        stop_after_parts(patch, after)
        assert run(*words).code != 0


@pytest.mark.parametrize("rows", [ROWS + ROWS[:1], ROWS[:100], [*ROWS[:-1], ("d119", "other", "y")]], ids=len)
def test_an_input_that_grew_shrank_or_changed_is_refused_and_the_checkpoint_stays(run, corpus, monkeypatch, rows):
    words = (*COUNT, corpus, "-o", corpus.parent / "out", "--checkpoint", corpus.parent / "so-far")
    stopped(run, monkeypatch, 2, *words)
    before = sorted(path.name for path in (corpus.parent / "so-far").iterdir())
    table(corpus, rows)
    assert "the corpus is another, or has changed since" in run(*words).refusal
    assert sorted(path.name for path in (corpus.parent / "so-far").iterdir()) == before


def test_the_same_files_by_other_names_are_another_corpus_because_ids_have_the_names(run, corpus, monkeypatch):
    more = table(corpus.parent / "more.csv", ROWS[:5])
    words = ("-o", corpus.parent / "out", "--checkpoint", corpus.parent / "so-far")
    stopped(run, monkeypatch, 2, *COUNT, corpus, more, *words)
    assert "the corpus is another" in run(*COUNT, corpus.name, more.name, *words).refusal
    assert run(*COUNT, corpus, more, *words).ok


@pytest.mark.parametrize("verb", [TRAIN, COUNT], ids=["train", "count"])
def test_files_at_addresses_are_read_again_unless_they_have_changed(run, corpus, monkeypatch, memory, verb):
    memory.put_file(str(corpus), "/in/corpus.csv")
    output = corpus.parent / "out"
    words = (*verb, "memory://in/corpus.csv", "-o", output, "--checkpoint", corpus.parent / "so-far")
    stopped(run, monkeypatch, 2, *words)
    assert run(*words).ok
    assert output.read_bytes() == without_checkpoint(run, verb, corpus)
    stopped(run, monkeypatch, 2, *words)
    memory.pipe("/in/corpus.csv", corpus.read_bytes().replace(b"w119", b"w911"))
    assert "the corpus is another" in run(*words).refusal


@pytest.mark.parametrize("verb", [TRAIN, COUNT], ids=["train", "count"])
def test_a_checkpoint_in_the_place_of_something_else_is_refused_before_any_work(run, corpus, verb):
    folder = corpus.parent / "classes"
    for label in "xy":
        (folder / label).mkdir(parents=True)
        (folder / label / "a.txt").write_text(label)
    output = corpus.parent / "out"
    assert "name the same file" in run(*verb, corpus, "-o", output, "--checkpoint", output).misuse
    assert "would be a part of the corpus" in run(*verb, folder, "-o", output, "--checkpoint", folder / "c").misuse
    assert "cannot be written" in run(*verb, corpus, "-o", output, "--checkpoint", corpus.parent / "no" / "c").refusal
    assert not output.exists()


def test_a_checkpoint_must_be_a_file_for_training_and_a_folder_for_counting(run, corpus):
    (corpus.parent / "folder").mkdir()
    words = (corpus, "-o", corpus.parent / "out", "--checkpoint")
    assert (
        "folder cannot be written: it is not an ordinary file" in run(*TRAIN, *words, corpus.parent / "folder").refusal
    )
    copy = table(corpus.parent / "copy.csv")
    assert "copy.csv cannot be written: it is a file" in run(*COUNT, *words, copy).refusal


def test_pipes_cannot_be_read_again(run, corpus):
    pipe = corpus.parent / "pipe.csv"
    os.mkfifo(pipe)
    words = ("-o", corpus.parent / "out", "--checkpoint", corpus.parent / "so-far")
    assert "pipe.csv is a pipe" in run(*COUNT, pipe, *words).refusal
    assert "standard input cannot" in run(*COUNT, "-", "--reader", "csv", *words).refusal
    assert not (corpus.parent / "so-far").exists()


@pytest.mark.parametrize("left", ["all", "the last part", "the state"])
def test_a_run_that_was_killed_while_it_removed_its_checkpoint_is_done_again(run, corpus, monkeypatch, left):
    folder, output = corpus.parent / "so-far", corpus.parent / "out"
    words = (*COUNT, corpus, "-o", output, "--checkpoint", folder)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.CountedParts, "remove", lambda _: None)
        assert run(*words).ok
    parts = sorted(folder.glob("*.counts"))
    for path in {"all": [], "the last part": parts[:-1], "the state": parts}[left]:
        path.unlink()
    expected = output.read_bytes()
    output.unlink()
    assert run(*words).ok
    assert output.read_bytes() == expected
    assert not folder.exists()


def test_other_files_in_the_folder_of_a_checkpoint_stay(run, corpus, monkeypatch):
    words = (*COUNT, corpus, "-o", corpus.parent / "out", "--checkpoint", corpus.parent / "so-far")
    stopped(run, monkeypatch, 2, *words)
    (corpus.parent / "so-far" / "letter.txt").write_text("Dear")
    assert run(*words).ok
    assert [path.name for path in (corpus.parent / "so-far").iterdir()] == ["letter.txt"]


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


@pytest.mark.parametrize("others", [False, True], ids=["alone", "others appended meanwhile"])
def test_an_append_that_was_killed_at_its_end_is_not_done_twice(run, tmp_path, monkeypatch, others):
    first, rest, more = (
        table(tmp_path / f"{name}.csv", rows) for name, rows in (("a", ROWS[:40]), ("b", ROWS[40:90]), ("c", ROWS[90:]))
    )
    output = tmp_path / "out"
    assert run(*COUNT, first, "-o", output).ok
    words = ("count", rest, "--append", "-o", output, "--checkpoint", tmp_path / "so-far")
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.CountedParts, "remove", lambda _: None)
        assert run(*words).ok
    if others:
        assert run("count", more, "--append", "-o", output).ok
    expected = output.read_bytes()
    assert run(*words).ok
    assert output.read_bytes() == expected
    assert not (tmp_path / "so-far").exists()


def test_an_append_that_was_killed_before_it_was_written_is_done(run, tmp_path, monkeypatch):
    first, rest, whole = (
        table(tmp_path / f"{name}.csv", rows) for name, rows in (("a", ROWS[:50]), ("b", ROWS[50:]), ("ab", ROWS))
    )
    output = tmp_path / "out"
    assert run(*COUNT, first, "-o", output).ok
    words = ("count", rest, "--append", "-o", output, "--checkpoint", tmp_path / "so-far")

    def failing(*_):
        raise checkpoint.InputError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(count_module, "merge_counts", failing)
        assert run(*words).code == 1
    assert run(*words).ok
    assert run(*COUNT, whole, "-o", tmp_path / "whole").ok
    assert output.read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_append_that_is_repeated_changes_nothing_and_says_so(run, tmp_path):
    first, rest = (table(tmp_path / f"{name}.csv", rows) for name, rows in (("a", ROWS[:50]), ("b", ROWS[50:])))
    for path in (first, rest):
        assert run(*COUNT, path, "--append", "-o", tmp_path / "out").ok
    before = (tmp_path / "out").read_bytes()
    assert "out ends with these 70 documents already" in run(*COUNT, rest, "--append", "-o", tmp_path / "out").refusal
    assert (tmp_path / "out").read_bytes() == before
    relabelled = table(tmp_path / "b.csv", [(name, text, "z") for name, text, _ in ROWS[50:]])
    assert run(*COUNT, relabelled, "--append", "-o", tmp_path / "out").ok
    assert run(*COUNT, first, "--append", "-o", tmp_path / "out").ok


def test_a_merge_into_one_of_its_files_that_is_repeated_changes_nothing_and_says_so(run, tmp_path):
    for name, rows in (("a", ROWS[:30]), ("b", ROWS[30:70]), ("c", ROWS[70:])):
        assert run(*COUNT, table(tmp_path / f"{name}.csv", rows), "-o", f"{name}.counts").ok
    assert run("merge", "a.counts", "b.counts", "-o", "a.counts").ok
    before = (tmp_path / "a.counts").read_bytes()
    refusal = run("merge", "a.counts", "b.counts", "-o", "a.counts").refusal
    assert "a.counts ends with these 40 documents already" in refusal
    assert run("merge", "b.counts", "c.counts", "-o", "all.counts").ok
    assert "all.counts ends with these" in run("merge", "all.counts", "[bc].counts", "-o", "all.counts").refusal
    assert (tmp_path / "a.counts").read_bytes() == before


def test_a_file_among_count_files_that_is_damaged_or_none_is_named(run, tmp_path):
    for name, rows in (("a", ROWS[:30]), ("b", ROWS[30:])):
        assert run(*COUNT, table(tmp_path / f"{name}.csv", rows), "-o", f"{name}.counts").ok
    data = (tmp_path / "b.counts").read_bytes()
    (tmp_path / "b.counts").write_bytes(data[:-9])
    assert run("train", "a.csv", "--model", "multinomial", "-o", "m.textnb").ok
    for other in ("b.counts is incomplete", "m.textnb holds a 'model'", "a.csv is"):
        for files in (["a.counts", other.split()[0]], [other.split()[0], "a.counts"]):
            assert other in run("merge", *files, "-o", "out").refusal


def test_count_files_are_merged_by_a_pattern_also_if_it_is_one(run, tmp_path):
    for name, rows in (("a", ROWS[:30]), ("b", ROWS[30:])):
        assert run(*COUNT, table(tmp_path / f"{name}.csv", rows), "-o", f"{name}.counts").ok
    assert run(*COUNT, table(tmp_path / "whole.csv"), "-o", "whole").ok
    assert run("merge", "?.counts", "-o", "merged").ok
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    assert run("merge", "a.*s", "-o", "one").ok
    assert (tmp_path / "one").read_bytes() == (tmp_path / "a.counts").read_bytes()
    assert "x*.counts matches no file" in run("merge", "x*.counts", "-o", "two").refusal


def test_an_empty_file_is_appended_to_as_one_that_is_absent(run, corpus):
    (corpus.parent / "out").touch()
    assert run(*COUNT, corpus, "--append", "-o", corpus.parent / "out").ok
    assert (corpus.parent / "out").read_bytes() == without_checkpoint(run, COUNT, corpus)


def test_a_checkpoint_that_another_run_uses_is_refused(run, corpus):
    fcntl = pytest.importorskip("fcntl")
    (corpus.parent / "so-far").mkdir()
    words = (*COUNT, corpus, "-o", corpus.parent / "out", "--checkpoint", corpus.parent / "so-far")
    handle = os.open(corpus.parent / "so-far", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert "so-far is used by another run" in run(*words).refusal
    os.close(handle)
    assert run(*words).ok


def test_the_hidden_folder_of_a_killed_run_is_removed_by_the_next(run, corpus):
    fcntl = pytest.importorskip("fcntl")
    left, used = corpus.parent / ".out.abcdefgh.parts", corpus.parent / ".out.ijklmnop.parts"
    for folder in (left, used):
        folder.mkdir()
        (folder / "part-000000.counts").touch()
    handle = os.open(used, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert run(*COUNT, corpus, "-o", corpus.parent / "out").ok
    assert [left.exists(), used.exists()] == [False, True]
    os.close(handle)


def test_a_model_with_a_term_budget_says_what_it_dropped_and_does_not_forget(run, corpus):
    model = corpus.parent / "m.textnb"
    run(*BUDGET[:-4], "--term-budget", "20", corpus, "-o", model).ok  # noqa: B018
    info = run("info", model).ok.out
    assert "dropped terms" in info
    found = run("forget", model, corpus)
    assert (found.code, "a model with a term budget, or of counts with one, cannot forget" in found.err) == (1, True)
    assert run("update", model, table(corpus.parent / "more.csv", ROWS[:3])).ok
    assert run("train", corpus, "--model", "logistic", "--term-budget", "9", "-o", corpus.parent / "l").code == 2


def test_a_count_file_with_a_term_budget_says_what_it_lacks_and_so_do_its_models(run, corpus):
    counts, model = corpus.parent / "c.counts", corpus.parent / "m.textnb"
    done = run(*COUNT, corpus, "--term-budget", "20", "-o", counts).ok
    assert "20 terms\n" in done.err.replace("c.counts has ", "")
    assert "dropped terms: " in done.err
    shown = json.loads(run("info", counts, "--json").ok.out)
    assert (shown["terms"], {*shown["dropped"]}) == (20, {"terms", "counts", "documents per term"})
    assert shown["documents"] == sum(shown["classes"].values())
    assert "dropped terms" in run("info", counts).ok.out
    for name in ("multinomial", "logistic"):
        run("train", counts, "--model", name, "-o", model).ok  # noqa: B018
        assert json.loads(run("info", model, "--json").ok.out)["dropped"] == shown["dropped"]
        assert "cannot forget" in run("forget", model, corpus).err
    twice = run("merge", counts, counts, "-o", corpus.parent / "both.counts").ok
    assert "dropped terms: " in twice.err
    both = json.loads(run("info", corpus.parent / "both.counts", "--json").ok.out)
    assert both["dropped"] == {name: 2 * number for name, number in shown["dropped"].items()}


def test_documents_are_appended_to_a_count_file_within_a_term_budget(run, corpus):
    counts, more = corpus.parent / "c.counts", table(corpus.parent / "more.csv", ROWS[:3])
    for documents in (corpus, more):
        run(*COUNT, documents, "--append", "--term-budget", "20", "-o", counts).ok  # noqa: B018
    shown = json.loads(run("info", counts, "--json").ok.out)
    assert (shown["documents"], shown["terms"]) == (len(ROWS) + 3, 20)
    assert shown["dropped"]["counts"] > 0

"""What test, train and explain show a person: tables, colours, pages."""

import json
import math
import os
import re
import subprocess
import sys

import pytest

MISTAKEN = {"pets": ["egg salt dog", "dog"], "food": ["cat dog dog", "salt <b>egg</b>"]}


@pytest.fixture
def held_out(tmp_path):
    for label, texts in MISTAKEN.items():
        (tmp_path / "held-out" / label).mkdir(parents=True)
        for number, text in enumerate(texts):
            (tmp_path / "held-out" / label / f"{number}.txt").write_text(text)
    return "held-out"


def test_test_shows_reliability_and_the_surest_mistakes_with_their_words(run, model, held_out):
    done = run("test", model, held_out).ok
    assert "reliability" in done.out
    table = done.out.partition("most confident mistakes")[2]
    assert re.search(r"food/0\.txt.*food.*pets.*dog \+", table)
    assert "pets/0.txt" in table
    assert "food/1.txt" not in table
    assert "mistakes" not in run("test", model, held_out, "--mistakes", 0).out


def test_copies_of_a_document_are_one_group_and_do_not_narrow_the_interval(run, model, held_out, tmp_path):
    once = json.loads(run("test", model, held_out, "--json").out)
    assert "one group" not in run("test", model, held_out).out
    for path in list((tmp_path / "held-out").rglob("*.txt")):
        for number in range(3):
            path.with_name(f"{path.stem}-{number}.txt").write_text(path.read_text())
    copied = json.loads(run("test", model, held_out, "--json").out)
    assert (once["documents"], once["groups"], copied["documents"], copied["groups"]) == (4, 4, 16, 4)
    assert copied["accuracy_interval"] == pytest.approx(once["accuracy_interval"], abs=1e-12)
    shown = run("test", model, held_out, "--html", "report.html").out
    assert "4 (copies of a document are one group)" in shown
    assert "There are 4 different documents or groups" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_json_has_every_mistake_with_reasons_that_sum_to_its_score(run, model, held_out):
    coded = json.loads(run("test", model, held_out, "--json").out)
    assert {row["id"] for row in coded["mistakes"]} == {"food/0.txt", "pets/0.txt"}
    assert [row["probability"] for row in coded["mistakes"]] == sorted(
        (row["probability"] for row in coded["mistakes"]), reverse=True
    )
    for row in coded["mistakes"]:
        assert math.fsum(reason["value"] for reason in row["reasons"]) == pytest.approx(row["score"], abs=1e-9)
        assert row["score"] == pytest.approx(math.log(row["probability"] / row["probability_of_true"]), abs=1e-9)
    assert [row["class"] for row in coded["per_class"]] == ["food", "pets"]
    assert sum(row["documents"] for row in coded["reliability"]) == 4


def test_a_count_file_gives_the_same_mistakes_for_the_same_reasons(run, model, held_out):
    assert run("count", held_out, "-o", "held-out.counts", "-q").code == 0
    plain, counted = (json.loads(run("test", model, corpus, "--json").out) for corpus in (held_out, "held-out.counts"))
    for a, b in zip(plain["mistakes"], counted["mistakes"], strict=True):
        assert a["id"] == b["id"]
        assert a["score"] == pytest.approx(b["score"], abs=1e-12)
        assert {reason["term"]: reason["times"] for reason in a["reasons"]} == {
            reason["term"]: reason["times"] for reason in b["reasons"]
        }
    assert {**plain, "mistakes": []} == {**counted, "mistakes": []}


def test_a_page_of_a_test_holds_its_numbers_words_and_mistakes(run, model, held_out, tmp_path):
    done = run("test", model, held_out, "--html", "report.html", "--lang", "ja", "--json").ok
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<html lang="ja">' in page
    for shown in (
        "混同行列",
        "model.textnb の評価",
        f"{json.loads(done.out)['log_loss']:.3f}",
        "food/0.txt",
        ">dog</mark>",
    ):
        assert shown in page
    assert run("test", model, held_out, "--html", "report.html", "-q").code == 0
    assert '<html lang="en">' in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_page_of_a_training_holds_estimates_by_documents_left_out(run, corpus, tmp_path):
    done = run("train", corpus, "-o", "m.textnb", "--html", "report.html", "--lang", "en")
    assert done.code == 0, done.err
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for shown in ("Training of m.textnb", "each of 5 training documents", "Confusion matrix", "Training documents"):
        assert shown in page


def test_a_page_of_a_training_says_why_there_are_no_estimates(run, corpus, tmp_path):
    assert run("train", corpus, "-o", "m.textnb", "--no-calibrate", "--html", "report.html", "--lang", "en").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "There are no estimates: no documents were kept" in page
    assert "Confusion matrix" not in page


def test_explain_shades_the_text_in_a_terminal_and_leaves_it_plain_elsewhere(run, model):
    text = "my dog,  my\x1b[31m egg"
    plain = run("explain", model, stdin=text)
    assert plain.lines[0] == "my dog,  my\\u001b[31m egg"
    shaded = run("explain", model, stdin=text, env={"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm"})
    assert re.search("my \x1b\\[[0-9;]+mdog\x1b\\[0m,  my\\\\u001b", shaded.lines[0])
    uncoloured = run("explain", model, stdin=text, env={"FORCE_COLOR": "1", "NO_COLOR": "1"})
    assert re.sub("\x1b\\[[014]+m", "", uncoloured.lines[0]) == plain.lines[0]  # bold and underlined at most


def test_the_table_of_an_explanation_adds_up(run, model):
    done = run("explain", model, "--top", "1", stdin="dog egg egg salt cat")
    values = [float(value) for value in re.findall(r"│\s*(-?\d+\.\d{4})\s*│\n", done.out)]
    assert len(values) == 4
    assert sum(values[:-1]) == pytest.approx(values[-1], abs=2e-4)
    assert "(rest)" in done.out


def test_explain_writes_a_page_with_the_words_in_the_text_as_it_was_written(run, model, tmp_path):
    done = run("explain", model, "--html", "why.html", "--lang", "en", stdin="my dog <script>\nthe egg")
    assert done.code == 0, done.err
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert re.search(r'my <mark class="for4" title="[^"]+">dog</mark> &lt;script&gt;', page)
    assert page.count('<section class="document">') == 2


def test_a_page_never_takes_the_place_of_anything_but_a_page(run, model, held_out, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    done = run("test", model, held_out, "--html", "notes.txt")
    assert (done.code, done.out) == (1, "")
    assert "notes.txt already exists and is not an HTML page" in done.err
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert "is an input itself" in run("test", model, held_out, "--html", model).err


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--lang", "ja"], "needs a page; add --html FILE"),
        (["--html", "r.html", "--lang", "fr"], "unknown language 'fr'; use en or ja"),
    ],
)
def test_wrong_options_of_a_page_are_refused_before_the_work(run, model, held_out, options, complaint):
    assert complaint in run("test", model, held_out, *options).misuse


def test_a_page_that_cannot_be_written_is_refused_before_the_work(run, model, held_out):
    complaint = "nowhere/r.html cannot be written"
    assert complaint in run("test", model, held_out, "--html", "nowhere/r.html").refusal


@pytest.mark.parametrize(
    "command",
    [
        "test {model} {corpus}",
        "test {model} {corpus} --json",
        "explain {model} {corpus}",
        "explain {model} {corpus} --json",
        "compare {corpus} --models multinomial --folds 2",
        "compare {corpus} --models multinomial --folds 2 --csv",
        "curve {corpus} --models multinomial --folds 2",
    ],
)
def test_a_page_is_written_even_if_nobody_reads_the_output(run, model, tmp_path, command):
    folder = tmp_path / "larger"
    for label, word in (("pets", "dog"), ("food", "egg")):
        (folder / label).mkdir(parents=True)
        for n in range(8):
            (folder / label / f"{n}.txt").write_text(f"{word} number{n}")
    words = command.format(model=model, corpus=folder).split()
    assert run(*words, "--html", "whole.html", "--lang", "en").ok
    words += ["--html", "page.html", "--lang", "en"]
    program = [sys.executable, "-c", "from textnb.cli import main; main()", *words]
    reading, writing = os.pipe()
    os.close(reading)  # every write fails
    done = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    os.close(writing)
    assert "Traceback" not in done.stderr
    page, whole = ((tmp_path / name).read_text() for name in ("page.html", "whole.html"))
    assert page.endswith("</html>\n")
    assert len(page) == pytest.approx(len(whole), rel=0.01)

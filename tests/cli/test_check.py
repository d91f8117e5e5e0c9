import json
import shutil

import pytest
from click.testing import CliRunner

from textnb.cli import app
from textnb.corpus import known_corpus
from textnb.errors import InputError, ReadingWarning

COPY = "the cat sat on the mat and looked at the dog"


def check(*arguments):
    """What is printed, and the error that `main` makes one line and exit code 1 of."""
    done = CliRunner().invoke(app, ["corpus", "check", *map(str, arguments)], env={"COLUMNS": "120"})
    assert done.exception is None or isinstance(done.exception, InputError), done.output
    return done.stdout, str(done.exception or "")


def test_what_is_odd_is_named_in_json_and_shown_in_tables(corpus):
    (corpus / "pets" / "empty.txt").write_text("  \n")
    (corpus / "pets" / "long.txt").write_text(COPY)
    (corpus / "food" / "near.txt").write_text(COPY + "s")
    (corpus / "food" / "same.txt").write_text("cat bird")
    result = json.loads(check(corpus, "--json")[0])
    assert result["classes"] == {"food": 5, "pets": 4}
    assert result["empty"] == [{"id": "pets/empty.txt", "label": "pets", "split": str(corpus)}]
    assert "pets/1.txt" in [place["id"] for place in result["tiny"]]
    assert [place["id"] for place in result["exact"][0]["documents"]] == ["food/same.txt", "pets/1.txt"]
    assert [place["id"] for place in result["near"][0]["documents"]] == ["food/near.txt", "pets/long.txt"]
    assert result["exact"][0]["across_labels"]
    assert 0.9 < result["near"][0]["similarity"] < 1
    shown, error = check(corpus)
    assert "near, under several labels" in shown
    assert "food/near.txt ~ pets/long.txt" in shown
    assert error == ""


def test_damage_is_told_with_its_place(corpus):
    (corpus / "food" / "broken.txt").write_bytes(b"salt \xff\xff")
    with pytest.warns(ReadingWarning, match="could not be decoded"):
        (damaged,) = json.loads(check(corpus, "--json")[0])["damaged"]
    assert damaged["id"] == "food/broken.txt"
    assert len(damaged["trouble"]) == 1


def test_corpora_are_compared_as_splits_and_strict_makes_a_leak_an_error(corpus, tmp_path):
    other = tmp_path / "test.csv"
    other.write_text(f"id,text,label\n7,cat bird,pets\n8,{COPY},pets\n")
    printed, error = check(corpus, "--against", other, "--strict", "--json")
    assert error == f"{corpus}: duplicates in several splits: 1"
    (group,) = json.loads(printed)["exact"]
    assert {place["split"] for place in group["documents"]} == {str(corpus), str(other)}
    shown, error = check(corpus, "--against", other)
    assert "exact, in several splits" in shown
    assert error == ""


def test_giveaways_follow_the_tokenizer_and_the_thresholds_given(corpus):
    asked = (corpus, "--json", "--tokenizer", "words", "--ngram", "1-2", "--recall", "0.6")
    found = {(one["label"], one["term"]) for one in json.loads(check(*asked)[0])["giveaways"]}
    assert found == {("food", "egg"), ("food", "salt"), ("food", "oil"), ("pets", "cat")}
    assert check(corpus, "--precision", 2)[1] == "precision must be above 0 and at most 1, not 2.0"
    assert "similarity must be above 0" in check(corpus, "--similarity", 0)[1]


def test_a_corpus_is_checked_by_its_name_and_its_parts_as_splits():
    printed, error = check("ja-mini", "--strict", "--json", "--tokenizer", "charclass")
    result = json.loads(printed)
    assert error == ""
    assert result["classes"] == known_corpus("ja-mini").classes
    assert list(result["splits"]) == ["ja-mini/train", "ja-mini/test"]


def test_a_corpus_that_is_not_what_its_description_says_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    corpus = known_corpus("livedoor")
    (corpus.path / "smax").mkdir(parents=True)
    (corpus.path / "smax" / "smax-1.txt").write_text("http://example.com/\n2012-01-01\ntitle\nbody\n")
    shutil.copy(corpus.description, corpus.path)
    printed, error = check("livedoor", "--json")
    assert json.loads(printed)["classes"] == {"smax": 1}
    assert error.startswith("corpus 'livedoor' has {'smax': 1}, but its description says {")


def test_a_corpus_given_twice_or_without_texts_is_refused(corpus, tmp_path):
    assert f"{corpus} is given twice" in check(corpus, "--against", corpus)[1]
    counts = tmp_path / "c.counts"
    assert CliRunner().invoke(app, ["count", str(corpus), "-o", str(counts), "--quiet"]).exit_code == 0
    assert f"{counts} holds counts, not text" in check(counts)[1]


def test_the_command_itself_ends_with_an_exit_code(run, corpus):
    (corpus / "pets" / "empty.txt").write_text("")
    done = run("corpus", "check", corpus, "--strict")
    assert done.code == 1
    assert done.err == f"textnb: {corpus}: empty documents: 1\n"
    assert "empty" in done.out


def test_a_known_corpus_comes_before_a_folder_of_its_name_unless_that_has_a_separator(monkeypatch, corpus, tmp_path):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(corpus, tmp_path / "ja-mini")
    assert json.loads(check("ja-mini", "--json")[0])["documents"] == 544
    assert json.loads(check("./ja-mini", "--json")[0])["classes"] == {"food": 3, "pets": 2}

"""textnb train on mail: the model that it gets, and its options."""

import json
from pathlib import Path

import pytest

from textnb import Document, TextClassifier

JA_MAIL = Path(__file__).parent.parent.parent / "corpora" / "ja-mail"


@pytest.fixture
def mail(tmp_path):
    for label, words in (("ham", "see you at lunch"), ("spam", "cheap PILLS now")):
        (tmp_path / "mail" / label).mkdir(parents=True)
        for i in range(4):
            text = f"From: {label}{i}@example.jp\nSubject: {words}\n\n{words} {i}\n"
            (tmp_path / "mail" / label / f"{i}.eml").write_text(text)
    return tmp_path / "mail"


def test_a_corpus_of_mail_gets_the_model_for_mail_unless_another_is_asked_for(run, mail, corpus, tmp_path):
    for source, arguments, model in (
        (mail, [], "mail"),
        (mail, ["--model", "multinomial"], "multinomial"),
        (corpus, [], "multinomial"),
        (corpus, ["--model", "mail"], "mail"),
    ):
        done = run("train", source, "-o", "m.textnb", "--tokenizer", "words", *arguments)
        assert done.code == 0, done.err
        assert TextClassifier.load(tmp_path / "m.textnb").recipe.model == model


def test_words_are_folded_unless_normalisers_are_asked_for(run, mail, tmp_path):
    for arguments, term in (([], "pills"), (["--normalise", "nfkc"], "PILLS")):
        assert run("train", mail, "-o", "m.textnb", *arguments).code == 0
        assert term in TextClassifier.load(tmp_path / "m.textnb").fitted.vocabulary


def test_options_reach_the_recipe_and_what_was_found_is_told(run, mail, tmp_path):
    done = run("train", mail, "-o", "m.textnb", "--stacked-from", "5", "--l2", "0.5", "-v").ok
    assert "second factor" in done.err
    assert TextClassifier.load(tmp_path / "m.textnb").recipe.options == {"l2": 0.5, "stacked_from": 5.0}
    assert (
        "model 'mail': stacked_from must be a number of at least 0"
        in run("train", mail, "-o", "n.textnb", "--stacked-from", "-1").err
    )


def test_japanese_mail_is_learnt_and_told_apart(run, tmp_path):
    assert run("train", JA_MAIL, "-o", "m.textnb", "--tokenizer", "charclass").code == 0
    classifier = TextClassifier.load(tmp_path / "m.textnb")
    assert classifier.classes_.tolist() == ["family", "notices", "spam", "work"]
    assert classifier.predict(["特別キャンペーンに当選しました。今すぐクリックしてください"]).tolist() == ["spam"]


def test_the_words_of_a_class_are_told(run, mail):
    assert run("train", mail, "-o", "m.textnb").code == 0
    done = run("words", "m.textnb").ok
    assert "pills" in done.out


def test_how_much_was_learnt_since_the_fit_is_told(run, mail, tmp_path):
    assert run("train", mail, "-o", "m.textnb").code == 0
    assert "changed since" not in run("info", "m.textnb").out
    classifier = TextClassifier.load(tmp_path / "m.textnb")
    classifier.update([Document("more PILLS", "spam")], refit="never").save(tmp_path / "m.textnb")
    assert "1 document learnt or forgotten after the fit" in " ".join(run("info", "m.textnb").out.split())
    assert json.loads(run("info", "m.textnb", "--json").out)["fit"]["since"] == 1

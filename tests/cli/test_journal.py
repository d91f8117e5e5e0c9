"""Corrections in the journal as the command line shows them, and the verbs that fold them into a model."""

import json
from dataclasses import replace

import pytest
from on_words import classifier_on_words

from textnb import Document
from textnb.files.correction import journal_path
from textnb.mail.decision import mail_document

TEXTS = [f"w{n % 7} v{n % 5} n{n % 3} of" for n in range(60)]
LABELS = ["spam" if n % 3 else "ham" for n in range(60)]
MAIL = b"Subject: pills\n\nw1 w1 pills\n"


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.textnb"
    trained().save(path)
    return path


def trained(*more):
    labelled = [Document(text, label) for text, label in zip(TEXTS, LABELS, strict=True)]
    return classifier_on_words(tokenizer="words").fit([*labelled, *more])


def learnt_mail():
    document = mail_document(MAIL)
    return Document(document.text, "spam", fields=document.fields)


def written(classifier, tmp_path):
    classifier.save(tmp_path / "expected")
    return (tmp_path / "expected").read_bytes()


def test_learning_leaves_the_file_alone_and_info_says_what_is_pending(run, model):
    before = model.read_bytes()
    assert "pending" not in run("info", model).out
    done = run("learn", model, "--as", "spam", stdin=MAIL)
    assert (done.code, done.err) == (0, f"learnt; {model} has 61 documents\n")
    assert model.read_bytes() == before
    assert json.loads(run("info", model, "--json").out)["pending corrections"] == 1
    assert "pending corrections" in run("info", model).out
    done = run("refit", model)
    assert (done.code, done.err) == (0, f"refitted; {model} has 61 documents\n")
    assert "pending" not in run("info", model).out


def test_refit_writes_the_bytes_of_one_training(run, model, tmp_path):
    run("learn", model, "--as", "spam", stdin=MAIL)
    run("refit", model)
    assert model.read_bytes() == written(trained(learnt_mail()), tmp_path)


@pytest.mark.parametrize("verb", ["update", "forget"])
def test_update_and_forget_fold_the_journal(run, model, tmp_path, verb):
    run("learn", model, "--as", "spam", stdin=MAIL)
    corpus = tmp_path / "more.csv"
    corpus.write_text(f"text,label\n{TEXTS[0]},{LABELS[0]}\n", encoding="utf-8")
    assert run(verb, model, corpus, "--quiet").code == 0
    expected = trained(learnt_mail())
    getattr(expected, verb)([TEXTS[0]], [LABELS[0]])
    assert model.read_bytes() == written(expected, tmp_path)
    assert "pending" not in run("info", model).out


def test_a_small_update_in_the_journal_leaves_the_file_alone_until_refit(run, model, tmp_path):
    before, corpus = model.read_bytes(), tmp_path / "more.csv"
    corpus.write_text("text,label\nw1 pills,spam\nw1 pills,spam\n", encoding="utf-8")
    done = run("update", model, corpus, "--journal")
    assert (done.code, done.err) == (0, f"learnt 2 documents in the journal; {model} has 62 documents\n")
    assert model.read_bytes() == before
    assert json.loads(run("info", model, "--json").out)["pending corrections"] == 2
    run("refit", model)
    assert model.read_bytes() == written(trained(*[Document("w1 pills", "spam")] * 2), tmp_path)


@pytest.mark.parametrize(
    ("more", "given", "said"),
    [
        ("a,ham\n", ["-o", "other"], "--journal changes the journal of the model itself; leave out --output"),
        ("", [], "more.csv has no documents"),
    ],
)
def test_an_update_that_does_not_go_into_the_journal_is_one_clear_line(run, model, tmp_path, more, given, said):
    corpus = tmp_path / "more.csv"
    corpus.write_text(f"text,label\n{more}", encoding="utf-8")
    done = run("update", model, corpus, "--journal", *given)
    assert done.code != 0 and said in done.err and done.err.count("\n") == 1
    assert not journal_path(model).exists()


def test_merge_folds_the_journals_of_all_models_and_leaves_them(run, model, tmp_path):
    run("learn", model, "--as", "spam", stdin=MAIL)
    other, output = tmp_path / "other", tmp_path / "both"
    classifier_on_words(tokenizer="words").fit(["other words"], ["ham"]).save(other)
    assert run("merge", other, model, "-o", output, "--quiet").code == 0
    assert output.read_bytes() == written(trained(learnt_mail(), Document("other words", "ham")), tmp_path)
    assert not journal_path(output).exists()
    assert json.loads(run("info", model, "--json").out)["pending corrections"] == 1


def test_a_stripped_copy_has_the_corrections(run, model, tmp_path):
    run("learn", model, "--as", "spam", stdin=MAIL)
    assert run("strip", model, "-o", tmp_path / "shared", "--quiet").code == 0
    trained(learnt_mail()).save(tmp_path / "expected", stripped=True)
    assert (tmp_path / "shared").read_bytes() == (tmp_path / "expected").read_bytes()


def test_unlearning_what_was_never_learnt_is_refused_and_adds_nothing(run, model):
    done = run("unlearn", model, "--as", "spam", stdin=MAIL)
    assert done.code == 1
    assert "never learnt as 'spam'" in done.err
    assert "pending" not in run("info", model).out


@pytest.mark.parametrize("arguments", [[], ["m.textnb", "--socket", "s"]])
def test_learn_takes_a_model_or_a_socket(run, arguments):
    done = run("learn", *arguments, "--as", "spam", stdin=MAIL)
    assert done.code == 2
    assert "name either a model file or the socket of textnb filterd" in done.err


def test_a_service_that_is_not_there_is_one_clear_line(run, tmp_path):
    done = run("learn", "--socket", tmp_path / "nobody", "--as", "spam", stdin=MAIL)
    assert done.code == 1
    assert done.err.count("\n") == 1


def dated_mail(name, day):
    received = f"from a.example by b.example; {day}"
    return f"Received: {received}\nDate: Mon, 1 Jan 2035 10:00:00 +0000\nSubject: {name}\n\nw1 {name}\n".encode()


OLD, NEW = dated_mail("old", "Tue, 1 Jan 2002 10:00:00 +0000"), dated_mail("new", "Fri, 1 Mar 2002 01:00:00 +0900")


def received(message):
    return replace(mail_document(message), label="spam")


def test_what_was_received_before_a_day_is_forgotten_also_from_the_journal(run, model, tmp_path):
    for message in (OLD, NEW):
        run("learn", model, "--as", "spam", stdin=message)
    done = run("forget", model, "--before", "2002-02-28")
    assert (done.code, done.err.partition(";")[0]) == (0, "forgotten 1 document")
    assert model.read_bytes() == written(trained(received(NEW)), tmp_path)
    assert json.loads(run("info", model, "--json").out)["dates"]["first"] == "2002-02-28"
    assert "2002-02-28 to 2002-02-28, of 1 kept documents" in run("info", model).out
    done = run("forget", model, "--before", "2002-03-01")
    assert done.code == 0
    assert model.read_bytes() == written(trained(), tmp_path)


def test_refit_keeps_a_period(run, model, tmp_path):
    for message in (OLD, dated_mail("late", "Fri, 1 Mar 2999 01:00:00 +0900")):
        run("learn", model, "--as", "spam", stdin=message)
    done = run("refit", model, "--keep", "24months")
    assert (done.code, done.err) == (0, f"refitted; {model} has 61 documents\n")
    assert json.loads(run("info", model, "--json").out)["dates"]["first"] == "2999-02-28"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["forget"], 2, "name either a corpus or a day (--before DATE)"),
        (["forget", "corpus.csv", "--before", "2002-01-01"], 2, "name either a corpus or a day (--before DATE)"),
        (["forget", "corpus.csv", "--undated"], 2, "--undated would have no effect without --before"),
        (["forget", "--before", "2002-01-01", "--glob", "*"], 2, "--glob would have no effect with --before"),
        (["forget", "--before", "1.1.2002"], 2, "a day must be a date such as 2024-12-31, not '1.1.2002'"),
        (["forget", "--before", "2002-01-01"], 1, "no document of the model has a date"),
        (["refit", "--keep", "forever"], 2, "a period must be days, weeks, months or years such as 24months"),
    ],
)
def test_what_cannot_be_forgotten_is_one_clear_line(run, model, arguments, code, said):
    before = model.read_bytes()
    done = run(arguments[0], model, *arguments[1:])
    assert done.code == code
    assert said in done.err
    assert model.read_bytes() == before


def test_merging_into_one_of_the_models_keeps_its_journal(run, model, tmp_path):
    run("learn", model, "--as", "spam", stdin=MAIL)
    other = tmp_path / "other"
    classifier_on_words(tokenizer="words").fit(["other words"], ["ham"]).save(other)
    assert run("merge", other, model, "-o", model, "--quiet").code == 0
    assert model.read_bytes() == written(trained(learnt_mail(), Document("other words", "ham")), tmp_path)
    run("learn", model, "--as", "spam", stdin=NEW)
    assert json.loads(run("info", model, "--json").out)["pending corrections"] == 1


def test_a_damaged_journal_is_refused_before_a_model_is_trained_in_its_place(run, model, tmp_path):
    journal_path(model).write_bytes(b"no journal")
    done = run("train", tmp_path / "nowhere.csv", "-o", model)
    assert done.code != 0 and "m.textnb-journal is damaged" in done.err and done.err.count("\n") == 1

"""Corrections: exact, noticed when repeated, and moved from class to class."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from corrected_models import LABELS as NAMES
from corrected_models import TEXTS as WORDS
from corrected_models import saved, trained
from on_words import classifier_on_words

from textnb import Document, TextClassifier
from textnb.errors import FitWarning, InputError, NotLearntError
from textnb.files.correction import journal_path
from textnb.mail import corrections
from textnb.mail.corrections import (
    CorrectedFile,
    Done,
    change_file,
    learn,
    learn_all,
    learn_decided,
    learn_into_file,
    refit_file,
    unlearn,
)
from textnb.mail.decision import Cutoffs, MailFilter, Verdict, mail_document

TEXTS = ["cheap pills now", "cheap watches", "see you at lunch", "lunch was good"]
LABELS = ["spam", "spam", "ham", "ham"]
MAIL = b"From: a@example.jp\nSubject: pills at lunch\n\ncheap lunch\n"


@pytest.fixture
def classifier():
    return fitted()


def fitted(more=(), label=None):
    documents = [Document(text, label=name) for text, name in zip(TEXTS, LABELS, strict=True)]
    return classifier_on_words(tokenizer="words").fit(
        [*documents, *(Document(d.text, label, fields=d.fields) for d in more)]
    )


def test_a_mail_is_learnt_once_moved_by_was_and_forgotten_as_if_never_seen(classifier):
    mail = mail_document(MAIL)
    assert learn(classifier, mail, "spam") is Done.LEARNT
    assert learn(classifier, mail, "spam") is Done.KNOWN
    assert classifier.learnt == fitted([mail], "spam").learnt
    assert classifier.learnt_as(mail) == ["spam"]
    assert learn(classifier, mail, "ham", was="spam") is Done.MOVED
    assert learn(classifier, mail, "ham", was="spam") is Done.KNOWN
    assert classifier.learnt == fitted([mail], "ham").learnt
    assert unlearn(classifier, mail, "ham") is Done.UNLEARNT
    assert classifier.learnt == fitted().learnt
    assert learn(classifier, mail, "ham", was="spam") is Done.LEARNT
    assert classifier.learnt == fitted([mail], "ham").learnt


def test_one_mail_does_not_speak_for_two_classes(classifier):
    mail = mail_document(MAIL)
    learn(classifier, mail, "spam")
    with pytest.raises(InputError, match="was learnt as spam; use --was spam to move it"):
        learn(classifier, mail, "ham")


def test_a_mail_of_both_classes_is_taken_out_of_the_wrong_one(classifier):
    mail = mail_document(MAIL)
    classifier.update([mail, mail], ["spam", "ham"])
    assert learn(classifier, mail, "ham", was="spam") is Done.MOVED
    assert classifier.learnt == fitted([mail], "ham").learnt


def test_what_was_never_learnt_cannot_be_unlearnt(classifier):
    mail = mail_document(MAIL)
    with pytest.raises(NotLearntError, match="it was learnt as no class"):
        unlearn(classifier, mail, "spam")
    learn(classifier, mail, "ham")
    with pytest.raises(NotLearntError, match=r"never learnt as 'spam'.*learnt as ham"):
        unlearn(classifier, mail, "spam")


def test_a_new_class_must_be_asked_for(classifier):
    mail = mail_document(MAIL)
    for label, was in (("spma", None), ("spam", "hma")):
        with pytest.raises(InputError, match="is not among the model's classes: ham, spam"):
            learn(classifier, mail, label, was=was)
    with pytest.raises(InputError, match="name two classes"):
        learn(classifier, mail, "spam", was="spam")
    assert learn(classifier, mail, "friends", new=True) is Done.LEARNT
    assert classifier.classes_.tolist() == ["friends", "ham", "spam"]


def test_the_filter_knows_a_mail_again_that_it_has_marked(classifier):
    learn(classifier, mail_document(MAIL), "spam")
    marked = MailFilter(classifier, Cutoffs("spam"))(MAIL).message
    assert learn(classifier, mail_document(marked), "spam") is Done.KNOWN


def test_the_model_mail_hears_a_correction_at_once_and_refits_when_told():
    texts, labels = [f"{text} {n}" for n in range(10) for text in TEXTS], LABELS * 10
    classifier, mail = TextClassifier("mail", tokenizer="words").fit(texts, labels), mail_document(MAIL)
    assert learn(classifier, mail, "spam") is Done.LEARNT
    assert classifier.fitted.fit.since == 1
    classifier.refit()
    again = TextClassifier("mail", tokenizer="words").fit([*texts, mail], [*labels, "spam"])
    assert classifier.fitted.fit.since == 0
    assert classifier.predict_log_proba([MAIL.decode()]).tolist() == again.predict_log_proba([MAIL.decode()]).tolist()


def test_mails_learnt_at_the_same_time_are_all_learnt(classifier, tmp_path):
    path = tmp_path / "m.textnb"
    classifier.save(path)
    mails = [Document(f"mail {number}") for number in range(6)]
    with ThreadPoolExecutor(6) as threads:  # they wait for each other as processes do: the lock is one of open files
        done = threads.map(lambda mail: change_file(path, lambda c: learn(c, mail, "ham")).done, mails)
        assert set(done) == {Done.LEARNT}
    assert TextClassifier.load(path).learnt == fitted(mails, "ham").learnt


def test_what_was_decided_is_learnt_unless_the_user_has_said_otherwise(classifier, tmp_path):
    path, mail = tmp_path / "m.textnb", mail_document(MAIL)
    classifier.save(path)
    assert learn_decided(path, MAIL, Verdict("spam", 1.0, False)) is Done.LEARNT
    assert learn_decided(path, MAIL, Verdict("ham", 1.0, False)) is Done.KNOWN
    assert TextClassifier.load(path).learnt_as(mail) == ["spam"]


def test_many_lessons_are_learnt_as_one_after_the_other(classifier):
    mails = [mail_document(MAIL), Document("lunch pills"), Document("watches"), Document(TEXTS[0])]
    classifier.update(mails[1:2], ["ham"])
    lessons = [(mails[0], "ham"), (mails[1], "spam"), (mails[0], "spam"), (mails[2], "ham"), (mails[3], "spam")]
    one_by_one = fitted().update(mails[1:2], ["ham"])
    for mail, label in lessons:
        other = "ham" if label == "spam" else "spam"
        learn(one_by_one, mail, label, was=other)
    assert learn_all(classifier, lessons) == {Done.LEARNT: 2, Done.MOVED: 1, Done.KNOWN: 1}
    assert classifier.learnt == one_by_one.learnt
    again = [(mail, classifier.learnt_as(mail)[0]) for mail in mails]
    assert learn_all(classifier, again) == {Done.KNOWN: 4}
    with pytest.raises(InputError, match="'spma' is not among the model's classes"):
        learn_all(classifier, [(mails[0], "spma")])


def test_lessons_are_written_once_and_only_where_they_are_new(classifier, tmp_path):
    path, mails = tmp_path / "m.textnb", [mail_document(MAIL), Document("lunch pills")]
    classifier.save(path)
    lessons = [(mail, "spam") for mail in mails]
    assert learn_into_file(path, lessons) == {Done.LEARNT: 2}
    written = path.stat().st_ino
    assert TextClassifier.load(path).learnt == fitted(mails, "spam").learnt
    assert learn_into_file(path, lessons) == {Done.KNOWN: 2}
    assert path.stat().st_ino == written
    with pytest.raises(InputError, match="nowhere does not exist; train a model first"):
        change_file(tmp_path / "nowhere", lambda learner: learn(learner, mails[0], "spam"))
    with pytest.raises(InputError, match="nowhere does not exist; train a model first"):
        refit_file(tmp_path / "nowhere")


LABELS_OF_NUMBERS = [1 if name == "spam" else 0 for name in NAMES]


@pytest.mark.parametrize(
    ("options", "labels", "lesson", "why"),
    [
        (
            {"prior": {"ham": 0.5, "spam": 0.5}},
            NAMES,
            ("friends",),
            "the prior names .* the classes are .*friends",
        ),
        ({"prior": [0.5, 0.5]}, NAMES, ("friends",), "the prior must hold 3 numbers, one per class"),
        ({}, LABELS_OF_NUMBERS, ("friends",), "class 'friends' does not fit: the labels of this model are whole numb"),
        ({}, LABELS_OF_NUMBERS, ("01",), "class '01' does not fit: the labels of this model are whole numbers"),
        (
            {"model": "nb-logistic", "sample": 0},
            NAMES,
            ("spam",),
            "keeps no documents .* train it again",
        ),
        ({"term_budget": 9}, NAMES, (), "cannot forget"),
    ],
)
def test_a_correction_that_could_never_be_folded_is_refused_at_once(tmp_path, options, labels, lesson, why):
    path = tmp_path / "m.textnb"
    TextClassifier(**{"model": "multinomial", "tokenizer": "words", **options}).fit(WORDS, labels).save(path)
    mail = Document("w1 w1 new") if lesson else Document(WORDS[0])
    with pytest.raises(InputError, match=why) as refused:
        if lesson:
            change_file(path, lambda learner: learn(learner, mail, *lesson, new=True))
        else:
            change_file(path, lambda learner: unlearn(learner, mail, "ham"))
    assert "\n" not in str(refused.value)
    assert TextClassifier.load(path).state.n_pending == 0


def test_the_last_document_of_a_class_that_the_prior_names_cannot_be_unlearnt(tmp_path):
    path = tmp_path / "m.textnb"
    prior = {"ham": 0.4, "spam": 0.4, "third": 0.2}
    trained(more=[Document("w1 rare", "third")], prior=prior).save(path)
    with pytest.raises(InputError, match="could not be fitted after this correction, so nothing was changed"):
        change_file(path, lambda learner: unlearn(learner, Document("w1 rare"), "third"))
    assert TextClassifier.load(path).state.n_pending == 0


def test_a_label_of_the_kind_of_the_model_is_learnt_by_its_name(tmp_path):
    path = tmp_path / "m.textnb"
    TextClassifier("multinomial", tokenizer="words").fit(WORDS, LABELS_OF_NUMBERS).save(path)
    change_file(path, lambda learner: learn(learner, Document("w1 w1 new"), "10", new=True))
    refit_file(path)
    assert TextClassifier.load(path).classes_.tolist() == [0, 1, 10]


def test_a_stripped_model_refuses_a_correction_in_one_line(tmp_path):
    path = tmp_path / "m.textnb"
    trained().save(path, stripped=True)
    with pytest.raises(InputError, match="was stripped: it only answers"):
        change_file(path, lambda learner: learn(learner, Document("w1"), "spam"))
    assert not journal_path(path).exists()


class DiskFullError(OSError):
    pass


@pytest.mark.parametrize("error", [DiskFullError(28, "No space left on device"), ZeroDivisionError("a bug")])
def test_a_correction_whose_folding_fails_is_acknowledged_with_a_warning(tmp_path, monkeypatch, error):
    path = saved(tmp_path)
    before = path.read_bytes()

    def fails(*_, **__):
        raise error

    mails = [Document(f"mail {n}") for n in range(4)]
    monkeypatch.setattr(Path, "replace", fails)
    for mail in mails[:2]:
        change_file(path, lambda learner, mail=mail: learn(learner, mail, "spam"))
    for mail in mails[2:]:  # 60 documents: due with 3
        with pytest.warns(FitWarning, match=r"is in .*m.textnb-journal and stays there.*; textnb refit .* tries again"):
            corrected = change_file(path, lambda learner, mail=mail: learn(learner, mail, "spam"))
        assert corrected.done is Done.LEARNT
    assert (path.read_bytes(), TextClassifier.load(path).state.n_pending) == (before, 4)
    monkeypatch.undo()
    refit_file(path)
    trained(more=[replace(mail, label="spam") for mail in mails]).save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def test_several_processes_that_find_the_journal_due_fold_it_once(tmp_path, monkeypatch):
    path, refitted = saved(tmp_path), []
    files = [CorrectedFile(path) for _ in range(5)]
    for number, file in enumerate(files):
        file.change(lambda learner, n=number: learn(learner, Document(f"mail {n}"), "spam"))
    assert [file.is_due for file in files] == [False, False, True, True, True]
    refit = corrections._refit
    monkeypatch.setattr(corrections, "_refit", lambda *given: refitted.append(refit(*given)))
    for file in files:
        if file.is_due:
            corrections.fold_if_due(path)
    assert len(refitted) == 1
    assert TextClassifier.load(path).state.n_pending == 0

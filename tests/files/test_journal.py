"""The journal: durable, bound to its file, folded exactly once whatever crashes, and safe to read."""

import os
import pickle
import random
import sqlite3
import tempfile
import warnings
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from corrected_models import LABELS, MAILS, TEXTS, correct, dated, saved, trained
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import Document, TextClassifier
from textnb.errors import InputError, ModelFileError, NotLearntError, ReadingWarning, TextnbError
from textnb.files import journal
from textnb.files.bundle import identity_of
from textnb.files.correction import LEARN, UNLEARN, Correction, ModelReplacedError, journal_path
from textnb.files.journal import Journal
from textnb.mail import corrections
from textnb.mail.corrections import CorrectedFile, Done, learn, refit_file, unlearn


@pytest.fixture
def never_due(monkeypatch):
    monkeypatch.setattr(corrections.JournalledModel, "is_due", False)


def correction(kind=LEARN, label="spam"):
    terms, vocabulary = ["w1", "w1", "v2", "new"], trained().fitted.vocabulary
    return Correction.of(kind, Document("w1 w1 v2 new", label), terms, "0" * 64, vocabulary)


def test_what_was_added_is_read_in_its_order(tmp_path):
    path = saved(tmp_path)
    added = [correction(), correction(UNLEARN), correction(label="ham")]
    for each in added:
        with Journal(path).writing(identity_of(path)) as transaction:
            transaction.append(each)
    found = Journal(path).pending(identity_of(path))
    assert (found.corrections, found.row) == (tuple(added), 3)
    assert found.corrections[0].counts == {"new": 1, "v2": 1, "w1": 2}


def test_a_transaction_that_fails_adds_nothing(tmp_path):
    path = saved(tmp_path)
    with pytest.raises(ZeroDivisionError), Journal(path).writing(identity_of(path)) as transaction:
        transaction.append(correction())
        raise ZeroDivisionError
    assert Journal(path).pending(identity_of(path)).corrections == ()


def test_a_correction_is_known_at_once_and_the_file_stays_as_it_was(tmp_path, never_due):
    path = saved(tmp_path)
    before = path.read_bytes()
    assert correct(path, lambda learner: learn(learner, MAILS[0], "spam")) is Done.LEARNT
    assert correct(path, lambda learner: learn(learner, MAILS[0], "spam")) is Done.KNOWN
    assert TextClassifier.load(path).learnt == trained(more=[Document("w1 w1 new", "spam")]).learnt
    assert correct(path, lambda learner: learn(learner, MAILS[0], "ham", was="spam")) is Done.MOVED
    assert TextClassifier.load(path).learnt == trained(more=[Document("w1 w1 new", "ham")]).learnt
    assert correct(path, lambda learner: unlearn(learner, MAILS[0], "ham")) is Done.UNLEARNT
    assert TextClassifier.load(path).learnt == trained().learnt
    assert path.read_bytes() == before


def test_a_document_of_the_file_can_be_unlearnt(tmp_path, never_due):
    path = saved(tmp_path)
    assert correct(path, lambda learner: unlearn(learner, Document(TEXTS[1]), "spam")) is Done.UNLEARNT
    loaded = TextClassifier.load(path)
    assert loaded.learnt == trained().forget([TEXTS[1]], ["spam"]).learnt
    assert loaded.state.n_pending == 1


def test_a_model_that_was_trained_again_inherits_no_journal_not_even_with_equal_bytes(tmp_path, never_due):
    path = saved(tmp_path)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    before = path.read_bytes()
    saved(tmp_path)
    assert path.read_bytes() == before
    assert TextClassifier.load(path).learnt == trained().learnt
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    saved(tmp_path, alpha=0.5)
    assert TextClassifier.load(path).state.n_pending == 0
    assert correct(path, lambda learner: learn(learner, MAILS[0], "spam")) is Done.LEARNT


def test_a_file_that_was_copied_over_the_model_inherits_no_journal(tmp_path, never_due):
    path, other = saved(tmp_path), tmp_path / "other"
    trained(alpha=0.5).save(other)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    other.replace(path)
    assert TextClassifier.load(path).state.n_pending == 0
    correct(path, lambda learner: learn(learner, MAILS[1], "ham"))
    assert TextClassifier.load(path).learnt == trained(alpha=0.5, more=[Document(MAILS[1].text, "ham")]).learnt


def test_what_comes_while_a_model_is_folded_stays_pending(tmp_path, never_due):
    path = saved(tmp_path)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    folding = TextClassifier.load(path)
    correct(path, lambda learner: learn(learner, MAILS[1], "ham"))
    folding.save(path)
    loaded = TextClassifier.load(path)
    assert loaded.state.n_pending == 1
    assert loaded.learnt == trained(more=[Document(MAILS[0].text, "spam"), Document(MAILS[1].text, "ham")]).learnt
    unchanged = TextClassifier.load(path).predict_proba(TEXTS)
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), unchanged)


def test_the_first_correction_that_comes_while_a_model_is_written_is_not_lost(tmp_path, never_due, monkeypatch):
    path = saved(tmp_path)
    folding = TextClassifier.load(path).update(["w1"], ["ham"])
    rename = Path.replace

    def late(temporary, target):
        if str(target) == str(path):
            correct(path, lambda learner: learn(learner, MAILS[1], "ham"))
        return rename(temporary, target)

    monkeypatch.setattr(Path, "replace", late)
    folding.save(path)
    monkeypatch.undo()
    assert TextClassifier.load(path).learnt_as(MAILS[1]) == ["ham"]


def test_saving_elsewhere_folds_and_leaves_the_journal(tmp_path, never_due):
    path, other = saved(tmp_path), tmp_path / "other"
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    TextClassifier.load(path).save(other)
    trained(more=[Document(MAILS[0].text, "spam")]).save(tmp_path / "expected")
    assert other.read_bytes() == (tmp_path / "expected").read_bytes()
    assert not journal_path(other).exists()
    assert TextClassifier.load(path).state.n_pending == 1


def test_a_reader_of_a_file_that_was_replaced_is_told(tmp_path, never_due):
    path = saved(tmp_path)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    old = identity_of(path)
    refit_file(path)
    with pytest.raises(ModelReplacedError):
        Journal(path).pending(old)
    assert Journal(path).pending(identity_of(path)).corrections == ()


@pytest.mark.parametrize("kind", ["multinomial", "complement", "mail", "nb-logistic"])
def test_refit_gives_the_bytes_of_one_training(tmp_path, never_due, kind):
    path = saved(tmp_path, kind)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    correct(path, lambda learner: unlearn(learner, Document(TEXTS[1]), "spam"))
    correct(path, lambda learner: learn(learner, MAILS[4], "friends", new=True))
    refit_file(path)
    more = [Document(MAILS[0].text, "spam"), Document(MAILS[4].text, "friends")]
    expected = trained(kind, more).forget([TEXTS[1]], ["spam"])
    expected.save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


class CrashError(Exception):
    pass


def crashing(moment, monkeypatch):
    def crash(*_, **__):
        raise CrashError

    if moment == "before announcing":
        monkeypatch.setattr(Journal, "announce", crash)
    elif moment == "before the rename":
        monkeypatch.setattr(Path, "replace", crash)
    else:
        monkeypatch.setattr(Journal, "tidy", crash)


CRASHES = ["before announcing", "before the rename", "before tidying"]
NAMES = st.sampled_from(["ham", "spam", "third"])
STEPS = st.one_of(
    st.tuples(st.sampled_from(["learn", "unlearn"]), st.integers(0, 4), NAMES, st.integers(0, 3)),
    st.sampled_from([("refit",), *(("crash", moment) for moment in CRASHES)]),
    st.tuples(st.just("forget before"), st.integers(1, 4)),
)
KINDS = ["multinomial", "complement", "bernoulli", "unb"]


@given(steps=st.lists(STEPS, max_size=12), kind=st.sampled_from(KINDS))
@settings(max_examples=25, deadline=None)
def test_any_order_of_learning_unlearning_refitting_ageing_and_crashing_equals_one_training(
    tmp_path_factory, steps, kind
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corrections.JournalledModel, "is_due", False)
        folder = tmp_path_factory.mktemp("law")
        path, learnt = saved(folder, kind), {}
        for name, *given in steps:
            if name == "refit":
                refit_file(path)
            elif name == "forget before":
                age(path, learnt, given[0])
            elif name == "crash":
                with pytest.MonkeyPatch.context() as crash, pytest.raises(CrashError):
                    crashing(given[0], crash)
                    refit_file(path)
            else:
                step(path, learnt, name, *given)
            loaded = TextClassifier.load(path)
            assert {(n, label) for n, mail in enumerate(MAILS) for label in loaded.learnt_as(mail)} == set(learnt)
        refit_file(path)
        mails = [replace(dated(MAILS[n], day), label=label) for (n, label), day in learnt.items()]
        trained(kind, mails).save(folder / "expected")
        assert path.read_bytes() == (folder / "expected").read_bytes()
        assert TextClassifier.load(path).state.n_pending == 0


def step(path, learnt, name, number, label, day):
    """Learn or unlearn a mail of a day; ``learnt`` has the day of each mail and label."""
    mail = dated(MAILS[number], day)
    try:
        if name == "learn":
            others = [other for n, other in learnt if n == number and other != label]
            was = others[0] if others else None
            correct(path, lambda learner: learn(learner, mail, label, was=was, new=True))
            for other in others:
                del learnt[number, other]
            learnt.setdefault((number, label), day)  # a known mail is not learnt again, so its day stays
        else:
            correct(path, lambda learner: unlearn(learner, mail, label))
            del learnt[number, label]
    except TextnbError:
        assert name == "unlearn" and (number, label) not in learnt


def age(path, learnt, day):
    old = [key for key, each in learnt.items() if 0 < each < day]
    try:
        refit_file(path, forget_before=date(2002, 1, day))
    except TextnbError as error:
        assert "no document of the model has a date" in str(error) and not any(learnt.values())
    for key in old:
        del learnt[key]


class Clock:
    """Time that tests set."""

    def __init__(self, monkeypatch):
        self.now = 1_000_000_000.0
        monkeypatch.setattr("time.time", lambda: self.now)


def test_a_correction_a_day_after_the_oldest_pending_one_folds_the_journal(tmp_path, monkeypatch):
    clock, path = Clock(monkeypatch), tmp_path / "m.textnb"
    trained(more=[Document(f"more{n}", "ham") for n in range(100)]).save(path)
    for seconds, pending in ((0, 1), (80_000, 2), (6_399, 3), (1, 0)):
        clock.now += seconds
        document = Document(f"mail {clock.now}")
        corrections.change_file(path, lambda learner, document=document: learn(learner, document, "spam"))
        assert TextClassifier.load(path).state.n_pending == pending


def test_a_journal_at_rest_is_folded_once_and_after_a_failure_not_before_the_next_correction(tmp_path, monkeypatch):
    clock, path = Clock(monkeypatch), saved(tmp_path)
    file = CorrectedFile(path, stays_open=True)
    assert not file.fold_if_rested()
    file.change(lambda learner: learn(learner, MAILS[0], "spam"))
    clock.now += corrections.REST_SECONDS - 1
    assert not file.fold_if_rested()
    clock.now += 1
    with monkeypatch.context() as patch, pytest.raises(CrashError):
        crashing("before the rename", patch)
        file.fold_if_rested()
    assert not file.fold_if_rested()
    assert TextClassifier.load(path).state.n_pending == 1
    file.change(lambda learner: learn(learner, MAILS[1], "ham"))
    clock.now += corrections.REST_SECONDS
    assert file.fold_if_rested()
    assert not file.fold_if_rested()
    trained(more=[Document(MAILS[0].text, "spam"), Document(MAILS[1].text, "ham")]).save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def test_corrections_of_a_file_that_is_merged_meanwhile_stay_pending(tmp_path, never_due):
    path, other = saved(tmp_path), tmp_path / "other"
    TextClassifier("multinomial", tokenizer="words").fit(["other words"], ["ham"]).save(other)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    total = TextClassifier.load(other).merge(TextClassifier.load(path))
    correct(path, lambda learner: learn(learner, MAILS[1], "ham"))
    total.save(path)
    loaded = TextClassifier.load(path)
    assert loaded.state.n_pending == 1
    more = [Document("other words", "ham"), Document(MAILS[0].text, "spam"), Document(MAILS[1].text, "ham")]
    assert loaded.learnt == trained(more=more).learnt
    loaded.save(path)
    trained(more=more).save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def without_days(path):
    """Turn the journal of a model into one of the first kind, without days and times."""
    connection = sqlite3.connect(journal_path(path), isolation_level=None)
    for column in ("added", "day"):
        connection.execute(f"ALTER TABLE rows DROP COLUMN {column}")
    connection.close()


def test_a_journal_without_days_is_read_and_continued(tmp_path, never_due):
    path = saved(tmp_path)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    without_days(path)
    assert TextClassifier.load(path).learnt_as(MAILS[0]) == ["spam"]
    assert Journal(path).last_added() is None
    correct(path, lambda learner: learn(learner, dated(MAILS[1], 5), "ham"))
    assert Journal(path).last_added() is not None
    refit_file(path)
    more = [Document(MAILS[0].text, "spam"), replace(dated(MAILS[1], 5), label="ham")]
    trained(more=more).save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def test_of_two_copies_the_one_of_the_same_day_is_unlearnt(tmp_path, never_due):
    path, text = tmp_path / "m.textnb", Document("w1 again", "spam")
    trained(more=[dated(text, 3), dated(text, 5)]).save(path)
    correct(path, lambda learner: unlearn(learner, dated(text, 5), "spam"))
    correct(path, lambda learner: unlearn(learner, dated(text, 9), "spam"))
    correct(path, lambda learner: learn(learner, dated(text, 7), "spam"))
    refit_file(path)
    trained(more=[dated(text, 7)]).save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_journal_is_folded_when_it_is_due_or_a_class_comes_or_goes(tmp_path):
    path = saved(tmp_path)  # 60 documents: due with 3
    for number, pending in ((0, 1), (1, 2), (3, 0)):
        corrections.change_file(path, lambda learner, n=number: learn(learner, MAILS[n], "spam"))
        assert TextClassifier.load(path).state.n_pending == pending
    corrections.change_file(path, lambda learner: learn(learner, MAILS[4], "third", new=True))
    assert TextClassifier.load(path).classes_.tolist() == ["ham", "spam", "third"]
    corrections.change_file(path, lambda learner: unlearn(learner, MAILS[4], "third"))
    assert TextClassifier.load(path).classes_.tolist() == ["ham", "spam"]


@pytest.mark.parametrize("kind", ["multinomial", "mail"])
def test_a_class_that_has_gone_or_come_waits_for_the_fit(tmp_path, never_due, kind):
    path = tmp_path / "m.textnb"
    more = [Document("w1 v1 rare", "third")]
    trained(kind, more).save(path)
    before = TextClassifier.load(path).predict_proba(TEXTS)
    correct(path, lambda learner: unlearn(learner, Document("w1 v1 rare"), "third"))
    correct(path, lambda learner: learn(learner, MAILS[0], "fourth", new=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = TextClassifier.load(path)
        np.testing.assert_array_equal(loaded.predict_proba(TEXTS), before)
        assert loaded.learnt.counts.classes == ("fourth", "ham", "spam")
        refit_file(path)
    assert TextClassifier.load(path).classes_.tolist() == ["fourth", "ham", "spam"]


def closed_journal(folder):
    path = saved(folder)
    for number in range(3):
        correct(path, lambda learner, n=number: learn(learner, MAILS[n], "spam"))
    return path, journal_path(path).read_bytes()


def test_a_damaged_journal_is_a_clear_error_or_does_no_harm(tmp_path, never_due):
    path, data = closed_journal(tmp_path)
    expected = TextClassifier.load(path).learnt
    rng, refused = random.Random(5), 0
    for number in range(300):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 8])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        if number % 10 == 0:
            del damaged[rng.randrange(len(damaged)) :]
        write_journal(path, bytes(damaged))
        try:
            assert TextClassifier.load(path).learnt.counts.classes == expected.counts.classes
            correct(path, lambda learner: learn(learner, MAILS[3], "spam"))
        except TextnbError as error:
            refused += 1
            assert "\n" not in str(error) and "journal" in str(error)
    assert 0 < refused < 300


def test_damaged_latest_transactions_are_a_clear_error_or_the_corrections_before_them(tmp_path, never_due):
    path, rng, counted = saved(tmp_path), random.Random(3), set()
    file = CorrectedFile(path, stays_open=True)
    for number in range(4):
        file.change(lambda learner, n=number: learn(learner, MAILS[n], "spam"))
    expected = Journal(path).pending(identity_of(path)).corrections
    data = {suffix: Path(f"{journal_path(path)}{suffix}").read_bytes() for suffix in ("", "-wal")}
    file.journal.close()
    for _ in range(100):
        damaged = bytearray(data["-wal"])
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        write_journal(path, data[""])
        Path(f"{journal_path(path)}-wal").write_bytes(damaged)
        found = Journal(path).pending(identity_of(path)).corrections
        assert found == expected[: len(found)]
        counted.add(len(found))
    assert counted == {0, 1, 2, 3}


@pytest.mark.parametrize("again", [False, True])
def test_what_two_processes_forget_at_once_is_forgotten_once(tmp_path, never_due, again):
    path, text, label = saved(tmp_path), TEXTS[1], "spam"
    forgetting = TextClassifier.load(path).forget([text], [label])
    correct(path, lambda learner: unlearn(learner, Document(text), label))
    forgetting.save(path)
    with pytest.raises(NotLearntError, match="was learnt as no class"):
        correct(path, lambda learner: unlearn(learner, Document(text), label))
    more = [Document(text, label)] if again else []
    for done in [Done.LEARNT, Done.KNOWN] if again else []:
        assert correct(path, lambda learner: learn(learner, Document(text), label)) is done
    TextClassifier.load(path).predict(TEXTS)
    refit_file(path)
    trained(more=more).forget([text], [label]).save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def test_columns_of_a_correction_that_have_no_counts_are_refused():
    damaged = correction()._replace(entries=b"abc")
    with pytest.raises(ModelFileError, match="the columns of a correction have no counts"):
        damaged.columns_in(damaged.model, trained().fitted.vocabulary)


def write_journal(path, data):
    for suffix in ("", "-wal", "-shm"):
        Path(f"{journal_path(path)}{suffix}").unlink(missing_ok=True)
    journal_path(path).write_bytes(data)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM bound; END",
        "CREATE VIEW v AS SELECT * FROM rows",
        "DROP INDEX by_document",
        "UPDATE rows SET label = 'ham'",
        "UPDATE rows SET kind = 'unlearn'",
        "UPDATE rows SET entries = x'00'",
        "UPDATE rows SET terms = '[[],[]]'",
        "UPDATE bound SET folded = 'x'",
        "UPDATE bound SET folded = -1",
        "UPDATE rows SET day = 730000",
        "UPDATE rows SET day = 'x'",
        "PRAGMA journal_mode=DELETE",
    ],
)
def test_a_journal_that_somebody_has_changed_is_refused(tmp_path, never_due, statement):
    path, _ = closed_journal(tmp_path)
    connection = sqlite3.connect(journal_path(path), isolation_level=None)
    connection.execute(statement)
    connection.close()
    with pytest.raises(ModelFileError, match=r"m.textnb-journal is damaged: .*; remove it to use the model without"):
        TextClassifier.load(path)


def test_where_sqlite_cannot_read_the_file_answers_with_one_warning(tmp_path, never_due, monkeypatch):
    path, _ = closed_journal(tmp_path)
    expected = TextClassifier.load(path, journal=False).predict_proba(TEXTS)

    def cannot(*_, **__):
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    monkeypatch.setattr(sqlite3, "connect", cannot)
    with pytest.warns(ReadingWarning, match="cannot be used: unable to open database file; the answers are those of"):
        np.testing.assert_array_equal(TextClassifier.load(path).predict_proba(TEXTS), expected)


def test_a_model_without_a_journal_is_opened_and_saved_without_one(tmp_path):
    path = saved(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TextClassifier.load(path)
    assert [each.name for each in tmp_path.iterdir()] == ["m.textnb"]


def as_nobody(run):
    """Result of a function in a process without root's permissions."""
    if os.geteuid() != 0:
        return run()
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.close(reading)
        os.setgid(65534)
        os.setuid(65534)
        try:
            found = run()
        except BaseException as error:
            found = error
        with os.fdopen(writing, "wb") as stream:
            pickle.dump(found, stream)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        found = pickle.load(stream)
    os.waitpid(child, 0)
    if isinstance(found, BaseException):
        raise found
    return found


@pytest.fixture
def shared_folder():
    """Folder that every user may look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


def answers(path):
    """Probabilities, the number of pending corrections, and the warnings of opening a model."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        loaded = TextClassifier.load(path)
        return loaded.predict_proba(TEXTS).tolist(), loaded.state.n_pending, [str(each.message) for each in warned]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs users as Unix has them")
@pytest.mark.parametrize("mode", [0o644, 0o444])
def test_a_journal_that_cannot_be_written_is_read_at_rest(shared_folder, never_due, mode):
    path, _ = closed_journal(shared_folder)
    expected = answers(path)
    journal_path(path).chmod(mode)
    shared_folder.chmod(0o555)
    assert as_nobody(lambda: answers(path)) == expected
    assert expected[1:] == (3, [])
    assert sorted(each.name for each in shared_folder.iterdir()) == ["m.textnb", "m.textnb-journal"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs users as Unix has them")
def test_corrections_that_cannot_be_read_are_warned_of_in_one_line(shared_folder, never_due):
    path, _ = closed_journal(shared_folder)
    expected = TextClassifier.load(path, journal=False).predict_proba(TEXTS).tolist()
    open_journal = Journal(path, stays_open=True)
    with open_journal.writing(identity_of(path)) as transaction:
        transaction.append(correction())
    Path(f"{journal_path(path)}-wal").chmod(0)
    shared_folder.chmod(0o555)
    found, pending, warned = as_nobody(lambda: answers(path))
    open_journal.close()
    assert (found, pending) == (expected, 0)
    assert len(warned) == 1 and "m.textnb-journal cannot be used" in warned[0] and "\n" not in warned[0]


def test_a_journal_that_changes_while_it_is_read_at_rest_is_not_believed(tmp_path, never_due, monkeypatch):
    path, _ = closed_journal(tmp_path)

    def cannot(*_):
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY
        raise error

    monkeypatch.setattr(Journal, "_begun", cannot)
    assert answers(path)[1:] == (3, [])
    stamps = iter(range(10))
    monkeypatch.setattr(Journal, "_stamps", lambda _: (next(stamps), 0))
    with pytest.warns(ReadingWarning, match="attempt to write a readonly database; the answers are those of"):
        assert TextClassifier.load(path).state.n_pending == 0
    monkeypatch.setattr(Journal, "_stamps", lambda _: (0, 4096))
    with pytest.warns(ReadingWarning, match="attempt to write a readonly database"):
        assert TextClassifier.load(path).state.n_pending == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to other users")
def test_a_journal_of_another_user_is_warned_of_and_not_written(shared_folder, never_due):
    path, _ = closed_journal(shared_folder)
    os.chown(journal_path(path), 65534, 65534)
    found, pending, warned = answers(path)
    assert pending == 0 and found == TextClassifier.load(path, journal=False).predict_proba(TEXTS).tolist()
    assert len(warned) == 1 and "belongs to another user than the model; remove it" in warned[0]
    with pytest.raises(InputError, match="belongs to another user than the model; remove it"):
        correct(path, lambda learner: learn(learner, MAILS[3], "spam"))
    os.chown(path, 65534, 65534)
    assert answers(path)[1:] == (3, [])


def test_a_model_that_was_opened_without_its_journal_does_not_count_folded_corrections_twice(
    tmp_path, never_due, monkeypatch
):
    path = saved(tmp_path)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    with monkeypatch.context() as patch, pytest.raises(CrashError):
        crashing("before tidying", patch)
        refit_file(path)
    TextClassifier.load(path, journal=False).update(["w1"], ["ham"]).save(path)
    more = [Document(MAILS[0].text, "spam"), Document("w1", "ham")]
    assert TextClassifier.load(path).learnt == trained(more=more).learnt


def test_a_document_too_long_for_the_journal_is_refused(tmp_path, never_due, monkeypatch):
    path = saved(tmp_path)
    monkeypatch.setattr(journal, "_MAX_TERMS", 100)
    with pytest.raises(InputError, match=r"have \d+ bytes, and the journal takes 100; learn it by textnb update"):
        correct(path, lambda learner: learn(learner, Document(" ".join(f"word{n}" for n in range(9))), "spam"))
    assert TextClassifier.load(path).state.n_pending == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes as Unix has them")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_a_journal_that_is_no_ordinary_file_is_warned_of_and_does_not_wait(tmp_path, make):
    path = saved(tmp_path)
    make(journal_path(path))
    assert answers(path)[1] == 0
    assert "is not an ordinary file; remove it; the answers are those of" in answers(path)[2][0]
    with pytest.raises(InputError, match="is not an ordinary file; remove it"):
        correct(path, lambda learner: learn(learner, MAILS[0], "spam"))


def test_a_correction_that_comes_while_everything_is_forgotten_stays_pending(tmp_path, never_due):
    path = saved(tmp_path)
    folding = TextClassifier.load(path).forget(TEXTS, LABELS)
    correct(path, lambda learner: learn(learner, MAILS[0], "spam"))
    folding.save(path)
    assert TextClassifier.load(path).learnt_as(MAILS[0]) == ["spam"]
    assert correct(path, lambda learner: learn(learner, MAILS[1], "ham", new=True)) is Done.LEARNT
    loaded = TextClassifier.load(path)
    assert (
        loaded.state.n_pending == 0
        and loaded.classes_.tolist() == ["ham", "spam"]
        and loaded.learnt_as(MAILS[0]) == ["spam"]
    )


def test_an_untrained_model_learns_its_first_document_into_the_file(tmp_path):
    path = tmp_path / "m.textnb"
    TextClassifier("multinomial", tokenizer="words").save(path)
    assert correct(path, lambda learner: learn(learner, MAILS[0], "spam", new=True)) is Done.LEARNT
    loaded = TextClassifier.load(path)
    assert (loaded.state.n_pending, loaded.classes_.tolist()) == (0, ["spam"])


def test_a_model_whose_name_is_too_long_for_a_journal_answers_and_refuses_corrections(tmp_path):
    path = tmp_path / ("m" * 243 + ".textnb")
    trained().save(path)
    expected = trained().predict(TEXTS).tolist()
    assert TextClassifier.load(path).predict(TEXTS).tolist() == expected
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        correct(path, lambda learner: learn(learner, MAILS[0], "spam"))


def test_nothing_of_a_correction_is_left_in_the_journal_once_it_is_folded(tmp_path, never_due):
    path = saved(tmp_path)
    mail = Document(" ".join(f"secret{n}" for n in range(5000)))
    correct(path, lambda learner: learn(learner, mail, "spam"))
    assert b"secret4999" in journal_path(path).read_bytes()
    correct(path, lambda learner: unlearn(learner, mail, "spam"))
    refit_file(path)
    left = [each.read_bytes() for each in tmp_path.iterdir()]
    assert not any(b"secret" in data for data in left)
    assert journal_path(path).stat().st_size < 50_000

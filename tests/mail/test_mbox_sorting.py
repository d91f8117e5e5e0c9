"""Sorting of an mbox: copies in new files, and the original as it was unless it is asked for."""

import mailbox
from collections import Counter
from contextlib import closing

import pytest

from textnb.errors import InputError
from textnb.mail.decision import Filtered, Verdict
from textnb.mail.destinations import Destinations
from textnb.mail.header_field import add_field, format_field
from textnb.mail.mbox_sorting import MboxPlan, as_mbox, sort_mbox
from textnb.mail.sorting import SortPlan
from textnb.readers.mailboxes import file_messages

TO = Destinations({"spam": "Junk", "work": "仕事"})


def mail(words, status="0001", end="\n"):
    text = f"X-Mozilla-Status: {status}\nSubject: {words}\n\n{words}\nFrom here\n>From there\n"
    return text.replace("\n", end).encode()


def stand_in(message):
    """Takes the first word of the subject for the class."""
    label = message.decode().split("Subject: ")[1].split()[0]
    verdict = Verdict(label, 0.999, unsure=False)
    return Filtered(add_field(message, format_field(*verdict)), verdict)


@pytest.fixture
def box(tmp_path):
    path = tmp_path / "Inbox"
    mails = [mail("spam a"), mail("ham b"), mail("work c"), mail("spam d", status="0009"), mail("spam e")]
    path.write_bytes(b"".join(map(as_mbox, mails)))
    (tmp_path / "Inbox.msf").write_text("index")
    return path


def run(box, *, apply=True, remove=False, tag=False):
    plan = MboxPlan(SortPlan(TO, tag=tag, apply=apply), box.parent / "sorted", remove)
    return [(outcome.id, outcome.destination) for outcome in sort_mbox(box, stand_in, plan)]


def subjects(path):
    """Read by another program."""
    return values(path, "subject")


def values(path, field):
    with closing(mailbox.mbox(path, create=False)) as box:
        return [message[field] for message in box]


def files(box):
    return {str(path.relative_to(box.parent)): path.read_bytes() for path in box.parent.rglob("*") if path.is_file()}


def test_messages_are_copied_and_the_mbox_stays_as_it_is(box):
    before = files(box)
    assert run(box) == [("1", "Junk"), ("2", None), ("3", "仕事"), ("5", "Junk")]
    after = files(box)
    assert {name: after[name] for name in before} == before
    assert sorted(after.keys() - before.keys()) == ["sorted/Junk", "sorted/仕事"]
    assert subjects(box.parent / "sorted" / "Junk") == ["spam a", "spam e"]
    (work,) = (raw for _, raw in file_messages(str(box.parent / "sorted" / "仕事"), ""))
    assert work == mail("work c")


def test_a_dry_run_writes_nothing(box):
    before = files(box)
    assert run(box, apply=False, remove=True) == [("1", "Junk"), ("2", None), ("3", "仕事"), ("5", "Junk")]
    assert files(box) == before


def test_with_remove_every_message_is_in_one_file_and_the_old_mbox_is_kept(box):
    before = box.read_bytes()
    run(box, remove=True)
    assert (box.parent / "Inbox.before-textnb").read_bytes() == before
    assert not (box.parent / "Inbox.msf").exists()
    found = Counter(subjects(box) + subjects(box.parent / "sorted" / "Junk") + subjects(box.parent / "sorted" / "仕事"))
    assert found == Counter(["spam a", "ham b", "work c", "spam d", "spam e"])
    assert subjects(box) == ["ham b", "spam d"]


def test_tagged_copies_have_the_field(box):
    run(box, tag=True)
    found = values(box.parent / "sorted" / "Junk", "X-Textnb")
    assert [value.split(";")[0] for value in found] == ["class=spam", "class=spam"]
    assert b"X-Textnb" not in box.read_bytes()


@pytest.mark.parametrize("taken", ["sorted/Junk", "Inbox.before-textnb"])
def test_nothing_that_exists_is_overwritten(box, taken):
    (box.parent / taken).parent.mkdir(exist_ok=True)
    (box.parent / taken).write_text("mine")
    before = files(box)
    with pytest.raises(InputError, match="already exists"):
        run(box, remove=True)
    assert files(box) == before


def test_a_run_that_is_broken_off_leaves_nothing(box):
    before = files(box)
    plan = MboxPlan(SortPlan(TO, apply=True), box.parent / "sorted", remove=True)
    outcomes = sort_mbox(box, stand_in, plan)
    next(outcomes)
    next(outcomes)
    outcomes.close()
    assert files(box) == before


def test_a_file_that_changes_meanwhile_is_not_touched(box):
    plan = MboxPlan(SortPlan(TO, apply=True), box.parent / "sorted", remove=True)
    outcomes = sort_mbox(box, stand_in, plan)
    next(outcomes)
    with box.open("ab") as stream:
        stream.write(as_mbox(mail("ham new")))
    with pytest.raises(InputError, match="has changed while it was read"):
        list(outcomes)
    assert sorted(files(box)) == ["Inbox", "Inbox.msf"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "message",
    [
        "Subject: a\n\nFrom x\n>From y\n>>From z\n",
        "Subject: a\n\n",
        "Subject: a\n\n\n\ntext\n\n\n",
        "Subject: a\n\nno end",
    ],
)
def test_a_message_comes_back_from_an_mbox(tmp_path, message, end):
    raw = message.replace("\n", end).encode()
    path = tmp_path / "box"
    path.write_bytes(as_mbox(raw) + as_mbox(b"Subject: other\n\n"))
    (_, first), _ = file_messages(str(path), "")
    assert first.rstrip() == raw.rstrip()


def test_a_length_that_is_no_longer_true_is_dropped():
    assert b"Content-Length" not in as_mbox(b"Content-Length: 5\nSubject: a\n\nFrom \n")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", ".hidden", "a\0"])
def test_what_cannot_be_the_name_of_a_file_is_refused(box, name):
    plan = MboxPlan(SortPlan(Destinations({"spam": name}), apply=True), box.parent / "sorted")
    with pytest.raises(InputError, match="cannot be the name of an mbox"):
        list(sort_mbox(box, stand_in, plan))


def test_what_is_no_mbox_is_refused(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("a note")
    with pytest.raises(InputError, match="neither a Maildir nor an mbox"):
        list(sort_mbox(path, stand_in, MboxPlan(SortPlan(TO), tmp_path / "sorted")))

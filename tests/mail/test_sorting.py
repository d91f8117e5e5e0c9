"""Runs over a Maildir: whatever happens, each message is there once."""

import errno
import json
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.mail import moving
from textnb.mail.decision import Filtered, Verdict
from textnb.mail.destinations import Destinations
from textnb.mail.header_field import add_field, format_field, remove_field
from textnb.mail.maildir import Maildir, MaildirName
from textnb.mail.sort_memory import SortMemory
from textnb.mail.sorting import SortPlan, SortRun, undo

TO = Destinations({"spam": "Junk", "仕事": "仕事"})


def mail(words, number=0):
    return f"Subject: {words}\nMessage-ID: <{number}@example.jp>\n\n{words}\n".encode()


class StandIn:
    """A filter that takes a message's first word for its class."""

    def __init__(self):
        self.judged = []

    def __call__(self, message):
        label = remove_field(message).decode().split()[1]
        self.judged.append(label)
        verdict = Verdict(label, 0.999, unsure=label == "unsure")
        return Filtered(add_field(message, format_field(*verdict)), verdict)


@pytest.fixture
def box(tmp_path):
    return made(tmp_path / "Maildir")


def made(path):
    for part in ("cur", "new", "tmp"):
        (path / part).mkdir(parents=True)
    return Maildir(path)


def put(box, name, words, number=0):
    (box.path / name).write_bytes(mail(words, number))


def run(box, to=TO, *, tag=False, apply=True, again=False, model="m", mails=None):
    memory = SortMemory(box.path, (to, tag), again=again)
    return list(SortRun(box, mails or StandIn(), SortPlan(to, tag=tag, apply=apply), memory, model))


def judged(box, **options):
    mails = StandIn()
    run(box, mails=mails, **options)
    return mails.judged


def held(box):
    """The messages of every folder."""
    files = (path for part in ("new", "cur") for path in box.path.rglob(f"{part}/*") if path.is_file())
    return {str(path.relative_to(box.path)): path.read_bytes() for path in files}


def contents(box):
    return Counter(remove_field(message) for message in held(box).values())


def tree(box):
    return {
        str(path.relative_to(box.path)): (path.stat().st_mtime_ns, path.stat().st_ino) for path in box.path.rglob("*")
    }


def test_messages_go_where_their_class_does_and_others_stay(box):
    put(box, "new/1", "spam pills")
    put(box, "cur/2:2,S", "仕事 会議")
    put(box, "cur/3:2,F", "ham lunch")
    put(box, "new/4", "unsure pills")
    outcomes = run(box)
    assert [(outcome.id, outcome.destination) for outcome in outcomes] == [
        ("new/1", "Junk"),
        ("cur/2:2,S", "仕事"),
        ("cur/3:2,F", None),
        ("new/4", None),
    ]
    assert set(held(box)) == {".Junk/new/1", ".&TtVOiw-/cur/2:2,S", "cur/3:2,F", "new/4"}


def test_a_dry_run_says_the_same_and_changes_nothing(box):
    for number, words in enumerate(["spam a", "仕事 b", "ham c", "unsure d"]):
        put(box, f"new/{number}", words)
    before = tree(box)
    said = run(box, tag=True, apply=False)
    assert tree(box) == before
    assert said == run(box, tag=True)
    ((name, message),) = ((name, message) for name, message in held(box).items() if name.startswith(".Junk"))
    assert name.startswith(".Junk/new/0.t")  # moved and tagged at once
    assert message.startswith(b"X-Textnb: class=spam; ")


def test_what_stays_is_judged_once_and_the_unsure_again_by_another_model(box):
    put(box, "new/1", "ham a")
    put(box, "new/2", "unsure b")
    assert judged(box) == ["ham", "unsure"]
    (box.path / "new" / "1").rename(box.path / "cur" / "1:2,S")
    put(box, "new/3", "ham c")
    assert judged(box) == ["ham"]
    assert judged(box, model="n") == ["unsure"]
    assert judged(box) == ["unsure"]
    assert judged(box, again=True) == ["ham", "unsure", "ham"]


def test_what_its_owner_puts_back_stays_whatever_its_name_is_then(box):
    put(box, "new/1", "spam a")
    run(box)
    (box.path / ".Junk" / "new" / "1").rename(box.path / "cur" / "77.host:2,S")
    assert judged(box) == judged(box) == judged(box, model="n") == []
    assert set(held(box)) == {"cur/77.host:2,S"}
    assert judged(box, again=True) == ["spam"]
    assert set(held(box)) == {".Junk/cur/77.host:2,S"}


@pytest.mark.parametrize("other", [".Junk/cur/1:2,S", "cur/1:2,S"])
def test_two_messages_of_one_unique_name_have_two_in_the_same_folder(box, other):
    box.make(box.folder("Junk"))
    put(box, other, "spam b", 2)
    put(box, "new/1", "spam a", 1)
    before = contents(box)
    run(box)
    assert contents(box) == before
    assert len({MaildirName.of(Path(name).name).unique for name in held(box) if name.startswith(".Junk")}) == 2


def test_a_message_that_comes_twice_goes_twice(box):
    put(box, "new/1", "spam a")
    put(box, "new/2", "spam a")
    run(box)
    put(box, "new/3", "spam a")
    run(box)
    assert set(held(box)) == {".Junk/new/1", ".Junk/new/2", ".Junk/new/3"}


def test_a_tag_is_written_once_and_forged_ones_go(box):
    forged = b"X-Textnb: class=ham; probability=1.000000; unsure=no\n" + mail("spam a")
    (box.path / "cur" / f"1,S={len(forged)}:2,S").write_bytes(forged)
    put(box, "new/2", "ham b")
    run(box, Destinations(), tag=True)
    first, second = (held(box)[name] for name in sorted(held(box)))
    assert first == b"X-Textnb: class=spam; probability=0.999000; unsure=no\n" + mail("spam a")
    assert second.startswith(b"X-Textnb: class=ham; ")
    before = held(box)
    assert [outcome.tagged for outcome in run(box, Destinations(), tag=True, again=True)] == [False, False]
    assert held(box) == before


@pytest.mark.parametrize("tag", [False, True])
def test_a_run_that_was_killed_between_link_and_unlink_is_ended_by_the_next(box, tag, monkeypatch):
    put(box, "new/1", "spam a")
    put(box, "new/2", "ham b")
    before, unlink = contents(box), os.unlink

    def killed(path, **options):
        if str(path).startswith(str(box.path / "new")):
            raise KeyboardInterrupt
        unlink(path, **options)

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(os, "unlink", killed)
        run(box, tag=tag)
    assert contents(box) == before + Counter([mail("spam a")])
    (arrived,) = (box.path / ".Junk" / "new").iterdir()
    arrived.rename(box.path / ".Junk" / "cur" / f"{arrived.name}:2,S")
    assert [outcome.id for outcome in run(box, tag=tag) if outcome.verdict is None] == ["new/1"]
    assert contents(box) == before
    assert not held(box).keys() & {"new/1"}


def test_a_broken_off_move_is_known_where_its_name_was_taken(box, monkeypatch):
    box.make(box.folder("Junk"))
    put(box, ".Junk/new/1", "spam other", 1)
    put(box, "new/1", "spam a", 2)
    before = contents(box)
    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        fail_in_turn(broken, ["unlink"], KeyboardInterrupt)
        run(box)
    assert contents(box) != before
    run(box, again=True)
    assert contents(box) == before
    assert len(list((box.path / ".Junk" / "new").iterdir())) == 2


def test_a_folder_that_leads_back_to_the_maildir_loses_nothing(box):
    (box.path / ".Junk").symlink_to(box.path)
    put(box, "new/1", "spam a")
    assert [outcome.destination for outcome in run(box)] == [None]
    assert (box.path / "new" / "1").exists()


def test_a_folder_whose_parts_lead_back_loses_nothing(box):
    (box.path / ".Junk").mkdir()
    for part in ("cur", "new", "tmp"):
        (box.path / ".Junk" / part).symlink_to(box.path / part)
    put(box, "new/1", "spam a")
    run(box)
    run(box)
    assert [path.read_bytes() for path in (box.path / "new").iterdir()] == [mail("spam a")]


def test_one_message_that_fails_stops_no_other(box):
    class Failing(StandIn):
        def __call__(self, message):
            if b"broken" in message:
                raise ZeroDivisionError("no luck")
            return super().__call__(message)

    put(box, "new/1", "spam broken")
    put(box, "new/2", "spam b")
    (box.path / "new" / "3").write_bytes(b"\x1f\x8b\x08 packed")
    outcomes = run(box, mails=Failing())
    assert [(outcome.id, outcome.error) for outcome in outcomes] == [
        ("new/1", "no luck"),
        ("new/2", ""),
        ("new/3", "the message is compressed and cannot be read"),
    ]
    assert set(held(box)) == {"new/1", ".Junk/new/2", "new/3"}


def test_a_message_that_may_not_be_read_is_named_and_left(box, monkeypatch):
    put(box, "new/1", "spam a")
    put(box, "new/2", "spam b")
    read = Path.read_bytes

    def refused(path):
        if path.name == "1":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    with monkeypatch.context() as closed:
        closed.setattr(Path, "read_bytes", refused)
        assert [outcome.error for outcome in run(box)] == ["Permission denied", ""]
    assert set(held(box)) == {"new/1", ".Junk/new/2"}
    assert judged(box) == ["spam"]


def test_a_message_that_goes_meanwhile_is_no_error(box):
    class Meanwhile(StandIn):
        def __call__(self, message):
            (box.path / "new" / "1").unlink(missing_ok=True)
            (box.path / "new" / "2").unlink(missing_ok=True)
            return super().__call__(message)

    for name in "12":
        put(box, f"new/{name}", "spam a", name)
    assert run(box, mails=Meanwhile()) == []
    assert held(box) == {}


def test_two_runs_at_once_do_no_harm(box):
    class Other(StandIn):
        def __call__(self, message):
            if not self.judged:
                self.judged.append("")
                run(box, Destinations({"spam": "Bin"}))
            return super().__call__(message)

    for number in range(4):
        put(box, f"new/{number}", "spam a", number)
    before = contents(box)
    run(box, mails=Other())
    assert contents(box) == before
    assert {name.split("/")[0] for name in held(box)} == {".Bin"}


def at_the_same_time(box, other, to, monkeypatch):
    """Run over a box, and over another one when a message of the first has both of its names."""
    second, real = Thread(target=run, args=(other, to)), moving.sync_folder

    def both_names(folder):
        real(folder)
        if second.ident is None:
            second.start()
            second.join(0.3)  # it is to wait for the first one, which goes on then

    monkeypatch.setattr(moving, "sync_folder", both_names)
    run(box)
    second.join()


def test_runs_over_two_folders_of_a_maildir_do_not_meet(box, monkeypatch):
    junk = made(box.path / ".Junk")
    put(box, "cur/17.host:2,S", "spam a")
    at_the_same_time(box, junk, Destinations({"ham": "INBOX"}), monkeypatch)
    assert held(box) == {".Junk/cur/17.host:2,S": mail("spam a")}


@pytest.mark.parametrize("order", [1, -1])
def test_runs_over_two_maildirs_that_lead_to_each_other_do_not_meet(tmp_path, order, monkeypatch):
    first, second = [made(tmp_path / name) for name in "ab"][::order]
    (first.path / ".Junk").symlink_to(second.path)
    (second.path / ".Back").symlink_to(first.path)
    put(first, "cur/17.host:2,S", "spam a")
    put(second, "cur/18.host:2,S", "ham b")
    at_the_same_time(first, second, Destinations({"ham": "Back"}), monkeypatch)
    assert [path.name for path in (second.path / "cur").iterdir()] == ["17.host:2,S"]
    assert [path.name for path in (first.path / "cur").iterdir()] == ["18.host:2,S"]


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("flags", ["T", "ST"])
def test_a_message_restored_while_the_moved_one_is_deleted_is_not_lost(box, flags, again):
    put(box, "cur/17.host:2,", "spam a")
    run(box)
    (box.path / ".Junk" / "cur" / "17.host:2,").rename(box.path / ".Junk" / "cur" / f"17.host:2,{flags}")
    put(box, "cur/17.host:2,", "spam a")
    run(box, again=again)
    kept = {name for name, message in held(box).items() if not name.endswith(flags) and message == mail("spam a")}
    assert len(kept) == 1
    assert again or kept == {"cur/17.host:2,"}


def test_a_copy_of_a_message_whose_move_came_to_its_end_is_judged(box):
    put(box, "cur/17.host:2,", "spam a")
    run(box)
    put(box, "cur/17.host:2,", "spam a")
    assert run(box, Destinations({"ham": "Junk"}), again=True)[0].verdict is not None
    assert set(held(box)) == {"cur/17.host:2,", ".Junk/cur/17.host:2,"}


def test_a_run_that_is_broken_off_remembers_what_it_did(box):
    for number in range(3):
        put(box, f"new/{number}", "ham a", number)
    memory = SortMemory(box.path, (TO, False))
    outcomes = iter(SortRun(box, StandIn(), SortPlan(TO, apply=True), memory, "m"))
    next(outcomes)
    outcomes.close()
    assert judged(box) == ["ham", "ham"]


NAMES = st.sampled_from(
    ["new/1", "new/2", "cur/1:2,S", "cur/2,S=9:2,", "cur/3 a:2,Fa", ".Junk/cur/1:2,S", ".Junk/new/2"]
)
FAILURES = st.lists(st.sampled_from(["link", "unlink", "rename", "fsync", "none", "none"]), max_size=8)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    messages=st.dictionaries(NAMES, st.sampled_from(["spam", "ham", "仕事", "unsure"]), max_size=6),
    runs=st.lists(st.tuples(FAILURES, st.booleans(), st.booleans()), min_size=1, max_size=3),
)
def test_whatever_fails_and_however_often_each_message_is_there_once(tmp_path_factory, messages, runs):
    box = made(tmp_path_factory.mktemp("box") / "Maildir")
    box.make(box.folder("Junk"))
    for number, (name, words) in enumerate(messages.items()):
        put(box, name, words, number)
    before = contents(box)
    for failures, tag, fatal in [*runs, ([], False, False)]:
        with pytest.MonkeyPatch.context() as patch:
            fail_in_turn(patch, list(failures), KeyboardInterrupt if fatal else OSError)
            with suppress(KeyboardInterrupt, OSError, InputError):
                run(box, tag=tag, again=True)
        assert set(contents(box)) == set(before)
    assert contents(box) == before


def fail_in_turn(patch, failures, kind):
    """Have calls of the operating system fail, one by one; a call that fails has done nothing."""

    def failing(name):
        real = getattr(os, name)

        def call(*arguments, **options):
            if failures and failures[0] in (name, "none") and failures.pop(0) == name:
                raise kind(errno.EIO, "failure")
            return real(*arguments, **options)

        return call

    for name in ("link", "unlink", "rename", "fsync"):
        patch.setattr(os, name, failing(name))


def undone(box, *, apply=True):
    memory = SortMemory(box.path, "undo")
    memory.begin("", (message.unique for message in box.messages()))
    return [(each.id, each.folder, each.error) for each in undo(box, memory, apply=apply)]


@pytest.mark.parametrize("tag", [False, True])
def test_undoing_puts_every_message_back_and_the_next_run_leaves_it(box, tag):
    for number, words in enumerate(["spam a", "仕事 b", "ham c", "unsure d"]):
        put(box, f"new/{number}", words, number)
    before = contents(box)
    run(box, tag=tag)
    assert len(undone(box, apply=False)) == len(undone(box)) == (4 if tag else 2)
    assert {Path(name).parts[0] for name in held(box)} == {"new"}
    assert Counter(held(box).values()) == before  # the bytes, without the field
    assert judged(box, tag=tag) == undone(box) == []
    assert judged(box, again=True) == ["spam", "仕事", "ham", "unsure"]


def test_only_the_last_run_that_changed_something_is_undone(box):
    put(box, "new/1", "spam a", 1)
    run(box)
    put(box, "new/2", "spam b", 2)
    run(box)
    run(box)  # has nothing to do
    assert undone(box) == [(".Junk/new/2", "Junk", "")]
    assert set(held(box)) == {".Junk/new/1", "new/2"}
    assert undone(box) == []


def test_what_its_owner_has_moved_on_or_changed_is_left_alone(box):
    for number in range(3):
        put(box, f"new/{number}", "spam a", number)
    run(box)
    junk = box.path / ".Junk" / "new"
    (junk / "0").unlink()
    (junk / "1").write_bytes(b"another message")
    assert [name for name, _, _ in undone(box)] == [".Junk/new/2"]
    assert set(held(box)) == {".Junk/new/1", "new/2"}


def test_a_dry_run_can_not_be_undone(box):
    put(box, "new/1", "spam a")
    run(box, apply=False)
    assert undone(box) == []


def test_a_memory_without_a_last_run_is_read(box):
    put(box, "new/1", "spam a")
    run(box)
    path = box.path / "textnb-sorted"
    held_before = json.loads(path.read_text())
    del held_before["last_run"]
    path.write_text(json.dumps(held_before))
    assert undone(box) == []
    assert SortMemory(box.path, (TO, False)).last_run() == {}

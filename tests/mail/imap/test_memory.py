"""What is remembered of an account: written whole, read as written, bounded, refused when damaged."""

import pytest

from textnb.errors import InputError
from textnb.mail.imap import memory as remembering
from textnb.mail.imap.connection import Account
from textnb.mail.imap.memory import FolderProgress, Memory, memory_path


def test_what_is_saved_is_read(tmp_path):
    memory = Memory(tmp_path / "new" / "m.json")
    memory.progress("INBOX", 7).advance([3, 5], left=[3])
    memory.place(["a", "b"], "箱")
    memory.begin(["c"], "Junk")
    memory.save()
    found = Memory.read(memory.path)
    assert (found.folders, found.placed, found.moving) == (memory.folders, memory.placed, memory.moving)
    assert found.folders["INBOX"] == FolderProgress(7, 6, [3])


def test_a_file_is_written_only_where_something_has_changed(tmp_path):
    Memory(tmp_path / "m.json").save()
    memory = Memory.read(tmp_path / "m.json")
    written = memory.path.stat().st_ino
    memory.save()
    assert memory.path.stat().st_ino == written
    memory.place(["a"], "Junk")
    memory.save()
    assert Memory.read(memory.path).placed == {"a": "Junk"}


def test_another_uidvalidity_is_a_folder_never_looked_at(tmp_path):
    memory = Memory(tmp_path / "m")
    memory.progress("INBOX", 1).advance([1, 9], left=[1])
    assert memory.progress("INBOX", 1) == FolderProgress(1, 10, [1])
    memory.progress("INBOX", 1).advance([1])
    assert memory.progress("INBOX", 1) == FolderProgress(1, 10, [])
    assert memory.progress("INBOX", 2) == FolderProgress(2)


def test_a_message_that_is_moving_is_known_only_where_it_goes(tmp_path):
    memory = Memory(tmp_path / "m")
    memory.begin(["a"], "Junk")
    assert (memory.where("a", "INBOX"), memory.where("a", "Junk")) == (None, "Junk")
    memory.place(["a"], "Junk")
    assert (memory.where("a", "INBOX"), memory.moving) == ("Junk", {})


def test_the_oldest_are_forgotten_first(tmp_path, monkeypatch):
    monkeypatch.setattr(remembering, "MAX_REMEMBERED", 3)
    memory = Memory(tmp_path / "m")
    memory.place("abc", "Junk")
    memory.place("ad", "INBOX")
    memory.save()
    assert Memory.read(memory.path).placed == {"c": "Junk", "a": "INBOX", "d": "INBOX"}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 1, "folders": {"a": 1}, "placed": {}, "moving": {}}',
        '{"format": 1, "folders": {"a": {"validity": "x"}}, "placed": {}, "moving": {}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_refused_in_a_line(tmp_path, content):
    (tmp_path / "m").write_text(content)
    with pytest.raises(InputError, match="remove it") as error:
        Memory.read(tmp_path / "m")
    assert "\n" not in str(error.value)


def test_each_account_has_a_file_in_the_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    paths = {memory_path(Account(host, user)) for host in ("a.jp", "A.jp", "b.jp") for user in ("me", "../私", "../僕")}
    assert len(paths) == 6
    assert {path.parent for path in paths} == {tmp_path / "textnb" / "imap"}
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert memory_path(Account("a.jp", "me")).is_relative_to(tmp_path / ".local" / "state" / "textnb")

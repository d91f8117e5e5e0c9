"""Moving a message: nothing is lost, nothing is written over, whatever fails."""

import errno
import os
from pathlib import Path

import pytest

from textnb.errors import InputError
from textnb.mail import moving
from textnb.mail.maildir import Maildir, MaildirName
from textnb.mail.moving import find_twin, is_same_message, move

MAIL, OTHER = b"Subject: a\n\nb\n", b"Subject: c\n\nd\n"
TAGGED = b"X-Textnb: class=spam\n" + MAIL
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who alone can give files away")


@pytest.fixture
def box(tmp_path):
    for part in ("cur", "new", "tmp"):
        (tmp_path / part).mkdir()
    box = Maildir(tmp_path)
    box.make(box.folder("Junk"))
    return box


def put(box, name, content=MAIL, folder=""):
    path = box.path / folder / name
    path.write_bytes(content)
    os.utime(path, (10, 10))
    path.chmod(0o600)
    return path


def held(box):
    """What is where, without the times."""
    files = sorted(path for path in box.path.rglob("*/*") if path.is_file() and path.name != "maildirfolder")
    return {str(path.relative_to(box.path)): path.read_bytes() for path in files}


def no_links(number):
    def link(*_, **__):
        raise OSError(number, os.strerror(number))

    return link


@pytest.fixture(params=[None, errno.EXDEV, errno.EPERM], ids=["links", "another file system", "no links"])
def links(request, monkeypatch):
    if request.param is not None:
        monkeypatch.setattr(os, "link", no_links(request.param))


@pytest.mark.parametrize("name", ["new/1.host", "cur/1.host:2,FS", "cur/1.host,S=13:2,S", "new/with space"])
def test_a_message_keeps_its_name_its_time_and_its_permissions(box, name, links):
    source = put(box, name)
    arrived = move(source, box.folder("Junk"))
    assert held(box) == {f".Junk/{name}": MAIL}
    assert (arrived.stat().st_mtime, arrived.stat().st_mode & 0o777) == (10, 0o600)


def test_across_file_systems_the_copy_is_linked_from_tmp(box, monkeypatch):
    source, real = put(box, "new/1"), os.link

    def link(src, dst, **options):
        if ".Junk" not in str(src):
            raise OSError(errno.EXDEV, "another file system")
        real(src, dst, **options)

    monkeypatch.setattr(os, "link", link)
    move(source, box.folder("Junk"))
    assert held(box) == {".Junk/new/1": MAIL}


def test_a_name_that_is_taken_is_left_to_its_message(box, links):
    source = put(box, "cur/1:2,S")
    put(box, "cur/1:2,S", OTHER, ".Junk")
    arrived = move(source, box.folder("Junk"))
    assert arrived.name.startswith("1.")
    assert arrived.name.endswith(":2,S")
    assert sorted(held(box).values()) == sorted([MAIL, OTHER])
    assert held(box)[".Junk/cur/1:2,S"] == OTHER


@pytest.mark.parametrize("message", [None, TAGGED])
def test_a_move_that_was_broken_off_is_ended_by_the_next(box, links, message, monkeypatch):
    source, real = put(box, "new/1"), os.unlink

    def unlink(path, **options):
        if str(path) == str(source):
            raise KeyboardInterrupt
        real(path, **options)

    with monkeypatch.context() as broken:
        broken.setattr(os, "unlink", unlink)
        with pytest.raises(KeyboardInterrupt):
            move(source, box.folder("Junk"), message)
    assert len(held(box)) == 2
    arrived = next(path for path in (box.folder("Junk") / "new").iterdir())
    assert find_twin(source, [source, arrived]) == arrived
    assert move(source, box.folder("Junk"), message) == arrived
    assert list(held(box).values()) == [message or MAIL]


def no_unlink_in(*folders):
    real = os.unlink

    def unlink(path, **options):
        if Path(path).parent in folders:
            raise PermissionError(errno.EACCES, "Permission denied")
        real(path, **options)

    return unlink


@pytest.mark.parametrize("message", [None, TAGGED])
def test_a_message_that_cannot_leave_its_folder_is_in_no_other_either(box, message, links, monkeypatch):
    source = put(box, "cur/1:2,S")
    monkeypatch.setattr(os, "unlink", no_unlink_in(source.parent))
    with pytest.raises(PermissionError):
        move(source, box.folder("Junk"), message)
    assert held(box) == {"cur/1:2,S": MAIL}


def test_a_message_that_was_there_before_is_not_taken_back(box, monkeypatch):
    source = put(box, "cur/1:2,S")
    put(box, "cur/1:2,S", MAIL, ".Junk")
    monkeypatch.setattr(os, "unlink", no_unlink_in(source.parent))
    with pytest.raises(PermissionError):
        move(source, box.folder("Junk"))
    assert held(box) == {"cur/1:2,S": MAIL, ".Junk/cur/1:2,S": MAIL}


def test_a_message_that_can_leave_neither_folder_is_said_to_be_in_both(box, monkeypatch):
    source = put(box, "cur/1:2,S")
    monkeypatch.setattr(os, "unlink", no_unlink_in(source.parent, box.folder("Junk") / "cur"))
    with pytest.raises(InputError, match=r"^Permission denied; the message is also at .*/\.Junk/cur/1:2,S;"):
        move(source, box.folder("Junk"))
    assert held(box) == {"cur/1:2,S": MAIL, ".Junk/cur/1:2,S": MAIL}


@pytest.mark.parametrize("taken", ["cur/1.host:2,S", "cur/1.host:2,FS", "new/1.host"])
def test_a_unique_name_is_not_given_twice_whatever_the_flags(box, taken):
    put(box, taken, OTHER, ".Junk")
    arrived = move(put(box, "new/1.host"), box.folder("Junk"))
    assert MaildirName.of(arrived.name).unique != "1.host"
    assert MaildirName.of(arrived.name).origin == "1.host"
    assert sorted(held(box).values()) == sorted([MAIL, OTHER])
    assert move(put(box, "new/1.h"), box.folder("Junk")).name == "1.h"  # a longer name takes no shorter one


def test_a_message_that_comes_meanwhile_is_neither_written_over_nor_doubled(box):
    put(box, "new/1.host", OTHER, ".Junk")
    assert move(put(box, "new/1.host"), box.folder("Junk"), alone=True).name.startswith("1.host.x")
    assert sorted(held(box).values()) == sorted([MAIL, OTHER])
    put(box, "new/2.host", MAIL, ".Junk")
    assert move(put(box, "new/2.host"), box.folder("Junk"), alone=True).name == "2.host"
    assert len(held(box)) == 3


def test_what_is_marked_to_be_deleted_stands_for_no_other_name(box):
    put(box, "cur/1:2,T", MAIL, ".Junk")
    arrived = move(put(box, "cur/1:2,"), box.folder("Junk"))
    assert held(box) == {".Junk/cur/1:2,T": MAIL, f".Junk/cur/{arrived.name}": MAIL}
    assert move(put(box, "cur/1:2,ST"), box.folder("Junk")).name == "1:2,T"
    assert len(held(box)) == 2


@pytest.mark.parametrize("name", [",S=3:2,", ":2,S"])
def test_a_message_without_a_stem_does_not_become_a_hidden_file(box, name):
    put(box, f"cur/{name}", OTHER, ".Junk")
    arrived = move(put(box, f"cur/{name}"), box.folder("Junk"))
    tagged = move(arrived, box.path, TAGGED)
    assert not arrived.name.startswith(".")
    assert not tagged.name.startswith(".")
    assert MaildirName.of(name).origin == MaildirName.of(arrived.name).origin == MaildirName.of(tagged.name).origin


def test_a_tagged_message_takes_the_place_of_the_untagged(box):
    source = put(box, f"cur/1.host,S={len(MAIL)},W=17:2,S")
    arrived = move(source, box.path, TAGGED)
    assert held(box) == {f"cur/{arrived.name}": TAGGED}
    assert arrived.name.startswith("1.host.t")
    assert arrived.name.endswith(f",S={len(TAGGED)},W={len(TAGGED) + 4}:2,S")
    assert arrived.stat().st_mtime == 10


@needs_root
@pytest.mark.parametrize("message", [None, TAGGED])
def test_a_message_that_root_writes_anew_belongs_to_whom_it_did(box, message, monkeypatch):
    source = put(box, "cur/1:2,S")
    os.chown(source, 65534, 65533)
    monkeypatch.setattr(os, "link", no_links(errno.EXDEV))
    arrived = move(source, box.folder("Junk"), message).stat()
    assert (arrived.st_uid, arrived.st_gid, arrived.st_mode & 0o777) == (65534, 65533, 0o600)


def test_a_message_that_would_not_belong_to_its_owner_stays(box, monkeypatch):
    def refused(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    source = put(box, "cur/1:2,S")
    monkeypatch.setattr(moving, "give", refused)
    with pytest.raises(PermissionError):
        move(source, box.folder("Junk"), TAGGED)
    assert held(box) == {"cur/1:2,S": MAIL}


def test_a_message_that_has_gone_is_no_error(box):
    for message in (None, TAGGED):
        assert move(box.path / "new" / "1", box.folder("Junk"), message) is None
    assert held(box) == {}


def test_a_missing_folder_is_an_error_and_harms_nothing(box):
    source = put(box, "new/1")
    (box.folder("Junk") / "new").rmdir()
    with pytest.raises(FileNotFoundError):
        move(source, box.path / ".Junk")
    assert held(box) == {"new/1": MAIL}


def test_flags_that_change_while_a_message_moves_leave_no_second_name(box, monkeypatch):
    source, real = put(box, "new/1"), moving.sync_folder

    def read_meanwhile(folder):
        source.rename(box.path / "cur" / "1:2,S")
        real(folder)

    monkeypatch.setattr(moving, "sync_folder", read_meanwhile)
    move(source, box.folder("Junk"))
    assert held(box) == {".Junk/new/1": MAIL}


def test_a_disk_that_is_full_leaves_the_message_where_it_was(box, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "full")

    source = put(box, "new/1")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="full"):
        move(source, box.folder("Junk"), TAGGED)
    assert held(box) == {"new/1": MAIL}


def test_one_name_written_in_two_ways_is_not_two(box):
    source = put(box, "cur/1")
    (box.path / ".Alias").symlink_to(box.path)
    assert not is_same_message(source, source)
    assert not is_same_message(source, box.path / ".Alias" / "cur" / "1")
    assert not is_same_message(source, box.path / "cur" / "2")
    assert box.folder("Alias") == box.path

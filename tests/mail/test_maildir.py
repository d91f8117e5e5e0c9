"""Maildirs: names of messages, and folders that stay inside."""

import errno
import os

import pytest

from textnb.errors import InputError
from textnb.mail.maildir import Maildir, MaildirMessage, MaildirName, group_by_origin
from textnb.mail.sort_memory import SortMemory


def made(path):
    for part in ("cur", "new", "tmp"):
        (path / part).mkdir(parents=True)
    return path


@pytest.fixture
def box(tmp_path):
    return Maildir(made(tmp_path / "Maildir"))


@pytest.mark.parametrize(
    "name", ["17.host", "17.host:2,S", "17.host,S=12:2,", "17.host,S=1,W=2,X=3:1,a", ",:", "a:b:c,d"]
)
def test_the_parts_of_a_name_make_the_name(name):
    assert str(MaildirName.of(name)) == name


def test_a_tagged_message_has_another_name_with_its_sizes_and_the_same_origin():
    mail = b"To: a\nCc: b\r\n\n"
    first = MaildirName.of("17.host,S=1,W=1,X=5:2,Sa").holding(mail)
    again = first.holding(b"To: b\n\n")
    on_the_wire = mail.replace(b"\r", b"").replace(b"\n", b"\r\n")
    assert (first.fields, first.info) == (f",S={len(mail)},W={len(on_the_wire)},X=5", ":2,Sa")
    assert first.origin == again.origin == MaildirName.of("17.host").origin == "17.host"
    assert len({first.unique, again.unique, "17.host,S=1,W=1,X=5"}) == 3
    assert MaildirName.of("17.host:2,S").holding(mail).fields == ""
    assert first.another().another().origin == "17.host"
    assert first.another() != first.another()


def test_names_that_differ_in_more_than_sizes_have_another_origin():
    assert MaildirName.of("mail,1").origin != MaildirName.of("mail,2").origin
    assert MaildirName.of("mail,1,S=2:2,S").origin == MaildirName.of("mail,1").origin == "mail,1"


def test_keywords_do_not_follow_a_message_into_another_folder():
    assert str(MaildirName.of("a:2,DSabz").in_another_folder()) == "a:2,DS"
    assert str(MaildirName.of("abc").in_another_folder()) == "abc"
    assert str(MaildirName.of("abc:1,xyz").in_another_folder()) == "abc:1,xyz"


def test_messages_are_the_files_of_new_and_cur(box):
    for path in ("new/2", "cur/1:2,S", "tmp/3", "cur/.hidden", "4", ".Junk/cur/5", ".Junk/new/6"):
        (box.path / path).parent.mkdir(parents=True, exist_ok=True)
        (box.path / path).touch()
    (box.path / "cur" / "folder").mkdir()
    (box.path / "cur" / "link").symlink_to(box.path / "4")
    assert box.messages() == [MaildirMessage("cur", "1:2,S"), MaildirMessage("new", "2")]
    found = group_by_origin([box.path, box.folder("Junk"), box.folder("Nowhere"), box.path])
    assert {stem: len(paths) for stem, paths in found.items()} == {"1": 1, "2": 1, "5": 1, "6": 1}


def test_a_message_is_found_again_when_its_flags_have_changed(box):
    message = MaildirMessage("new", "1.host")
    assert box.read(message) is None
    (box.path / "cur" / "1.host:2,S").write_bytes(b"mail")
    assert box.read(message) == (box.path / "cur" / "1.host:2,S", b"mail")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Junk", ".Junk"),
        ("仕事", ".&TtVOiw-"),
        ("Lists.python", ".Lists.python"),
        ("to do & more", ".to do &- more"),
        ("cur", ".cur"),
        ("~", ".~"),
        ("-rf *", ".-rf *"),
        ("\n", ".&AAo-"),
        ("inbox", ""),
    ],
)
def test_a_folder_has_its_place_in_the_maildir(box, name, path):
    folder = box.folder(name)
    assert folder == box.path / path
    box.make(folder)
    box.make(folder)
    assert {"cur", "new", "tmp"} <= {path.name for path in folder.iterdir()}
    assert (folder / "maildirfolder").exists() == (name != "inbox")
    assert box.folder(name) == folder


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "/etc", "a/b", "a/../..", ".Junk", "a..b", "a.", "a\0b", "...", "\ud800"]
)
def test_no_name_leads_out_of_the_maildir(box, name):
    with pytest.raises(InputError, match="cannot be a folder"):
        box.folder(name)


def test_a_folder_that_is_there_under_a_plainer_name_is_taken(box):
    plain = made(box.path / ".仕事")
    assert box.folder("仕事") == plain
    usual = made(box.path / ".&TtVOiw-")
    assert box.folder("仕事") == usual
    assert box.folder("Junk") == box.path / ".Junk"
    assert box.folder("Old") != made(box.path / "Old") == box.folder("Old")


def test_the_folders_of_a_subfolder_are_beside_it(box):
    inner = Maildir(made(box.path / ".Lists"))
    assert inner.folder("Junk") == box.path / ".Junk"
    assert inner.folder("Lists") == inner.path
    hidden = Maildir(made(box.path.parent / ".maildir"))
    assert hidden.folder("Junk") == hidden.path / ".Junk"


def test_a_folder_has_the_permissions_of_the_maildir(box):
    box.path.chmod(0o700)
    box.make(box.folder("Junk"))
    modes = {path.stat().st_mode & 0o777 for path in (box.folder("Junk"), box.folder("Junk") / "cur")}
    assert modes == {0o700}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who alone can give files away")
def test_what_root_makes_belongs_to_the_owner_of_the_maildir(box):
    os.chown(box.path, 65534, 65533)
    folder, memory = box.folder("Junk"), SortMemory(box.path, "job")
    with box.changing(folder):
        box.make(folder)
    memory.begin("model", [])
    memory.save()
    made = [folder, *folder.iterdir(), *box.path.glob("*textnb*"), *box.path.glob(".textnb*")]
    assert {path.name for path in made} >= {"cur", "maildirfolder", "textnb-sorted", ".textnb-sort.lock"}
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(65534, 65533)}


def test_a_folder_that_would_not_belong_to_the_owner_is_not_made(box, monkeypatch):
    def refused(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("textnb.mail.maildir.give", refused)
    with pytest.raises(PermissionError):
        box.make(box.folder("Junk"))
    assert not box.folder("Junk").exists()


def test_what_is_no_maildir_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="is not a Maildir"):
            Maildir(path)


def test_a_message_marked_to_be_deleted_is_not_there(box):
    assert not box.has("Junk", "1")
    (made(box.path / ".Junk") / "cur" / "1:2,S").touch()
    assert box.has("Junk", "1")
    (box.path / ".Junk" / "cur" / "1:2,S").rename(box.path / ".Junk" / "cur" / "1:2,ST")
    assert not box.has("Junk", "1")

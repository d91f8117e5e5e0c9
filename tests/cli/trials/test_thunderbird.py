"""Trial of a user of Thunderbird: from the files of a profile to a filter and to sorted mboxes."""

import pytest

FOLDERS = {"Junk": "spam", "&W7Zlzw-": "family", "&TtVOiw-": "work", "&MEp35TCJMFs-": "notices"}
"""Folders of an account, named in modified UTF-7 (家族, 仕事, お知らせ), and their classes in ja-mail."""
N_LEARNT = 12
DELETED = b"X-Mozilla-Status: 0009\n"


def stored(path, messages, status=b"X-Mozilla-Status: 0001\n", keys=""):
    """Append messages to an mbox as Thunderbird writes it, with its own fields and an index beside it."""
    own = status + f"X-Mozilla-Status2: 00000000\nX-Mozilla-Keys: {keys:60}\n".encode()
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as stream:
        for message in messages:
            content = message.replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ").rstrip(b"\n")
            stream.write(b"From - Fri Jan 02 03:04:05 2026\n" + own + content + b"\n\n")
    path.with_name(path.name + ".msf").write_text('// <!-- <mdb:mork:z v="1.4"/> -->\n', encoding="ascii")


def n_messages(path):
    return path.read_bytes().count(b"From - ")


@pytest.fixture
def account(tmp_path, request):
    """A profile with one IMAP account: four folders, one of them with a subfolder, settings, and new mail in INBOX."""
    folder = tmp_path / "abc.default-release" / "ImapMail" / "imap.example.jp"
    folder.mkdir(parents=True)
    ja_mail = request.config.rootpath / "corpora" / "ja-mail"
    mails = {name: [path.read_bytes() for path in sorted((ja_mail / name).iterdir())] for name in FOLDERS.values()}
    for name, label in FOLDERS.items():
        stored(folder / name, mails[label][:N_LEARNT], keys="Junk" if label == "spam" else "")
    stored(folder / "&TtVOiw-.sbd" / "2025", [mails["work"][N_LEARNT]])
    stored(folder / "&W7Zlzw-", mails["spam"][N_LEARNT:], DELETED)  # thrown away, and still in the file
    (folder / "Trash").touch()
    (folder / "Trash.msf").touch()
    (folder / "msgFilterRules.dat").write_text('version="9"\nlogging="no"\n', encoding="ascii")
    for label in ("family", "work", "notices"):
        stored(tmp_path / "INBOX", mails[label][N_LEARNT + 1 :])
    stored(tmp_path / "INBOX", mails["spam"][N_LEARNT:], DELETED)
    return folder


def test_from_a_profile_to_sorted_mboxes(run, account, tmp_path):
    profile = account.parents[1].name
    asked = run("train", profile, "--model", "mail", "-o", "mail.textnb").refusal
    assert "is a profile of Thunderbird; name the folder of an account:" in asked
    assert "ImapMail/imap.example.jp'" in asked
    trained = run("train", account, "--model", "mail", "-o", "mail.textnb").ok
    assert "learnt 49 documents" in trained.err and "49 documents, 4 classes" in trained.err
    assert "4 messages were not read: Thunderbird has marked them as deleted" in trained.err
    answers = [row.split("\t") for row in run("predict", "mail.textnb", "INBOX").ok.lines]
    assert answers[0] == ["id", "label", "probability", "known_terms", "date", "from", "subject"]
    assert {row[1] for row in answers[1:]} == {"家族", "仕事", "お知らせ"}
    before = (tmp_path / "INBOX").read_bytes()
    plan = run("sort", "mail.textnb", "INBOX", "--unsure", 0).ok
    assert len(plan.lines) == 10
    assert "dry run, nothing was changed" in plan.err
    done = run("sort", "mail.textnb", "INBOX", "--unsure", 0, "--to", "sorted", "--apply").ok
    assert "the new mboxes are in sorted" in done.err
    found = {path.name: n_messages(path) for path in (tmp_path / "sorted").iterdir()}
    assert sum(found.values()) == 9
    assert set(found) == {"家族", "仕事", "お知らせ"}
    assert (tmp_path / "INBOX").read_bytes() == before
    nothing = run("sort", "mail.textnb", "INBOX", "--spam", "Junk", "--move", "Junk=x", "--to", "y", "--apply").ok
    assert "9 stay" in nothing.err and "new mboxes" not in nothing.err


def test_marks_of_junk_and_removing_from_the_inbox(run, account, tmp_path):
    stored(tmp_path / "Archive", [b"Subject: a\n\nmeeting at noon\n"] * 3, keys="NonJunk")
    stored(tmp_path / "Archive", [b"Subject: b\n\ncasino bonus today\n"] * 3, keys="Junk")
    stored(tmp_path / "Archive", [b"Subject: c\n\nno mark\n"])
    learnt = run("train", "Archive", "--label", "header:X-Mozilla-Keys", "--model", "mail", "-o", "m.textnb").ok
    assert "learnt 6 documents; m.textnb has 6 documents, 2 classes" in learnt.err
    assert "1 message has no label in that header field" in learnt.err
    assert run("train", account, "--model", "mail", "-o", "mail.textnb", "-q").ok
    assert run("sort", "mail.textnb", "INBOX", "--unsure", 0, "--remove", "--apply", "-q").ok
    assert (tmp_path / "INBOX.before-textnb").exists()
    assert n_messages(tmp_path / "INBOX") == 4  # those that were deleted stay where they are

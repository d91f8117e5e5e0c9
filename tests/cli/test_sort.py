"""textnb sort: a Maildir as its owner finds it afterwards."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from textnb import TextClassifier
from textnb.cli.terminal import repeat

PILLS, LUNCH, EMPTY = "Subject: 薬\n\n安い薬 安い薬\n", "Subject: 昼食\n\n昼食 会議\n", "Subject: none\n\n"
SPAM = ("--spam", "迷惑")


@pytest.fixture
def maildir(tmp_path):
    path = tmp_path / "Maildir"
    for part in ("cur", "new", "tmp"):
        (path / part).mkdir(parents=True)
    (path / "new" / "1.pills").write_text(PILLS)
    (path / "cur" / "2.lunch:2,S").write_text(LUNCH)
    (path / "cur" / "3.empty:2,").write_text(EMPTY)
    return path


def held(maildir):
    return {str(path.relative_to(maildir)) for part in ("new", "cur") for path in maildir.rglob(f"{part}/*")}


def test_a_dry_run_prints_what_would_be_done_and_does_not_do_it(run, mail_model, maildir):
    before = {path: path.stat().st_mtime_ns for path in maildir.rglob("*")}
    done = run("sort", mail_model, maildir, *SPAM, "--move", "迷惑=Junk").ok
    rows = [line.split("\t") for line in done.lines]
    assert rows[0] == ["file", "class", "probability", "unsure", "destination", "date", "from", "reason", "subject"]
    assert [[row[0], row[1], *row[3:5], row[8]] for row in rows[1:]] == [
        ["new/1.pills", "迷惑", "no", "Junk", "薬"],
        ["cur/2.lunch:2,S", "ham", "no", "", "昼食"],
        ["cur/3.empty:2,", "ham", "yes", "", "none"],
    ]
    assert sorted(rows[1][7].split()) == ["い", "安", "薬"]
    assert done.err == (
        "3 messages judged: 1 would go to Junk, 2 stay, 1 of them unsure; "
        "dry run, nothing was changed; use --apply to change the mailbox\n"
    )
    assert {path: path.stat().st_mtime_ns for path in maildir.rglob("*")} == before


def test_applied_it_is_done_and_the_next_run_has_nothing_left_to_do(run, mail_model, maildir):
    command = ("sort", mail_model, maildir, *SPAM, "--move", "迷惑=Junk", "--apply")
    done = run(*command)
    assert (done.code, done.out) == (0, "")
    assert done.err == "3 messages judged: 1 moved to Junk, 2 stay, 1 of them unsure\n"
    assert held(maildir) == {".Junk/new/1.pills", "cur/2.lunch:2,S", "cur/3.empty:2,"}
    assert run(*command).err == "0 messages judged: 0 stay; 2 judged before\n"
    assert run(*command, "--quiet").err == ""
    assert run(*command, "--again").err == "2 messages judged: 2 stay, 1 of them unsure\n"


def test_without_move_and_tag_each_class_has_its_folder(run, mail_model, maildir):
    assert run("sort", mail_model, maildir, *SPAM, "--unsure-to", "to look at", "--apply").code == 0
    assert held(maildir) == {".&j,dg0Q-/new/1.pills", ".ham/cur/2.lunch:2,S", ".to look at/cur/3.empty:2,"}


def test_tagged_messages_stay_with_what_was_decided(run, mail_model, maildir):
    (maildir / "new" / "1.pills").write_text("X-Textnb: class=ham;\n forged\n" + PILLS)
    done = run("sort", mail_model, maildir, *SPAM, "--tag", "--apply")
    assert done.err == "3 messages judged: 3 stay, 1 of them unsure, 3 tagged\n"
    (name,) = (maildir / "new").iterdir()
    field, rest = name.read_text().split("\n", 1)
    assert field.startswith("X-Textnb: class*=utf-8''%E8%BF%B7%E6%83%91; ")
    assert rest == PILLS
    assert len(held(maildir)) == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--move", "junk=Junk"], "'junk' is not among the model's classes: ham, 迷惑"),
        (["--move", "ham=../x"], "'../x' cannot be a folder of a Maildir"),
        (["--unsure-to", "/x"], "'/x' cannot be a folder of a Maildir"),
        (["--spam", "junk"], "'junk' is not among the model's classes"),
        (["--watch", "--move", "junk=Junk"], "'junk' is not among the model's classes"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(run, mail_model, maildir, arguments, error):
    assert error in run("sort", mail_model, maildir, "--apply", *arguments).refusal
    assert len(held(maildir)) == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--move", "Junk"], "not 'Junk'"),
        (["--move", "ham="], "write a name after '='"),
        (["--move", "ham=A", "--move", "ham=B"], "--move"),
        (["--spam", "ham", "--unsure", "0.5"], "not --unsure"),
        (["--thin", "2"], "add --spam CLASS"),
        (["--unsure-to", ""], "has an empty name"),
    ],
)
def test_wrong_options_are_said_in_a_line_with_exit_code_2(run, mail_model, maildir, arguments, error):
    assert error in run("sort", mail_model, maildir, "--apply", *arguments).misuse
    assert len(held(maildir)) == 3


def test_what_is_no_maildir_or_no_model_is_refused(run, mail_model, maildir, tmp_path):
    assert "is not a Maildir" in run("sort", mail_model, tmp_path).err
    assert "train a model first" in run("sort", "nowhere.textnb", maildir).err
    assert run("sort", mail_model).code == 2


@pytest.mark.parametrize("seconds", ["1e10", "86401", "inf", "nan", "0", "-1"])
@pytest.mark.parametrize("verb", [["sort"], ["imap", "--host", "localhost", "--user", "me"]])
def test_how_often_it_looks_is_between_a_moment_and_a_day(run, mail_model, maildir, verb, seconds):
    place = [maildir] if verb == ["sort"] else []
    done = run(*verb, mail_model, *place, "--watch", "--every", seconds)
    assert done.code == 2
    assert "--every" in done.err


def test_a_memory_that_is_a_folder_is_said_so_in_a_line(run, mail_model, maildir):
    (maildir / "textnb-sorted").mkdir()
    done = run("sort", mail_model, maildir, *SPAM, "--move", "迷惑=Junk", "--apply")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"textnb: {maildir}/textnb-sorted cannot be read: Is a directory; ")
    assert done.err.count("\n") == 1
    assert "1.pills" in {path.name for path in (maildir / "new").iterdir()}


def test_a_message_that_cannot_leave_stays_as_it_is(run, mail_model, maildir, monkeypatch):
    real = os.unlink

    def unlink(path, **options):
        if Path(path).parent == maildir / "new":
            raise PermissionError(13, "Permission denied")
        real(path, **options)

    monkeypatch.setattr(os, "unlink", unlink)
    done = run("sort", mail_model, maildir, *SPAM, "--move", "迷惑=Junk", "--apply")
    assert done.code == 1
    assert done.err.splitlines()[0] == f"textnb: {maildir}/new/1.pills is unchanged: Permission denied"
    assert held(maildir) == {"new/1.pills", "cur/2.lunch:2,S", "cur/3.empty:2,"}


def test_a_message_that_cannot_be_read_is_named_and_left(run, mail_model, maildir):
    (maildir / "cur" / "2.lunch:2,S").write_bytes(b"\x1f\x8b\x08 packed")
    done = run("sort", mail_model, maildir, *SPAM, "--move", "迷惑=Junk", "--apply")
    assert done.code == 1
    first, second = done.err.splitlines()
    assert first == f"textnb: {maildir}/cur/2.lunch:2,S is unchanged: the message is compressed and cannot be read"
    assert second.endswith("1 could not be judged or moved")
    assert held(maildir) == {".Junk/new/1.pills", "cur/2.lunch:2,S", "cur/3.empty:2,"}


def test_watching_goes_on_with_what_arrives_until_it_is_told_to_stop(mail_model, maildir):
    command = [sys.executable, "-m", "textnb", "sort", mail_model, maildir, *SPAM, "--move", "迷惑=Junk"]
    service = subprocess.Popen([*command, "--apply", "--watch", "--every", "0.1"], stderr=subprocess.PIPE, text=True)
    try:
        assert service.stderr.readline() == f"textnb: watching {maildir}\n"
        assert service.stderr.readline().startswith("new/1.pills: 迷惑, ")
        (maildir / "tmp" / "4").write_text(PILLS + "2\n")
        (maildir / "tmp" / "4").rename(maildir / "new" / "4")
        assert service.stderr.readline().startswith("new/4: 迷惑, ")
        service.send_signal(signal.SIGTERM)
        assert service.wait(20) == 0
    finally:
        service.kill()
        assert service.communicate()[1] == ""
    assert held(maildir) == {".Junk/new/1.pills", ".Junk/new/4", "cur/2.lunch:2,S", "cur/3.empty:2,"}


def test_watching_judges_by_the_model_as_it_is(run, mail_model, maildir, monkeypatch):
    turns = []

    def turn(once, every, stop):
        for _ in range(2):
            once()
            turns.append(held(maildir))
            new = TextClassifier(tokenizer="chars", alpha=0.01, calibrate=False)
            new.fit(["薬", "none", "昼食"], ["ham", "迷惑", "ham"]).save(mail_model)

    monkeypatch.setattr("textnb.cli.sort.repeat", turn)
    command = ("sort", mail_model, maildir, "--unsure", "0.9", "--move", "迷惑=Junk", "--apply", "--watch", "--quiet")
    assert run(*command).code == 0
    assert ".Junk/cur/3.empty:2," not in turns[0]
    assert turns[1] == {".Junk/new/1.pills", "cur/2.lunch:2,S", ".Junk/cur/3.empty:2,"}


def test_a_lasting_error_is_said_once_and_does_not_spin(capsys):
    waits = []

    class Stop:
        def is_set(self):
            return len(waits) == 3

        def wait(self, seconds):
            waits.append(seconds)

    def once():
        raise OSError("the disk is gone")

    repeat(once, 7.0, Stop())
    assert waits == [7.0] * 3
    assert capsys.readouterr().err == "textnb: the disk is gone; will keep trying\n"


def test_the_last_run_can_be_undone(run, mail_model, maildir):
    before = held(maildir)
    assert "0 messages put back" in run("sort", mail_model, maildir, "--undo", "--apply").err
    assert run("sort", mail_model, maildir, *SPAM, "--move", "迷惑=Junk", "--apply").code == 0
    plan = run("sort", mail_model, maildir, "--undo")
    assert plan.lines[1].split("\t")[0] == ".Junk/new/1.pills"
    assert "1 message would be put back" in plan.err
    assert run("sort", mail_model, maildir, "--undo", "--apply").err == "1 message put back as before the last run\n"
    assert held(maildir) == before
    assert (
        "--move would have no effect with --undo" in run("sort", mail_model, maildir, "--undo", "--move", "a=b").misuse
    )


def test_an_mbox_is_copied_by_class(run, mail_model, tmp_path):
    box = tmp_path / "Inbox"
    box.write_text("".join(f"From - Fri Jan  2 03:04:05 2026\n{mail}\n" for mail in (PILLS, LUNCH, EMPTY)))
    before = box.read_bytes()
    plan = run("sort", mail_model, box, *SPAM, "--move", "迷惑=Junk").ok
    assert [line.split("\t")[0] for line in plan.lines] == ["message", "1", "2", "3"]
    assert "use --apply to write the new mboxes" in plan.err
    done = run("sort", mail_model, box, *SPAM, "--move", "迷惑=Junk", "--to", tmp_path / "sorted", "--apply")
    assert (done.code, [path.name for path in (tmp_path / "sorted").iterdir()]) == (0, ["Junk"])
    assert box.read_bytes() == before
    for wrong in (["--undo"], ["--watch"], ["--again"]):
        assert "would have no effect for an mbox" in run("sort", mail_model, box, *wrong).misuse


def test_the_options_for_an_mbox_are_refused_for_a_maildir(run, mail_model, maildir, tmp_path):
    assert "for a Maildir" in run("sort", mail_model, maildir, "--to", tmp_path / "x").misuse
    assert "for a Maildir" in run("sort", mail_model, maildir, "--remove").misuse
    note = tmp_path / "note.txt"
    note.write_text("a note")
    assert "neither a Maildir nor an mbox" in run("sort", mail_model, note).refusal


@pytest.mark.parametrize("columns", [60, 80, 139, 140, 200])
def test_the_plan_is_cut_to_the_terminal(capsys, monkeypatch, columns):
    from rich.cells import cell_len

    from textnb.cli.options.decision import PlanRows

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    PlanRows("file").returning("new/" + "1" * 50, "迷惑" * 20, f"From: {'a' * 90}\nSubject: {'b' * 300}\n\n".encode())
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert max(map(cell_len, lines)) <= max(columns, 78)
    assert lines[1].endswith("…")

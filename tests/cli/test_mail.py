"""Mail on the command line: a store per class to train on, a mailbox to classify."""

from pathlib import Path

import pytest

STAMP = b"From a@example.jp Fri Jan  2 03:04:05 2026\n"


def mail(words: str) -> bytes:
    return f"From: a@example.jp\nSubject: {words}\n\n{words}\n".encode()


@pytest.fixture
def mail_model(run, tmp_path: Path) -> Path:
    for label, texts in {
        "good": ["meeting notes", "meeting plan"],
        "spam.mbox": ["cheap pills", "cheap watch"],
    }.items():
        path = tmp_path / "mail" / label
        path.parent.mkdir(exist_ok=True)
        if path.suffix:
            path.write_bytes(b"\n".join(STAMP + mail(text) for text in texts))
        else:
            for box in ("cur", "new", "tmp"):
                (path / box).mkdir(parents=True)
            for i, text in enumerate(texts):
                (path / "cur" / f"{i}:2,S").write_bytes(mail(text))
    done = run("train", tmp_path / "mail", "-o", tmp_path / "mail.textnb").ok
    assert "learnt 4 documents" in done.err
    return tmp_path / "mail.textnb"


def test_each_message_of_a_mailbox_has_its_row(run, mail_model, tmp_path):
    (tmp_path / "inbox").write_bytes(b"\n".join(STAMP + mail(text) for text in ("cheap offer", "our meeting")))
    rows = [line.split("\t")[:2] for line in run("predict", mail_model, "inbox").lines]
    assert rows == [["id", "label"], ["1", "spam"], ["2", "good"]]


def test_several_processes_give_the_same_answers_in_the_same_order(run, mail_model, tmp_path):
    (tmp_path / "inbox").write_bytes(b"\n".join(STAMP + mail(f"{w} {w}") for w in ("cheap", "meeting", "other") * 3))
    (tmp_path / "lines.csv").write_text("text\nmeeting\ncheap\n")
    alone, together = (run("predict", mail_model, "inbox", "lines.csv", "inbox", "--jobs", jobs) for jobs in (1, 2))
    assert together.lines == alone.lines and len(alone.lines) == 21


def test_a_message_comes_through_standard_input(run, mail_model):
    done = run("predict", mail_model, "--reader", "mail", stdin=mail("cheap cheap"))
    assert done.lines[1].split("\t")[:2] == ["1", "spam"]


def test_standard_input_may_be_a_table_but_no_folder(run, mail_model):
    done = run("predict", mail_model, "--reader", "csv", stdin=b"id,text\nx,a\n").ok
    assert done.lines[1].startswith("x\t")
    assert "standard input cannot be read as a folder" in run("predict", mail_model, "--reader", "folder").misuse

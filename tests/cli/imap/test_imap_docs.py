"""The commands for IMAP in docs/mail.md, against a real server."""

import re
import shlex
from pathlib import Path

import pytest
from mailbox_of_user import HAM, SPAM, mail

from textnb import TextClassifier

DOCS = Path(__file__).parents[3] / "docs" / "mail.md"
pytestmark = pytest.mark.skipif(not DOCS.is_file(), reason="needs the documents, which only the sources have")


def commands():
    """The example, and that of the service."""
    text = DOCS.read_text().replace("\\\n", " ")
    found = re.findall(r"^(?:ExecStart=\S*/)?textnb imap (.*)$", text, re.MULTILINE)
    return [shlex.split(command) for command in found]


def test_the_examples_of_the_documents_work(run, box, secret, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    model = tmp_path / "mail.textnb"
    texts, labels = ["安い薬", "薬 安い 今", "昼食 会議", "会議 の 昼食"], ["spam", "spam", "ham", "ham"]
    TextClassifier(tokenizer="chars", alpha=0.01, calibrate=False).fit(texts, labels).save(model)
    box.deliver(mail("pills", SPAM), mail("lunch", HAM))
    example, service = commands()
    assert run("imap", *here(example, box, model, secret)).lines[1].split("\t")[3:5] == ["no", "Junk"]
    assert run("imap", *here([word for word in service if word != "--watch"], box, model, secret)).code == 0
    assert (box.subjects("Junk"), box.subjects()) == (["pills"], ["lunch"])


def test_the_service_does_not_try_a_refused_password_again(run, box, secret, tmp_path, mail_model, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    secret.write_text("another")
    done = run("imap", mail_model, *here(commands()[0][1:5], box, mail_model, secret), "--password-file", secret)
    for name in ("mail.md", "mail.ja.md"):
        assert f"\nRestartPreventExitStatus={done.code}\n" in (DOCS.parent / name).read_text()


def here(command, box, model, secret):
    """The command with what is this machine's in place of the reader's."""
    own = {
        "~/mail.textnb": model,
        "%h/mail.textnb": model,
        "imap.example.jp": "127.0.0.1",
        "me@example.jp": box.user,
        "pass show mail": f"head -n 1 {secret}",
        "%h/.config/textnb-password": secret,
    }
    return [*(own.get(word, word) for word in command), "--plain", "--port", box.server.plain]

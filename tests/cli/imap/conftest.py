"""A mailbox on a real server, as its owner uses it; and the verb, over a plain connection to it."""

from types import SimpleNamespace

import pytest
from dovecot import PASSWORD, PLAIN_USERS
from mailbox_of_user import Box


@pytest.fixture(scope="session")
def names(dovecot):
    return iter(PLAIN_USERS)


@pytest.fixture
def box(dovecot, names):
    box = Box(dovecot, next(names))
    yield box
    box.client.logout()


@pytest.fixture
def stranger():
    """Somebody for whom there is no server."""
    pytest.importorskip("imapclient", reason="needs IMAPClient: pip install 'textnb[imap]'")
    return SimpleNamespace(user="me", server=SimpleNamespace(plain=1))


@pytest.fixture
def model(mail_model):
    return mail_model


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\nnot this\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def imap(run, model, secret, tmp_path, monkeypatch):
    """The verb over a plain connection, with a state folder of the test's own; quicker for not waiting for the disk."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("os.fsync", lambda _: None)

    def textnb(box, *arguments, port=None, host="127.0.0.1"):
        way = ["--host", host, "--user", box.user, "--password-file", secret, "--plain", "--spam", "迷惑"]
        return run("imap", model, *way, "--port", port or box.server.plain, *arguments)

    return textnb

"""The recipes of docs/mail.md, run by the programs that they are for; a stand-in gives the verdict."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="needs the documents, which only the sources have")
SPAM, HAM = b"Subject: pills\nTo: me\n\nbuy\n", b"Subject: lunch\nTo: me\n\nsoon\n"
STAND_IN = """#!/bin/sh
mail=$(cat; echo .)
class=ham code=1
case $mail in *pills*) class=spam code=0;; esac
printf 'X-Textnb: class=%s; probability=0.999000; unsure=no\\n%s' $class "${mail%.}"
case $* in *-e*) exit $code;; esac
"""


def blocks(kind, name="mail.md"):
    """The blocks of a kind, in their order."""
    found = re.findall(r"^```([^\n]*)\n(.*?)^```$", (DOCS / name).read_text(), re.MULTILINE | re.DOTALL)
    return [block for of, block in found if of == kind]


@pytest.fixture
def home(tmp_path):
    program = tmp_path / "bin" / "textnb"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    for box in ("Maildir", "Maildir/.spam"):
        for part in ("tmp", "new", "cur"):
            (tmp_path / box / part).mkdir(parents=True)
    return tmp_path


def run(home, *command, stdin=b""):
    environment = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(home)}
    return subprocess.run(command, input=stdin, env=environment, cwd=home, capture_output=True, check=True)


def own_places(home):
    """Both programs take the home of the user from the system, where a test must not deliver."""
    return [f'HOME="{home}"', f'PATH="{home}/bin:/usr/bin:/bin"', 'XDG_RUNTIME_DIR="/run"']


def needs(program):
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"needs {program}")
    return path


def subjects(box):
    return [re.search(rb"Subject: (\w+)", mail.read_bytes())[1] for mail in sorted((box / "new").iterdir())]


def check_sorted(home):
    assert subjects(home / "Maildir" / ".spam") == [b"pills"]
    assert subjects(home / "Maildir") == [b"lunch"]
    assert all(b"X-Textnb: class=" in mail.read_bytes() for mail in home.glob("Maildir/**/new/*"))


def test_both_languages_have_the_same_recipes():
    for kind in ("procmail", "maildrop", "sieve", "ini", "sh client", "sh maildir", "sh", ""):
        uncommented = [
            [re.sub(r"#[^!].*", "", block) for block in blocks(kind, name)] for name in ("mail.md", "mail.ja.md")
        ]
        assert uncommented[0] == uncommented[1] != []


def test_procmail_delivers_by_the_verdict(home):
    procmail = needs("procmail")
    settings = [*own_places(home), "SHELL=/bin/sh", "DEFAULT=$HOME/Maildir/", "ORGMAIL=$DEFAULT"]
    (home / "procmailrc").write_text("\n".join([*settings, *blocks("procmail")]))
    for mail in (SPAM, HAM):
        run(home, procmail, "-m", f"{home}/procmailrc", stdin=mail)
    check_sorted(home)


def test_maildrop_delivers_by_the_verdict(home):
    maildrop = needs("maildrop")
    rules = home / "rules"
    rules.write_text("\n".join([*own_places(home), *blocks("maildrop"), 'to "$HOME/Maildir/"\n']))
    rules.chmod(0o600)
    for mail in (SPAM, HAM):
        run(home, maildrop, str(rules), stdin=mail)
    check_sorted(home)


@pytest.mark.parametrize("number", [0, 1])
def test_sieve_understands_the_scripts(home, number):
    sievec = needs("sievec")
    (home / "conf").write_text(
        "plugin {\n sieve_plugins = sieve_extprograms\n sieve_extensions = +vnd.dovecot.filter +vnd.dovecot.pipe\n}\n"
    )
    (home / "script.sieve").write_text(blocks("sieve")[number])
    run(home, sievec, "-c", f"{home}/conf", f"{home}/script.sieve")
    assert (home / "script.svbin").exists()


def test_the_job_for_a_maildir_moves_what_is_spam(home):
    for name, mail in (("1.spam", SPAM), ("2.ham", HAM)):
        (home / "Maildir" / "new" / name).write_bytes(mail)
    (home / "job").write_text(blocks("sh maildir")[0])
    run(home, "sh", "job", str(home / "Maildir"))
    assert subjects(home / "Maildir" / ".spam") == [b"pills"]
    assert subjects(home / "Maildir") == [b"lunch"]


def test_the_client_in_shell_passes_a_mail_on_whatever_the_service_says(home):
    needs("socat")
    (home / "client").write_text(blocks("sh client")[0])
    answers = {
        b"textnb/1 0 6 \nX: y\r\n": b"X: y\r\n",
        b"textnb/1 0 7 \nX: y\r\n": SPAM,
        b"textnb/1 3 0 why\n": SPAM,
        b"": SPAM,
    }
    for number, (answer, expected) in enumerate(answers.items()):
        (home / "answer").write_bytes(answer)
        place = f"s{number}"
        service = subprocess.Popen(["socat", f"UNIX-LISTEN:{place}", "SYSTEM:cat >/dev/null; cat answer"], cwd=home)
        while not (home / place).exists():
            assert service.poll() is None
        assert run(home, "sh", "client", place, stdin=SPAM).stdout == expected
        service.wait(10)

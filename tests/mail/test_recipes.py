"""The recipes of docs/mail.md, run by the programs that they are for; the verdict is a stand-in's or textnb's."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import textnb
from textnb import TextClassifier
from textnb.readers import read_message

JA_MAIL = Path(__file__).parents[2] / "corpora" / "ja-mail"
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
REAL = f"""#!/bin/sh
PYTHONPATH="{Path(textnb.__file__).parents[1]}" exec "{sys.executable}" -m textnb "$@"
"""
SIEVE_SETTINGS = """
plugin {{
  sieve_plugins = sieve_extprograms
  sieve_extensions = +vnd.dovecot.filter +vnd.dovecot.pipe
  sieve_filter_bin_dir = {home}
}}
"""
NOT_AS_ROOT = "mail_uid = 65534\nmail_gid = 65534\n"


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


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "mail.textnb"
    mails = [replace(read_message(mail.read_bytes()), label=mail.parent.name) for mail in JA_MAIL.glob("*/*.eml")]
    TextClassifier("mail", tokenizer="chars").fit(mails).save(path)
    return path


@pytest.fixture
def service(home, model):
    """The home with textnb itself in place of the stand-in, and its service."""
    program = home / "bin" / "textnb"
    program.write_text(REAL)
    command = [str(program), "filterd", str(model), "--spam", "spam", "--socket", str(home / "textnb.sock")]
    service = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        assert b"listening" in service.stderr.readline()
        yield home
    finally:
        service.terminate()
        service.communicate(timeout=20)


def run(home, *command, stdin=b""):
    environment = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(home)}
    return subprocess.run(command, input=stdin, env=environment, cwd=home, capture_output=True, check=True)


def own_places(home):
    """Both programs take the home of the user from the system, where a test must not deliver."""
    return [f'HOME="{home}"', f'PATH="{home}/bin:/usr/bin:/bin"', f'XDG_RUNTIME_DIR="{home}"']


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
    for kind in ("procmail", "maildrop", "sieve", "ini", "sh client", "sh imap", "crontab", "sh", ""):
        uncommented = [
            [re.sub(r"#[^!].*", "", block) for block in blocks(kind, name)] for name in ("mail.md", "mail.ja.md")
        ]
        assert uncommented[0] == uncommented[1] != []


def through_procmail(home, *mails):
    procmail = needs("procmail")
    settings = [*own_places(home), "SHELL=/bin/sh", "DEFAULT=$HOME/Maildir/", "ORGMAIL=$DEFAULT"]
    (home / "procmailrc").write_text("\n".join([*settings, *blocks("procmail")]))
    for mail in mails:
        run(home, procmail, "-m", f"{home}/procmailrc", stdin=mail)


def through_maildrop(home, *mails):
    maildrop = needs("maildrop")
    rules = home / "rules"
    rules.write_text("\n".join([*own_places(home), *blocks("maildrop"), 'to "$HOME/Maildir/"\n']))
    rules.chmod(0o600)
    for mail in mails:
        run(home, maildrop, str(rules), stdin=mail)


@pytest.mark.parametrize("deliver", [through_procmail, through_maildrop])
def test_mail_is_delivered_by_the_verdict(home, deliver):
    deliver(home, SPAM, HAM)
    check_sorted(home)


def test_mail_is_delivered_by_the_verdict_of_textnb_itself(service):
    mails = [(JA_MAIL / label / "02.eml").read_bytes() for label in ("spam", "work")]
    programs = [deliver for name, deliver in DELIVERING.items() if shutil.which(name)]
    if not programs:
        pytest.skip("needs procmail or maildrop")
    for deliver in programs:
        deliver(service, *mails)
    for box, label, mail in ((".spam", b"spam", mails[0]), (".", b"work", mails[1])):
        delivered = [path.read_bytes().replace(b"\r", b"") for path in (service / "Maildir" / box / "new").iterdir()]
        assert len(delivered) == len(programs)
        for message in delivered:
            field = re.search(rb"^X-Textnb: class=%b; probability=0.\d+; unsure=no\n" % label, message, re.MULTILINE)
            assert mail.replace(b"\r", b"").strip() in message.replace(field[0], b"")


DELIVERING = {"procmail": through_procmail, "maildrop": through_maildrop}


@pytest.mark.parametrize("number", [0, 1])
def test_sieve_understands_the_scripts(home, number):
    sievec = needs("sievec")
    (home / "conf").write_text(
        "plugin {\n sieve_plugins = sieve_extprograms\n sieve_extensions = +vnd.dovecot.filter +vnd.dovecot.pipe\n}\n"
    )
    (home / "script.sieve").write_text(blocks("sieve")[number])
    run(home, sievec, "-c", f"{home}/conf", f"{home}/script.sieve")
    assert (home / "script.svbin").exists()


def test_sieve_files_by_the_verdict():
    sieve = needs("sieve-test")
    with TemporaryDirectory() as name:  # where the user can write whom Dovecot takes in place of root
        home = Path(name)
        home.chmod(0o777)
        (home / "textnb-filter").write_text(STAND_IN)
        (home / "textnb-filter").chmod(0o755)
        (home / "conf").write_text(SIEVE_SETTINGS.format(home=home) + ("" if os.geteuid() else NOT_AS_ROOT))
        (home / "script.sieve").write_text(blocks("sieve")[0])
        for mail in (SPAM, HAM):
            (home / "mail").write_bytes(mail)
            run(home, sieve, "-e", "-c", "conf", "-l", f"maildir:{home}/Maildir", "script.sieve", "mail")
        check_sorted(home)


def test_the_cron_job_moves_what_is_spam(home, model):
    for name, mail in (("1.spam", "spam/02.eml"), ("2.work", "work/02.eml")):
        shutil.copy(JA_MAIL / mail, home / "Maildir" / "new" / name)
    (home / ".local").mkdir()
    (home / "bin").rename(home / ".local" / "bin")
    (home / ".local" / "bin" / "textnb").write_text(REAL)
    shutil.copy(model, home / "mail.textnb")
    command = re.fullmatch(r"(?:[*/\d]+ ){5}(.*)\n", blocks("crontab")[0])[1]
    done = run(home, "sh", "-c", command)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert [path.name for path in (home / "Maildir" / ".spam" / "new").iterdir()] == ["1.spam"]
    assert [path.name for path in (home / "Maildir" / "new").iterdir()] == ["2.work"]


def test_the_nightly_corrections_learn_what_the_owner_has_filed_and_not_what_was_sorted(home):
    (home / "bin" / "textnb").write_text(REAL)
    before = TextClassifier("mail", tokenizer="chars", calibrate=False).fit(["lunch", "pills"], ["ham", "spam"])
    before.save(home / "mail.textnb")
    (home / "Maildir" / ".missed" / "cur").mkdir(parents=True)
    (home / "Maildir" / ".spam" / "cur" / "1:2,S").write_bytes(HAM)
    script = next(block for block in blocks("sh") if "textnb learn" in block)
    assert run(home, "sh", "-c", script).stderr == b""
    (home / "Maildir" / ".missed" / "cur" / "2:2,S").write_bytes(SPAM)
    assert run(home, "sh", "-c", script).stderr == b""
    after = TextClassifier.load(home / "mail.textnb")
    assert len(after.learnt.digests) == len(before.learnt.digests) + 1


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

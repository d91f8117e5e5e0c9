"""textnb imap against a real server: dry, in earnest, broken off, and taught by its user."""

import os
import signal
import threading
import time

import pytest
from dovecot import PASSWORD, certify
from imap_lines import END, Relay, saying

from textnb import TextClassifier
from textnb.mail.filtering import mail_document
from textnb.mail.imap import watching
from textnb.mail.imap.memory import Memory
from textnb.mail.learning import learnt_as

imapclient = pytest.importorskip("imapclient", reason="needs IMAPClient: pip install 'textnb[imap]'")

MARK = b"$TextnbSeen"
SPAM, HAM, NEITHER = "安い薬 薬 安い", "昼食 会議 昼食", "zzz"


def mail(subject, text, **fields):
    more = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"Subject: {subject}\r\n{more}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n".encode()


class Box:
    """A mailbox as its owner uses it."""

    def __init__(self, server, user):
        self.server, self.user = server, user
        self.client = imapclient.IMAPClient("localhost", server.plain, ssl=False, timeout=10)
        self.client.plain_login(user, PASSWORD)

    def deliver(self, *mails, folder="INBOX"):
        for message in mails:
            self.client.append(folder, message)

    def fetched(self, folder, item):
        if not self.client.folder_exists(folder):
            return []
        self.client.select_folder(folder, readonly=True)
        uids = self.client.search(["UNDELETED"])
        return [data[item] for _, data in sorted(self.client.fetch(uids, [item.replace(b"[]", b".PEEK[]")]).items())]

    def subjects(self, folder="INBOX"):
        return [body.split(b"\r\n")[0].removeprefix(b"Subject: ").decode() for body in self.fetched(folder, b"BODY[]")]

    def flags(self, folder="INBOX"):
        return [set(flags) - {rb"\Recent"} for flags in self.fetched(folder, b"FLAGS")]

    def move(self, subject, source, target):
        self.client.select_folder(source)
        self.client.move(self.client.search(["SUBJECT", subject]), target)

    def everything(self):
        """All that can be asked without changing it."""
        folders = [name for _, _, name in self.client.list_folders()]
        status = {
            name: self.client.folder_status(name, ["MESSAGES", "RECENT", "UIDNEXT", "UNSEEN"]) for name in folders
        }
        return {name: (status[name], self.fetched(name, b"BODY[]"), self.flags(name)) for name in folders}


@pytest.fixture(scope="session")
def names(dovecot):
    return iter(f"user{number}" for number in range(60))


@pytest.fixture
def box(dovecot, names):
    box = Box(dovecot, next(names))
    yield box
    box.client.logout()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "mail.textnb"
    texts, labels = ["安い薬", "薬 安い 今", "昼食 会議", "会議 の 昼食"], ["迷惑", "迷惑", "ham", "ham"]
    TextClassifier(tokenizer="chars", alpha=0.01, calibrate=False).fit(texts, labels).save(path)
    return path


@pytest.fixture
def model(trained, tmp_path):
    path = tmp_path / "mail.textnb"
    path.write_bytes(trained.read_bytes())
    return path


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\nnot this\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def imap(run, model, secret, tmp_path, monkeypatch):
    """The verb over a plain connection, with a state folder of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def textnb(box, *arguments, port=None, host="127.0.0.1"):
        way = ["--host", host, "--user", box.user, "--password-file", secret, "--plain", "--spam", "迷惑"]
        return run("imap", model, *way, "--port", port or box.server.plain, *arguments)

    return textnb


def rows(done):
    return [line.split("\t") for line in done.lines]


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(imap, box, tmp_path, model):
    box.deliver(mail("pills", SPAM), mail("lunch", HAM), mail("what", NEITHER))
    before, content = box.everything(), model.read_bytes()
    done = imap(box, "--move", "迷惑=Junk", "--flag", "迷惑=$Junk", "--learn", "INBOX=ham")
    assert (done.code, rows(done)[0]) == (0, ["uid", "class", "probability", "unsure", "destination"])
    assert [(row[0], row[1], row[3], row[4]) for row in rows(done)[1:3]] == [
        ("1", "迷惑", "no", "Junk"),
        ("2", "ham", "no", ""),
    ]
    assert rows(done)[3][3:] == ["yes", ""]
    assert done.err == (
        "3 messages judged: 1 would go to Junk, 2 stay, 1 of them unsure; nothing was changed, --apply does it\n"
    )
    assert (box.everything(), model.read_bytes()) == (before, content)
    assert not (tmp_path / "state").exists()


def test_messages_are_moved_and_flagged_and_the_unsure_stay(imap, box):
    box.deliver(mail("pills", SPAM), mail("lunch", HAM), mail("what", NEITHER))
    actions = ["--move", "迷惑=Junk", "--flag", "迷惑=$Junk \\Flagged", "--flag", "ham=$NotJunk", "--apply"]
    done = imap(box, *actions)
    assert (done.code, done.out) == (0, "")
    assert done.err == "3 messages judged: 1 moved to Junk, 2 stay, 1 of them unsure\n"
    assert (box.subjects("Junk"), box.subjects()) == (["pills"], ["lunch", "what"])
    assert box.flags("Junk") == [{b"$Junk", rb"\Flagged", MARK}]
    assert box.flags() == [{b"$NotJunk", MARK}, {MARK}]  # and none is seen
    assert "0 messages judged" in imap(box, *actions).err
    assert "2 messages judged" in imap(box, *actions, "--again").err


def test_unsure_messages_go_where_they_are_told_to(imap, box):
    box.deliver(mail("what", NEITHER), mail("lunch", HAM))
    assert imap(box, "--unsure-to", "Lists/考え中", "--apply", "--quiet").err == ""
    assert (box.subjects("Lists/考え中"), box.subjects()) == (["what"], ["lunch"])


def test_folders_have_names_in_any_script_and_the_prefix_of_the_server(imap, dovecot):
    box = Box(dovecot, "prefixed")
    box.deliver(mail("pills", SPAM))
    assert imap(box, "--move", "迷惑=箱/迷惑 & more", "--apply").code == 0
    assert box.subjects("INBOX.箱.迷惑 & more") == ["pills"]
    box.deliver(mail("again", SPAM))
    assert imap(box, "--move", "迷惑=INBOX.箱.迷惑 & more", "--apply").code == 0
    assert box.subjects("INBOX.箱.迷惑 & more") == ["pills", "again"]
    box.client.logout()


def test_a_server_without_move_or_uidplus_leaves_expunging_to_the_user(imap, dovecot):
    box = Box(dovecot, "old")
    box.deliver(mail("pills", SPAM), mail("lunch", HAM))
    assert imap(box, "--move", "迷惑=Junk", "--apply").code == 0
    assert (box.subjects("Junk"), box.subjects()) == (["pills"], ["lunch"])
    box.client.select_folder("INBOX")
    assert len(box.client.search(["DELETED"])) == 1
    assert "0 messages judged" in imap(box, "--move", "迷惑=Junk", "--apply").err
    box.client.logout()


def learnt(model, *mails):
    classifier = TextClassifier.load(model)
    return [learnt_as(classifier, mail_document(message)) for message in mails]


def test_what_the_user_has_moved_is_learnt_and_what_textnb_has_moved_is_not(imap, box, model):
    pills, offer, lunch, what = mail("pills", SPAM), mail("offer", HAM), mail("lunch", SPAM), mail("what", NEITHER)
    actions = ["--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply"]
    box.deliver(pills, offer, lunch, what)
    first = imap(box, *actions)
    assert "there is no folder 'Junk' yet, so nothing is learnt from it" in first.err
    assert imap(box, *actions).err == "0 messages judged: 0 stay\n"
    assert learnt(model, pills, offer, lunch, what) == [[], [], [], []]

    box.move("offer", "INBOX", "Junk")  # it was taken for good
    box.move("lunch", "Junk", "INBOX")  # it was taken for spam
    done = imap(box, *actions)
    assert "1 message that you put into Junk, as 迷惑: 1 learnt" in done.err
    assert "1 message that you put into INBOX, as ham: 1 learnt" in done.err
    assert "0 messages judged" in done.err
    assert learnt(model, pills, offer, lunch, what) == [[], ["迷惑"], ["ham"], []]
    assert (box.subjects(), box.subjects("Junk")) == (["what", "lunch"], ["pills", "offer"])

    content = model.read_bytes()
    assert imap(box, *actions).err == "0 messages judged: 0 stay\n"
    assert model.read_bytes() == content
    box.move("offer", "Junk", "INBOX")  # the user thinks better of it
    assert "1 message that you put into INBOX, as ham: 1 moved from another class" in imap(box, *actions).err
    assert learnt(model, offer) == [["ham"]]


def test_what_was_in_a_folder_before_is_learnt_once(imap, box, model):
    box.client.create_folder("Archive")
    box.deliver(*(mail(f"old {number}", HAM) for number in range(3)), folder="Archive")
    would = imap(box, "--learn", "Archive=ham")
    assert "3 messages that you put into Archive would be learnt as ham" in would.err
    before = box.everything()
    assert "as ham: 3 learnt" in imap(box, "--learn", "Archive=ham", "--apply").err
    assert "learnt" not in imap(box, "--learn", "Archive=ham", "--apply").err
    assert box.everything() == before


def test_another_machine_neither_judges_again_nor_learns_what_the_first_has_moved(
    imap, box, model, tmp_path, monkeypatch
):
    pills = mail("pills", SPAM)
    box.deliver(pills, mail("lunch", HAM))
    actions = ["--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply"]
    assert imap(box, *actions).code == 0
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert imap(box, *actions).err == "0 messages judged: 0 stay\n"
    assert learnt(model, pills) == [[]]


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize(("word", "heard"), [(b" MOVE ", False), (b" MOVE ", True), (b" STORE ", True)])
def test_a_run_that_is_cut_off_loses_and_doubles_nothing(imap, box, model, monkeypatch, word, heard, killed):
    mails = [mail("pills", SPAM), mail("lunch", HAM), mail("more pills", SPAM)]
    box.deliver(*mails)
    save = Memory.save
    actions = ["--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply"]
    with Relay(box.server.plain, word, heard=heard) as relay, monkeypatch.context() as patch:
        patch.setattr(Memory, "save", lambda memory: None if killed and relay.cuts else save(memory))
        done = imap(box, *actions, port=relay.port)
        assert relay.cuts == 1
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 2  # that Junk is not there yet, and this
    assert f"127.0.0.1:{relay.port} has broken the connection off" in done.err
    for _ in range(2):
        assert imap(box, *actions).code == 0
        assert (sorted(box.subjects("Junk")), box.subjects()) == (["more pills", "pills"], ["lunch"])
    assert learnt(model, *mails) == [[], [], []]


def test_a_folder_that_is_made_anew_is_known_by_its_messages(imap, box):
    box.client.create_folder("Work")
    lunch = mail("lunch", HAM)
    box.deliver(lunch, folder="Work")
    assert "1 message judged" in imap(box, "--folder", "Work", "--move", "迷惑=Junk", "--apply").err
    box.client.delete_folder("Work")
    box.client.create_folder("Work")  # another UIDVALIDITY, and flags are gone
    box.deliver(lunch, mail("new", HAM), folder="Work")
    assert "1 message judged" in imap(box, "--folder", "Work", "--move", "迷惑=Junk", "--apply").err


def test_a_long_message_is_judged_by_its_beginning(imap, box, monkeypatch):
    monkeypatch.setattr("textnb.mail.imap.messages.LONGEST", 90)
    box.deliver(mail("pills", SPAM + "\r\n" + HAM * 1000), mail("short", HAM))
    assert [row[1] for row in rows(imap(box))[1:]] == ["迷惑", "ham"]


def test_a_message_that_cannot_be_judged_stays_and_is_tried_again(imap, box, monkeypatch):
    box.deliver(mail("bad", SPAM), mail("pills", SPAM))
    actions = ["--move", "迷惑=Junk", "--apply"]

    def read(raw):
        return 1 / 0 if b"Subject: bad" in raw else mail_document(raw)

    with monkeypatch.context() as patch:
        patch.setattr("textnb.mail.imap.sorting.mail_document", read)
        done = imap(box, *actions)
    assert done.code == 1
    assert "textnb: message 1 of INBOX stays as it is: division by zero\n" in done.err
    assert (box.subjects("Junk"), box.subjects()) == (["pills"], ["bad"])
    assert imap(box, *actions).code == 0
    assert box.subjects("Junk") == ["pills", "bad"]


def check_no_password(done, secret):
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert not any(part in done.out + done.err for part in (secret, "hunter2", "ひみつ"))


def test_a_wrong_password_is_one_line_and_told_nowhere(imap, box, secret):
    secret.write_text("hunter3 ひみつ\n")
    done = imap(box)
    check_no_password(done, "hunter3")
    assert f"is it the right --user ({box.user}) and password?" in done.err


def test_a_server_that_repeats_the_password_is_not_repeated(imap, box, secret):
    def echo(tag, command):
        if command.startswith(b"CAPABILITY"):
            return b"* CAPABILITY IMAP4rev1" + END + tag + b" OK done" + END
        return tag + b" NO you said: " + command + END

    secret.write_text('hunter2"x')
    with saying(echo) as port:
        done = imap(box, port=port)
    check_no_password(done, "hunter2")
    assert "says no, and repeats the password" in done.err


def test_the_password_comes_from_a_command_without_a_shell(run, box, model):
    way = ["--host", "127.0.0.1", "--user", box.user, "--plain", "--port", box.server.plain]
    command = f"printf '%s\\n%s' '{PASSWORD}' '; $(exit 1)'"
    assert run("imap", model, *way, "--password-command", command).code == 0


def test_certificates_are_verified(run, box, model, secret, tmp_path):
    def tls(*arguments, host="localhost", port=box.server.tls):
        return run(
            "imap", model, "--host", host, "--port", port, "--user", box.user, "--password-file", secret, *arguments
        )

    own = box.server.certificate
    for done in (tls(), tls("--starttls", port=box.server.plain)):
        assert "does not prove to be localhost: self-signed certificate" in done.err
        check_no_password(done, PASSWORD)
    assert tls("--cafile", own).code == 0
    assert tls("--starttls", "--cafile", own, port=box.server.plain).code == 0
    wrong = tls("--cafile", own, host="127.0.0.1")
    assert "certificate is not valid for '127.0.0.1'" in wrong.err
    certify(tmp_path, "localhost")
    assert "does not prove to be localhost" in tls("--cafile", tmp_path / "cert.pem").err
    assert "is it a port for TLS?" in tls("--cafile", own, port=box.server.plain).err
    for done in (wrong, tls("--cafile", secret), tls("--cafile", own, "--port", 1)):
        check_no_password(done, PASSWORD)


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request", b"* BYE go away", b"\xff\x00" * 50])
def test_a_server_that_is_none_is_one_line(imap, box, greeting):
    with saying(lambda *_: None, greeting) as port:
        check_no_password(imap(box, port=port), PASSWORD)


@pytest.mark.parametrize("fault", [b"SELECT", b"EXAMINE", b"LIST", b"UID SEARCH", b"UID FETCH"])
@pytest.mark.parametrize("answer", [b"* 7 NONSENSE (((", b"+ go on", b"", None, b"{no"])
def test_nonsense_at_any_time_is_one_line(imap, box, fault, answer):
    def serve(tag, command):
        if command.startswith(fault):
            return None if answer is None else answer + END + tag + b" NO never" + END
        said = {
            b"CAPABILITY": b"* CAPABILITY IMAP4rev1" + END,
            b"LIST": b'* LIST () "/" INBOX' + END,
            b"EXAMINE": b"* 1 EXISTS" + END + b"* OK [UIDVALIDITY 3] x" + END + b"* OK [UIDNEXT 8] x" + END,
            b"UID SEARCH": b"* SEARCH 7" + END,
            b"UID FETCH": b"* 1 FETCH (UID 7 RFC822.SIZE 3 FLAGS ())" + END,
        }
        return next((text for key, text in said.items() if command.startswith(key)), b"") + tag + b" OK" + END

    with saying(serve) as port:
        done = imap(box, "--timeout", "5", port=port)
    assert done.code in ((0, 1) if fault == b"SELECT" else (1,))
    assert len(done.err.splitlines()) <= 2
    assert "Traceback" not in done.err


def test_a_server_that_is_silent_is_not_waited_for(imap, box):
    release = threading.Event()
    with saying(lambda *_: release.wait(5) and None) as port:
        done = imap(box, "--timeout", "0.2", port=port)
        release.set()
    check_no_password(done, PASSWORD)
    assert "it has not answered in time" in done.err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--apply"], "there is nothing to do"),
        (["--move", "junk=Junk"], "'junk' is not among the model's classes"),
        (["--move", "迷惑="], "there is no name"),
        (["--move", "迷惑=a\rb", "--apply"], "cannot be a folder's name"),
        (["--folder", "a//b"], "cannot be a folder's name"),
        (["--folder", "nowhere"], "ailbox doesn't exist: nowhere"),
        (["--flag", "迷惑=\\Deleted"], "cannot be set"),
        (["--flag", "迷惑=a(b"], "cannot be set"),
        (["--learn", "Junk=spam"], "--learn takes a folder"),
        (["--learn", "Junk=ham", "--learn", "Junk=迷惑"], "two classes"),
        (["--starttls"], "choose one"),
        (["--timeout", "0"], "--timeout"),
        (["--password-command", "true"], "one of them"),
    ],
)
def test_mistakes_are_said_in_a_line(imap, box, arguments, error):
    box.deliver(mail("pills", SPAM))
    done = imap(box, *arguments)
    assert (done.code, error in done.err, done.err.count("\n")) == (1, True, 1)


def test_nothing_is_sent_in_the_clear_to_other_machines(imap, box):
    done = imap(box, host="imap.example.jp")
    assert (done.code, "--insecure insists on it" in done.err) == (1, True)


def test_host_and_user_are_needed(run, model):
    assert run("imap", model, "--user", "me").code == 2


def test_without_imapclient_the_extra_is_named(imap, box, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "imapclient", None)
    done = imap(box)
    assert (done.code, done.err) == (1, "textnb: IMAP needs the package IMAPClient: pip install 'textnb[imap]'\n")


def until(condition):
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_watching_goes_on_over_a_broken_connection_until_it_is_told_to_stop(imap, box, monkeypatch):
    monkeypatch.setattr(watching, "_PAUSE", 0.05)
    monkeypatch.setattr(watching, "_PERIOD", 0.1)
    failures = []

    def user():
        try:
            until(lambda: box.subjects("Junk") == ["one"])
            box.deliver(mail("two", SPAM))  # IDLE tells of it, and the line is cut when that ends
            until(lambda: box.subjects("Junk") == ["one", "two"])
        except BaseException as error:
            failures.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    box.deliver(mail("one", SPAM))
    with Relay(box.server.plain, b"DONE", heard=False) as relay:
        thread = threading.Thread(target=user)
        thread.start()
        done = imap(box, "--move", "迷惑=Junk", "--apply", "--watch", port=relay.port)
        thread.join()
    assert (failures, done.code, relay.cuts) == ([], 0, 1)
    assert "moved to Junk" in done.err
    assert "trying again in 0.05 seconds" in done.err

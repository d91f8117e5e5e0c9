"""Whatever a server can do, and wherever a run is broken off: no message is lost, and none is learnt by mistake."""

from dataclasses import replace

import pytest

from textnb import TextClassifier
from textnb.errors import InputError
from textnb.mail.decision import Cutoffs, mail_document
from textnb.mail.destinations import Destinations
from textnb.mail.imap.connection import Account, ServerError
from textnb.mail.imap.memory import Memory
from textnb.mail.imap.rounds import Rounds
from textnb.mail.imap.visit import MARK, VisitPlan
from textnb.mail.live_filter import LiveFilter

SPAM, MORE, HAM = (f"Subject: {text}\r\n\r\n{text}\r\n".encode() for text in ("cheap pills", "pills cheap", "see you"))
ACCOUNT = Account("imap.example.jp", "me")
CHANGES = ("add_flags", "create_folder", "subscribe_folder", "copy", "move", "uid_expunge")


class Server:
    """Folders in memory; the line breaks at one of the calls that change something, before or after it does."""

    def __init__(self, *capabilities, keywords=True):
        self.capabilities, self.keywords = capabilities, keywords
        self.folders, self.last, self.open = {"INBOX": {}}, 0, ""
        self.breaks, self.calls = (0, "never"), 0

    def __getattribute__(self, name):
        method = super().__getattribute__(name)
        return method if name not in CHANGES else lambda *given, **named: self._called(method, given, named)

    def _called(self, method, given, named):
        self.calls += 1
        number, when = self.breaks
        if (self.calls, when) == (number, "before"):
            raise ServerError("broken")
        method(*given, **named)
        if (self.calls, when) == (number, "after"):
            raise ServerError("broken")

    def put(self, folder, raw, flags=()):
        self.last += 1
        self.folders[folder][self.last] = (raw, {*flags})

    def has_capability(self, name):
        return name in self.capabilities

    def list_folders(self):
        return [((), b"/", name.encode()) for name in self.folders]

    def create_folder(self, folder):
        self.folders.setdefault(folder, {})

    def subscribe_folder(self, folder):
        assert folder in self.folders

    def select_folder(self, folder, readonly=False):
        self.open = folder
        kept = (b"$Junk", *([rb"\*"] if self.keywords and not readonly else []))
        exists = len(self.folders[folder])
        return {b"UIDVALIDITY": 1, b"UIDNEXT": self.last + 1, b"EXISTS": exists, b"PERMANENTFLAGS": kept}

    def search(self, criteria):
        if criteria[0] == "UNDELETED":
            _, *size = criteria
            assert size == ["NOT", "LARGER", size[2], "NOT", "SMALLER", size[2]]
            there = self.folders[self.open].items()
            return [uid for uid, (raw, flags) in there if len(raw) == size[2] and "\\Deleted" not in flags]
        first, _, last = criteria[1].partition(":")
        end = 1 << 32 if last == "*" else int(last or 0) + 1
        wanted = range(int(first), end) if last else [int(uid) for uid in first.split(",")]
        return [uid for uid in self.folders[self.open] if uid in wanted]

    def fetch(self, uids, items):
        there = {uid: self.folders[self.open][uid] for uid in uids if uid in self.folders[self.open]}
        if "FLAGS" in items:
            return {
                uid: {b"RFC822.SIZE": len(raw), b"FLAGS": [f.encode() for f in flags]}
                for uid, (raw, flags) in there.items()
            }
        return {uid: {b"BODY[]": raw} for uid, (raw, _) in there.items()}

    def add_flags(self, uids, flags, silent):
        assert silent
        for uid in uids:
            self.folders[self.open][uid][1].update(flags)

    def copy(self, uids, folder):
        for uid in uids:
            self.put(folder, *self.folders[self.open][uid])

    def uid_expunge(self, uids):
        assert all("\\Deleted" in self.folders[self.open].pop(uid)[1] for uid in uids)

    def move(self, uids, folder):
        for uid in uids:
            self.put(folder, *self.folders[self.open].pop(uid))

    def there(self, folder):
        return sorted(raw for raw, flags in self.folders.get(folder, {}).values() if "\\Deleted" not in flags)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.textnb"
    texts, labels = ["cheap pills", "see you"], ["spam", "ham"]
    TextClassifier(tokenizer="words", calibrate=False, alpha=0.01).fit(texts, labels).save(path)
    return LiveFilter(path, Cutoffs())


@pytest.fixture
def rounds(trained, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("os.fsync", lambda _: None)  # the disk is not what breaks off here
    lessons = {"Junk": "spam", "INBOX": "ham"}
    return Rounds(ACCOUNT, VisitPlan("INBOX", Destinations({"spam": "Junk"}), lessons=lessons, apply=True), trained)


def killed_at(server, patch):
    """Nothing is remembered any more once the line is broken, as when the program is killed."""
    save = Memory.save
    patch.setattr(Memory, "save", lambda memory: None if server.calls >= server.breaks[0] else save(memory))


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("keywords", [False, True])
@pytest.mark.parametrize("capabilities", [("MOVE", "UIDPLUS"), ("UIDPLUS",), ()])
def test_a_run_may_be_broken_off_anywhere(rounds, trained, monkeypatch, capabilities, keywords, killed):
    before = trained.path.read_bytes()
    for number in range(1, 7):
        for when in ("before", "after"):
            rounds.path.unlink(missing_ok=True)
            server = Server(*capabilities, keywords=keywords)
            for raw in (SPAM, HAM, MORE):
                server.put("INBOX", raw)
            server.breaks = (number, when)
            with monkeypatch.context() as patch:
                if killed:
                    killed_at(server, patch)
                broken = run(rounds, server)
            assert {SPAM, HAM, MORE} == {*server.there("INBOX"), *server.there("Junk")}
            assert not run(rounds, server)
            assert (server.there("INBOX"), {*server.there("Junk")}) == ([HAM], {SPAM, MORE})
            assert len(server.there("Junk")) == 2 or (broken and "MOVE" not in capabilities)
            assert not run(rounds, server)
    assert trained.path.read_bytes() == before  # nothing was learnt


def run(rounds, server):
    """A round; whether the line broke."""
    try:
        list(rounds.round(server))
    except ServerError:
        return True
    return False


def test_every_message_that_was_judged_is_marked_where_marks_are_kept(rounds):
    for keywords in (True, False):
        rounds.path.unlink(missing_ok=True)
        server = Server("MOVE", keywords=keywords)
        server.put("INBOX", SPAM)
        server.put("INBOX", HAM)
        run(rounds, server)
        flags = [flags for messages in server.folders.values() for _, flags in messages.values()]
        assert flags == [{MARK} if keywords else set()] * 2


@pytest.fixture
def model(rounds, trained, tmp_path):
    """A model of the test's own, to learn."""
    path = tmp_path / "own.textnb"
    path.write_bytes(trained.path.read_bytes())
    rounds.live = LiveFilter(path, Cutoffs())
    return path


@pytest.mark.parametrize("keywords", [False, True])
def test_a_correction_is_learnt_whether_or_not_the_server_keeps_keywords(rounds, model, keywords):
    server = Server("MOVE", keywords=keywords)
    server.put("INBOX", SPAM)
    server.put("INBOX", HAM)
    run(rounds, server)
    server.put("INBOX", *server.folders["Junk"].popitem()[1])
    server.put("Junk", *server.folders["INBOX"].pop(2))
    for _ in range(2):
        run(rounds, server)
        classifier = TextClassifier.load(model)
        assert [classifier.learnt_as(mail_document(raw)) for raw in (SPAM, HAM)] == [["ham"], ["spam"]]
        assert (server.there("INBOX"), server.there("Junk")) == ([SPAM], [HAM])


@pytest.mark.parametrize("keywords", [False, True])
def test_a_message_that_is_delivered_twice_is_judged_twice_and_not_learnt(rounds, model, keywords):
    server, before = Server("MOVE", keywords=keywords), model.read_bytes()
    for count in (1, 2, 3):
        server.put("INBOX", SPAM)
        server.put("INBOX", f"{count}".encode() + SPAM[1:])  # of the same size
        run(rounds, server)
        assert server.there("INBOX") == []
        assert server.there("Junk").count(SPAM) == count
    assert model.read_bytes() == before


def test_what_is_only_flagged_as_deleted_elsewhere_has_been_brought_back(rounds, model):
    server = Server("MOVE")
    server.put("INBOX", SPAM)
    run(rounds, server)
    [(raw, flags)] = server.folders["Junk"].values()
    server.put("INBOX", raw, flags)
    flags.add("\\Deleted")
    run(rounds, server)
    assert TextClassifier.load(model).learnt_as(mail_document(SPAM)) == ["ham"]
    assert server.there("INBOX") == [SPAM]


def test_a_folder_that_is_gone_holds_nothing(rounds, model):
    server = Server("MOVE")
    server.put("INBOX", SPAM)
    run(rounds, server)
    server.put("INBOX", *server.folders.pop("Junk").popitem()[1])
    run(rounds, server)
    assert TextClassifier.load(model).learnt_as(mail_document(SPAM)) == ["ham"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"destinations": Destinations({"spam": "a//b"})}, "'a//b' cannot be a folder's name"),
        ({"destinations": Destinations(unsure="a//b")}, "'a//b' cannot be a folder's name"),
        ({"lessons": {"INBOX": "ham", "inbox": "spam"}}, "'INBOX' two classes: ham and spam"),
        ({"flags": {"spam": ("$Junk", "$Offer")}}, r"does not store \$Offer in 'INBOX'"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused_before_there_is_anything_to_do(rounds, change, message):
    rounds.plan = replace(rounds.plan, **change)
    with pytest.raises(InputError, match=message):
        list(rounds.round(Server("MOVE", keywords=False)))


def test_what_was_not_listed_for_being_told_to_stop_is_judged_later(rounds, monkeypatch):
    monkeypatch.setattr("textnb.mail.imap.messages._MAX_UIDS_PER_SEARCH", 1)
    server = Server("MOVE")
    for raw in (SPAM, MORE):
        server.put("INBOX", raw)
    rounds.stopping = iter([False] * 3 + [True] * 9).__next__
    run(rounds, server)
    assert (server.there("INBOX"), server.there("Junk")) == ([MORE], [SPAM])
    rounds.stopping = lambda: False
    run(rounds, server)
    assert (server.there("INBOX"), server.there("Junk")) == ([], sorted([SPAM, MORE]))

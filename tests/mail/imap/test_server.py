"""What depends on what a server can do: names of folders, moving, flags, messages that it cannot give."""

import ast
from collections import namedtuple
from pathlib import Path

import pytest

from textnb.errors import InputError
from textnb.mail.imap import messages
from textnb.mail.imap.connection import Account, LoginError, RefusedError, ServerError, _log_in, guard
from textnb.mail.imap.folders import Folders
from textnb.mail.imap.memory import FolderProgress
from textnb.mail.imap.messages import Mailbox, as_flags, move, set_flags
from textnb.mail.imap.password import Password
from textnb.readers.folder_names import encode_folder_name

Namespaces = namedtuple("Namespaces", ["personal"])


class Server:
    """A client whose server has some capabilities, folders and messages; it writes down what it is told to do."""

    def __init__(self, *capabilities, prefix="", between="/", folders=(), mails=None, bad=()):
        self.capabilities, self.prefix, self.between = capabilities, prefix, between
        self.folders, self.mails, self.bad = folders, mails or {}, bad
        self.told = []
        self.most = 0

    def __getattr__(self, name):
        def tell(*arguments, **named):
            self.told.append((name, *arguments))

        return tell

    def has_capability(self, name):
        return name in self.capabilities

    def namespace(self):
        return Namespaces([(self.prefix.encode(), self.between)])

    def list_folders(self):
        return [(flags, self.between.encode(), encode_folder_name(name).encode()) for name, flags in self.folders]

    def select_folder(self, *_):
        return {b"UIDVALIDITY": 1, b"UIDNEXT": max(self.mails, default=0) + 1, b"PERMANENTFLAGS": (rb"\Seen", b"$Junk")}

    def search(self, criteria):
        first, _, last = criteria[1].partition(":")
        return [uid for uid in self.mails if int(first) <= uid <= int(last or first)]

    def fetch(self, uids, items):
        if items == ["RFC822.SIZE", "FLAGS"]:
            return {uid: {b"RFC822.SIZE": len(self.mails[uid]), b"FLAGS": (b"$JUNK",)} for uid in uids}
        if set(uids) & set(self.bad):
            raise RefusedError("no")
        self.most = max(self.most, sum(len(self.mails[uid]) for uid in uids))
        return {uid: {b"BODY[]": self.mails[uid], b"SEQ": 1} for uid in uids if self.mails[uid] != b"gone"}


@pytest.mark.parametrize(
    ("capabilities", "told"),
    [
        (["MOVE", "UIDPLUS"], [("move", [1, 2], "Junk")]),
        (["UIDPLUS"], [("copy", [1, 2], "Junk"), ("add_flags", [1, 2], ["\\Deleted"]), ("uid_expunge", [1, 2])]),
        ([], [("copy", [1, 2], "Junk"), ("add_flags", [1, 2], ["\\Deleted"])]),
    ],
)
def test_messages_are_moved_or_copied_and_never_expunged_but_by_their_numbers(capabilities, told):
    server = Server(*capabilities)
    move(server, [1, 2], "Junk")
    assert server.told == told


def test_a_copy_that_fails_deletes_nothing():
    server = Server("UIDPLUS")
    server.copy = lambda *_: 1 / 0
    with pytest.raises(ZeroDivisionError):
        move(server, [1], "Junk")
    assert server.told == []


def opened(server, stopping=lambda: False):
    return Mailbox(server, Folders(server), "INBOX", readonly=True, stopping=stopping)


def test_junk_takes_the_place_of_not_junk():
    server = Server()
    set_flags(server, [1], as_flags("$junk \\seen"))
    assert server.told == [("remove_flags", [1], ["$NotJunk"]), ("add_flags", [1], ["$junk", "\\Seen"])]
    set_flags(server, [], ["$Junk"])
    assert len(server.told) == 2


@pytest.mark.parametrize("flag", ["\\Deleted", "\\Recent", "a(b", "a{", "a%", "a*", 'a"', "a]", "a\\b", "迷惑"])
def test_what_is_no_keyword_cannot_be_set(flag):
    with pytest.raises(InputError, match="cannot be set"):
        as_flags(flag)


def test_a_folder_tells_which_flags_it_keeps():
    box = opened(Server())
    assert [box.keeps(flag) for flag in ("$junk", "\\seen", "$TextnbSeen", "\\Flagged")] == [True, True, False, False]
    server = Server()
    server.select_folder = lambda *_: {b"UIDVALIDITY": 1, b"PERMANENTFLAGS": (rb"\*",)}
    box = opened(server)
    assert [box.keeps(flag) for flag in ("$TextnbSeen", "\\Flagged")] == [True, False]
    server.select_folder = lambda *_: {}
    with pytest.raises(ServerError, match="no UIDVALIDITY"):
        opened(server)


@pytest.mark.parametrize(
    ("server", "asked", "name"),
    [
        (Server(), "inbox", "INBOX"),
        (Server(), "a/b", "a/b"),
        (Server("NAMESPACE", prefix="INBOX.", between="."), "a/b", "INBOX.a.b"),
        (Server("NAMESPACE", prefix="INBOX.", between="."), "INBOX.a.b", "INBOX.a.b"),
        (Server("NAMESPACE", prefix="INBOX.", between="."), "INBOX/a", "INBOX.a"),
        (Server("NAMESPACE", prefix="INBOX.", between=".", folders=[("shared.a", ())]), "shared/a", "shared.a"),
        (Server(folders=[("x", ())], between="."), "a/b", "a.b"),
        (Server(folders=[("が", ())]), "か\u3099", "が"),
    ],
)
def test_folders_are_found_by_the_names_their_owner_sees(server, asked, name):
    assert Folders(server).name(asked) == name


def test_a_folder_is_made_once_and_shown():
    server = Server(folders=[("Junk", ())])
    folders = Folders(server)
    for name in ("Junk", "INBOX", "仕事", "仕事"):
        folders.make(name)
    assert server.told == [("create_folder", "&TtVOiw-"), ("subscribe_folder", "&TtVOiw-")]


def test_a_folder_that_holds_only_folders_is_refused():
    folders = Folders(Server(folders=[("Lists", (rb"\Noselect",)), ("gone", (rb"\NonExistent",))]))
    with pytest.raises(InputError, match="'Lists' can only hold other folders"):
        folders.written("Lists")
    assert ("Lists" in folders, "gone" in folders) == (True, False)


def test_a_name_that_only_its_server_understands_does_no_harm():
    server = Server()
    server.list_folders = lambda: [((), b"/", b"&bad"), ((), None, "7")]
    assert Folders(server).written("&bad") == "&bad"


@pytest.mark.parametrize("asked", ["", "a//b", "/a", "a\nb", "a\0", "\ud800"])
def test_what_cannot_be_a_name_is_refused(asked):
    with pytest.raises(InputError, match="cannot be a folder's name"):
        Folders(Server()).name(asked)


def read(server, looked=None):
    box = opened(server)
    return [message for batch in box.batches(box.listed(looked or FolderProgress(1))) for message in batch]


def test_messages_come_in_batches_of_so_many_bytes(monkeypatch):
    monkeypatch.setattr(messages, "_MAX_BATCH_BYTES", 100)
    monkeypatch.setattr(messages, "_MAX_UIDS_PER_COMMAND", 7)
    monkeypatch.setattr(messages, "_MAX_UIDS_PER_SEARCH", 10)
    server = Server(mails={uid: b"a" * uid for uid in range(1, 60)})
    assert [(m.uid, m.raw) for m in read(server)] == list(server.mails.items())
    assert server.most <= 100
    assert {flag for message in read(server) for flag in message.flags} == {"$junk"}


def test_only_what_was_not_looked_at_is_fetched():
    server = Server(mails=dict.fromkeys(range(1, 9), b"a"))
    assert [message.uid for message in read(server, FolderProgress(1, 6, [2]))] == [2, 6, 7, 8]


def test_what_has_gone_is_not_looked_at_again(monkeypatch):
    monkeypatch.setattr(messages, "_MAX_UIDS_PER_COMMAND", 1)
    server = Server(mails={2: b"a"})
    assert opened(server).present([1, 2, 99]) == [2]


def test_what_the_server_cannot_give_does_not_keep_the_others_back():
    server = Server(mails={1: b"a", 2: b"b", 3: b"gone", 4: b"d"}, bad=[2])
    assert [(message.uid, message.raw) for message in read(server)] == [(1, b"a"), (2, None), (4, b"d")]


def selected(server, stopping=lambda: False, **answer):
    held = {b"UIDVALIDITY": 1, **{name.encode(): value for name, value in answer.items()}}
    server.select_folder = lambda *_: held
    return opened(server, stopping)


def test_keywords_of_digits_and_nil_are_keywords():
    """IMAPClient takes them for numbers and None."""
    server = Server(mails={1: b"a"})
    server.fetch = lambda uids, _: {uid: {b"RFC822.SIZE": 1, b"FLAGS": (2024, None, b"$A")} for uid in uids}
    box = selected(server, UIDNEXT=2, PERMANENTFLAGS=(2024, None))
    assert [message.flags for message in box.listed(FolderProgress(1))] == [{"2024", "nil", "$a"}]
    assert [box.keeps(flag) for flag in ("2024", "NIL", "$A")] == [True, True, False]
    server.list_folders = lambda: [((2024, None), 7, 2024)]
    assert "2024" in Folders(server)


@pytest.mark.parametrize("data", [{b"RFC822.SIZE": b"abc"}, {b"RFC822.SIZE": None}, {b"RFC822.SIZE": 1, b"FLAGS": 7}])
def test_a_message_that_is_described_in_nonsense_is_the_servers_fault(data):
    server = Server(mails={1: b"a"})
    server.fetch = lambda *_: {1: data}
    with pytest.raises(ServerError, match="the server's answer is not IMAP"):
        read(server)


@pytest.mark.parametrize(
    "answer", [{"UIDNEXT": b"abc"}, {"EXISTS": b"abc"}, {"PERMANENTFLAGS": None}, {"UIDNEXT": 10**15}]
)
def test_a_folder_that_is_described_in_nonsense_is_the_servers_fault(answer):
    with pytest.raises(ServerError, match=r"answer is not IMAP|the next UID of 'INBOX' is 10{15}, which is too large"):
        selected(Server(), **answer)


@pytest.mark.parametrize("listing", [[7], [(None, b"/", b"a")], [((), b"/")]])
def test_a_list_of_folders_that_is_nonsense_is_the_servers_fault(listing):
    server = Server()
    server.list_folders = lambda: listing
    with pytest.raises(ServerError, match="answer is not IMAP"):
        Folders(server)


@pytest.mark.parametrize(
    ("exists", "searches"), [(0, []), (2, ["5:*"]), (99_999, ["5:80004", "80005:160004", "160005:199999"])]
)
def test_numbers_far_apart_are_not_searched_one_by_one(exists, searches):
    server, asked = Server(), []
    server.search = lambda criteria: asked.append(criteria[1]) or [1, 1 << 40]  # neither of which was asked for
    box = selected(server, EXISTS=exists, UIDNEXT=200_000)
    assert (list(box.listed(FolderProgress(1, 5))), asked) == ([], searches)
    assert list(box.listed(FolderProgress(1, 200_000))) == []
    assert len(asked) == len(searches)


def test_a_search_in_many_windows_ends_when_told_to():
    server, asked = Server(), []
    server.search = lambda criteria: asked.append(criteria[1]) or []
    box = selected(server, lambda: len(asked) == 3, UIDNEXT=1 << 32, EXISTS=1 << 31)
    assert list(box.listed(FolderProgress(1))) == []
    assert len(asked) == 3


def test_flags_of_other_messages_are_not_taken_for_an_answer():
    """IMAPClient gives what comes without a UID under the message's place in the folder; 6 has gone meanwhile."""
    server, asked = Server(mails={5: b"a", 912: b"bb"}), []
    real, stray = server.fetch, {b"FLAGS": (rb"\Deleted",)}

    def fetch(uids, items):
        asked.append(uids)
        found = real([uid for uid in uids if uid in server.mails], items)
        return {**found, **dict.fromkeys((5, 6, 7), stray)} if len(asked) == 1 else found

    server.fetch, server.search = fetch, lambda _: [5, 6, 912]
    box = selected(server, UIDNEXT=913, EXISTS=2)
    assert [(m.uid, m.size, m.flags) for m in box.listed(FolderProgress(1))] == [(5, 1, {"$junk"}), (912, 2, {"$junk"})]
    assert asked == [[5, 6, 912], [5, 6]]


@pytest.mark.parametrize(("exists", "asked"), [(4, [[5], [5]]), (5, [[5]])])
def test_flags_that_may_be_mixed_with_those_of_another_message_are_asked_for_again(exists, asked):
    """The one in place 5 has the UID 5 as well only where there are no gaps."""
    server, told = Server(), []
    mixed = {b"SEQ": 5, b"RFC822.SIZE": 1, b"FLAGS": (b"$other",)}
    server.search = lambda _: [5]
    server.fetch = lambda uids, _: (
        told.append(uids) or {5: mixed if len(told) == 1 else {**mixed, b"FLAGS": (b"$own",)}}
    )
    [message] = selected(server, UIDNEXT=6, EXISTS=exists).listed(FolderProgress(1))
    assert (message.flags, told) == ({"$own"} if len(asked) == 2 else {"$other"}, asked)


def logged_in(server, secret="hunter2"):
    account = Account("imap.example.jp", "me")
    _log_in(guard(server, account), account, Password(secret))
    return server.told


def test_a_password_is_sent_in_the_best_way_there_is():
    assert logged_in(Server("AUTH=PLAIN"), "ひみつ") == [("plain_login", "me", "ひみつ")]
    assert logged_in(Server()) == [("login", "me", "hunter2")]
    for server, secret in ((Server("LOGINDISABLED"), "hunter2"), (Server(), "ひみつ")):
        with pytest.raises(LoginError):
            logged_in(server, secret)
        assert server.told == []


def test_only_a_refusal_that_passes_is_tried_again():
    import imaplib

    for said, kind in (("[UNAVAILABLE] later", ServerError), ("[AUTHENTICATIONFAILED] no", LoginError)):
        server = Server()

        def login(user, password, said=said):
            raise imaplib.IMAP4.error(said)

        server.login = login
        with pytest.raises(kind, match=r"imap\.example\.jp:993 says: "):
            logged_in(server)


def test_no_private_part_of_imapclient_or_imaplib_is_used():
    for path in Path(messages.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
                assert isinstance(node.value, ast.Name), (path.name, node.lineno)
                assert node.value.id in ("self", "cls"), (path.name, node.lineno)

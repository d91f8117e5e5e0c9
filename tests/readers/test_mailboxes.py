import gzip
import io
import mailbox
import re
import tracemalloc
from contextlib import closing
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.errors import InputError, ReadingWarning
from textnb.readers import Settings, read_corpus, read_input, read_mail_stream
from textnb.readers.corpus import recognise_kind
from textnb.readers.mailboxes import LONGEST_MESSAGE, _only_message, mbox_messages

UNLABELLED = Settings(labelled=False)
FROM_LINE = re.compile(rb"From (?:\r?\n|(?:.*\s)?[A-Z][a-z]{2}\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d{1,2}:\d\d)")
STAMP = b"From a@example.jp Fri Jan  2 03:04:05 2026\n"


def mail(subject, body="text"):
    return f"Subject: {subject}\nFrom: a@example.jp\n\n{body}\n".encode()


def mbox(*mails):
    return b"\n".join(STAMP + raw for raw in mails) + b"\n"


def split(data):
    return list(mbox_messages(io.BytesIO(data)))


def texts(documents):
    return [document.text for document in documents]


def test_the_messages_are_those_that_the_standard_library_finds(tmp_path):
    with closing(mailbox.mbox(tmp_path / "box")) as box:
        for i in range(5):
            message = EmailMessage()
            message["Subject"] = f"number {i}"
            message.set_content(f"From here on\n>From there\n\nFrom the end {i}\n")
            box.add(message)
        box.flush()
        theirs = [bytes(message) for message in box]
    ours = split((tmp_path / "box").read_bytes())
    assert [raw.replace(b"\nFrom ", b"\n>From ") for raw in ours] == theirs
    assert len(ours) == 5


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_mails_of_an_mbox_are_parted_at_from_lines(end):
    data = mbox(mail("one"), mail("two")).replace(b"\n", end)
    assert split(data) == [raw.replace(b"\n", end) for raw in (mail("one"), mail("two"))]


def test_content_length_is_believed_where_it_is_right():
    body = b"one\n\n" + STAMP + b"To: y\n\ntwo\n"
    raw = b"To: x\nContent-Length: %d\n\n" % len(body) + body
    assert split(STAMP + raw + b"\n" + STAMP + mail("next")) == [raw, mail("next")]


@pytest.mark.parametrize("length", [0, 3, 7, 10_000, 10**11])
def test_content_length_is_not_believed_where_it_is_wrong(length):
    raw = b"To: x\nContent-Length: %d\n\n" % length + b"hello\nworld\n"
    assert split(STAMP + raw + b"\n" + STAMP + mail("next")) == [raw, mail("next")]


def test_a_stream_without_from_lines_is_one_message():
    assert split(mail("one")) == [mail("one")]
    assert split(b"") == split(b"\n\n") == []


def line_by_line(data):
    """The messages of an mbox without Content-Length, the plain way."""
    messages, head = [], True
    for line in io.BytesIO(data):
        if FROM_LINE.match(line):
            messages.append(([], []))
            head = True
        elif head:
            messages[-1][0].append(line)
            head = bool(line.strip())
        else:
            messages[-1][1].append(line[1:] if re.match(rb">+From ", line) else line)
    return [b"".join(top + (body[:-1] if body and not body[-1].strip() else body)) for top, body in messages]


LINES = st.sampled_from(
    [b"To: a\n", b" more\r\n", b"\n", b"\r\n", b" \t\n", b"From here\n", b">From x\n", b">>From y\n"]
)
LINES |= st.sampled_from([STAMP, b"> From z\n", b"a From b\n", b"word " * 9 + b"\n", b"no end", b"From ", b">"])


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 16])
@settings(max_examples=50)
@given(st.lists(LINES, max_size=12))
def test_blocks_of_any_size_give_the_messages_of_single_lines(block, lines):
    data = STAMP + b"".join(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textnb.readers.mailboxes._BLOCK", block)
        assert split(data) == line_by_line(data)


def test_a_mailbox_is_read_in_constant_memory(tmp_path):
    path = tmp_path / "box.mbox.gz"
    path.write_bytes(gzip.compress(mbox(*[mail(str(i), "word " * 20_000) for i in range(60)]), 1))
    tracemalloc.start()
    count = sum(1 for _ in read_input(path, None, UNLABELLED))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60
    assert peak < 3_000_000


def test_of_a_message_that_is_too_long_the_beginning_is_kept(monkeypatch):
    monkeypatch.setattr("textnb.readers.mailboxes.LONGEST_MESSAGE", 1000)
    first, second = split(mbox(mail("long", "word\n" * 10_000), mail("short")))
    assert 1000 < len(first) < 1200
    assert second.startswith(b"Subject: short")
    assert LONGEST_MESSAGE > 1 << 24


@pytest.fixture
def maildir(tmp_path):
    """A function that makes a Maildir with one mail a folder."""

    def make(name, **boxes):
        for box, subjects in boxes.items():
            folder = tmp_path / name / box.replace("_", ".").replace("SLASH", "/")
            for sub in ("cur", "new", "tmp"):
                (folder / sub).mkdir(parents=True, exist_ok=True)
            for i, subject in enumerate(subjects):
                (folder / ("cur" if i else "new") / f"{i}.x:2,S").write_bytes(mail(subject))
            (folder / "tmp" / "half").write_bytes(mail("unfinished"))
        return tmp_path / name

    return make


def test_a_maildir_is_read_with_its_subfolders_and_without_what_is_unfinished(maildir):
    path = maildir("inbox", **{".": ["one", "two"], "_Sub": ["three"], "plain": ["four"]})
    (path / "dovecot.index").write_bytes(b"\0")
    documents = list(read_input(path, None, UNLABELLED))
    assert texts(documents) == ["one\ntext", "two\ntext", "three\ntext", "four\ntext"]
    names = ["new/0.x:2,S", "cur/1.x:2,S", ".Sub/new/0.x:2,S", "plain/new/0.x:2,S"]
    assert [document.id for document in documents] == names


def test_an_mh_folder_is_read_in_the_order_of_its_numbers(corpus):
    root = corpus({".mh_sequences": "", "10": mail("ten"), "9": mail("nine"), "draft": "x", "sub/1": mail("one")})
    assert texts(read_input(root, None, UNLABELLED)) == ["nine\ntext", "ten\ntext", "one\ntext"]


def test_a_folder_of_eml_files_is_mail(corpus):
    root = corpus({"a/2.eml": mail("two"), "a/1.EML": mail("one"), "b/x.eml": mail("three")})
    assert [(d.id, d.label) for d in read_corpus(root)] == [("a/1.EML", "a"), ("a/2.eml", "a"), ("b/x.eml", "b")]


def test_a_corpus_is_a_folder_with_one_store_per_class(maildir, corpus):
    root = maildir("corpus", goodSLASH=["one", "two"])
    corpus({"spam.mbox": mbox(mail("three"), mail("four")), "list.mbox.gz": gzip.compress(mbox(mail("five")))})
    assert recognise_kind(root) == "mail"
    assert [(d.label, d.id, d.text) for d in read_corpus(root)] == [
        ("good", "good/new/0.x:2,S", "one\ntext"),
        ("good", "good/cur/1.x:2,S", "two\ntext"),
        ("list", "list.mbox.gz", "five\ntext"),
        ("spam", "spam.mbox:1", "three\ntext"),
        ("spam", "spam.mbox:2", "four\ntext"),
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"a/1.txt": "x", "b/2.eml": mail("x")},
        {"a/1": mail("numbers are no proof"), "b/2": mail("x")},
        {"a/1.txt": mail("x")},
        {"a.txt": "From here on\n", "b/1.eml": mail("x")},
    ],
)
def test_where_it_is_not_certain_a_folder_is_a_folder_of_texts(corpus, files):
    assert recognise_kind(corpus(files)) == "folder"


def test_what_is_not_recognised_can_be_said(corpus):
    root = corpus({"a/1": mail("one"), "a/2": STAMP + mail("two"), "b/x.txt": mail("three")})
    found = [(d.label, d.id, d.text) for d in read_corpus(root, "mail")]
    assert found == [("a", "a/1", "one\ntext"), ("a", "a/2", "two\ntext"), ("b", "b/x.txt", "three\ntext")]


def test_a_description_can_say_that_a_corpus_is_mail(corpus):
    told = '[reader]\nkind = "mail"\nexclude = ["README"]\n[reader.labels]\na = "ham"\n'
    root = corpus({"corpus.toml": told, "a/1": mail("one"), "README": "no mail"})
    assert [(d.label, d.text) for d in read_corpus(root)] == [("ham", "one\ntext")]


def test_a_glob_chooses_files(corpus):
    root = corpus({"a/1.eml": mail("one"), "a/2.eml": mail("two")})
    assert texts(read_corpus(root, glob="2*")) == ["two\ntext"]


def test_one_store_has_no_classes(maildir, table):
    for path in (maildir("inbox", **{".": ["one"]}), table("box", mbox(mail("one")))):
        with pytest.raises(InputError, match="is one mail store; a corpus is a folder with one store per class"):
            list(read_corpus(path, "mail"))


def test_an_mbox_to_predict_gives_each_message_with_its_number(table):
    box = mbox(mail("one"), mail("two"))
    for documents in (read_input(table("box", box), None, UNLABELLED), read_mail_stream(io.BytesIO(box), UNLABELLED)):
        assert [(document.id, document.text) for document in documents] == [("1", "one\ntext"), ("2", "two\ntext")]


def test_one_message_to_predict_has_its_path_as_id(table):
    path = table("letter.eml", mail("one"))
    (document,) = read_input(path, None, UNLABELLED)
    assert (document.id, document.text) == (str(path), "one\ntext")


def test_defects_are_counted_at_the_end(corpus):
    root = corpus({"a/1.eml": mail("one"), "a/2.eml": b"no header at all"})
    with pytest.warns(ReadingWarning, match=r"defects in 1 of 2 messages.*a/2\.eml: the message has no header"):
        list(read_corpus(root))


def test_a_damaged_archive_is_an_error_that_names_it(corpus):
    root = corpus({"a.mbox.gz": gzip.compress(mbox(*[mail(str(i)) for i in range(999)]))[:-20]})
    with pytest.raises(InputError, match=r"a\.mbox\.gz"):
        list(read_corpus(root, "mail"))


def test_several_processes_read_the_same_in_the_same_order(corpus, monkeypatch):
    monkeypatch.setattr("textnb.readers.mail_corpus._BATCH_BYTES", 300)
    monkeypatch.setattr("textnb.readers.mail_corpus._SECONDS_BEFORE_PROCESSES", 0.0)
    bodies = [f"number {i}" for i in range(20)]
    root = corpus({"ham.mbox": mbox(*map(mail, bodies)), "spam/1.eml": b"Subject: a\n\n\xff", "spam/2.eml": mail("b")})
    with pytest.warns(ReadingWarning) as alone:
        expected = list(read_corpus(root))
    with pytest.warns(ReadingWarning) as together:
        found = list(read_corpus(root, jobs=2))
    assert found == expected and len(found) == 22
    assert [str(warning.message) for warning in together] == [str(warning.message) for warning in alone]


def test_a_number_of_processes_is_checked(corpus):
    with pytest.raises(InputError, match="jobs must be a whole number, or -1 for one per processor, not -2"):
        list(read_corpus(corpus({"ham/1.eml": mail("a"), "spam/1.eml": mail("b")}), jobs=-2))


SHORT = st.sampled_from([b"", b" ", b"\r", b"To: b", b"text", b"From x", b">From x", b"Content-Length: 5", STAMP[:-1]])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([STAMP, b"To: a\n"]), st.lists(SHORT, max_size=8), st.sampled_from([b"", b"\n", b"\r\n"]))
def test_a_short_mailbox_is_read_like_a_long_one(first, lines, end):
    box = first + b"\n".join(lines) + end
    assert _only_message(box) is None or [_only_message(box)] == split(box)

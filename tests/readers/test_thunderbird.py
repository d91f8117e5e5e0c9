import gzip

import pytest

from textnb.errors import ReadingWarning
from textnb.readers import Settings, read_corpus, read_input
from textnb.readers.corpus import recognise_kind
from textnb.readers.thunderbird import is_deleted, junk_mark

INDEX = '// <!-- <mdb:mork:z v="1.4"/> -->\n< <(a=c)> // (f=iso-8859-1)\n'
RULES = 'version="9"\nlogging="no"\nname="spam"\nenabled="yes"\ntype="17"\n'
OTHERS = {"popstate.dat": "# POP3 State File\n*host user\n", "filterlog.html": "<!DOCTYPE html>\n<p>applied\n"}
OTHERS |= {"virtualFolders.dat": "version=1\n", "msgFilterRules.dat": RULES}
SEPARATORS = [b"From - Fri Jan 02 03:04:05 2026\r\n", b"From \r\n", b"From \n"]


def mail(subject):
    return f"X-Mozilla-Status: 0001\r\nSubject: {subject}\r\n\r\ntext\r\n\r\n".encode()


def mbox(*subjects, separator=SEPARATORS[0]):
    return b"".join(separator + mail(subject) for subject in subjects)


def thunderbird(separator=SEPARATORS[0]):
    """Files of an account: mboxes with their indices, one of them empty, subfolders and settings."""
    boxes = {"Inbox": mbox("one", "two", separator=separator), "Junk": mbox("three", separator=separator), "Trash": b""}
    boxes["Junk.sbd/2025"] = mbox("four", separator=separator)
    return {**boxes, **{f"{name}.msf": INDEX for name in [*boxes, "Sent", "Junk.sbd/gone"]}, **OTHERS}


EXPECTED = [("Inbox:1", "Inbox", "one"), ("Inbox:2", "Inbox", "two"), ("Junk", "Junk", "three")]
EXPECTED += [("Junk.sbd/2025", "Junk", "four")]


def found(documents):
    return [(document.id, document.label, document.text.partition("\n")[0]) for document in documents]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("reader", [None, "mail"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_thunderbird_folder_has_the_classes_of_its_mboxes(corpus, separator, reader, jobs):
    root = corpus(thunderbird(separator))
    assert recognise_kind(root) == "mail"
    assert found(read_corpus(root, reader, jobs=jobs)) == EXPECTED


@pytest.mark.parametrize("reader", [None, "mail"])
def test_a_thunderbird_folder_to_predict_gives_its_messages_only(corpus, reader):
    documents = read_input(corpus(thunderbird()), reader, Settings(labelled=False))
    assert [text for _, _, text in found(documents)] == ["one", "two", "three", "four"]


@pytest.mark.parametrize("content", ["a note\n", '{"a": 1}\n', INDEX, "\n\n# a: b\n", b"\xff\xfe\0", "<p>x: y", "=a:b"])
@pytest.mark.parametrize("reader", [None, "mail"])
def test_another_file_beside_the_mboxes_is_no_class_and_is_named(corpus, content, reader):
    root = corpus({**thunderbird(), "other": content})
    with pytest.warns(ReadingWarning, match=r"1 file was not read: .* not mail \(other\)"):
        assert found(read_corpus(root, reader)) == EXPECTED


@pytest.mark.parametrize("start", [b"", b"\n\r\n", *SEPARATORS, b">From x\n"])
@pytest.mark.parametrize("name", ["ham", "ham.mbox", "ham.eml", "ham.mbox.gz"])
def test_a_file_that_begins_like_mail_is_a_class(corpus, start, name):
    data = start + mail("five")
    root = corpus({name: gzip.compress(data) if name.endswith(".gz") else data, "spam.mbox": mbox("six")})
    assert [(label, text) for _, label, text in found(read_corpus(root, "mail"))] == [("ham", "five"), ("spam", "six")]


def test_a_message_without_a_header_is_read_where_its_name_shows_that_it_is_mail(corpus):
    root = corpus({"a.eml": "no header", "b": b"no header either", "b.msf": INDEX, "c/1": "nor here"})
    with pytest.warns(ReadingWarning, match="defects in 3 of 3 messages"):
        assert [document.label for document in read_corpus(root, "mail")] == ["a", "b", "c"]


def test_words_after_from_on_a_line_of_the_text_are_no_separator(table):
    box = mbox("one").replace(b"\r\ntext", b"\r\nFrom me\r\nFrom\r\n From \r\n>From \r\ntext")
    (document,) = read_input(table("box", box), None, Settings(labelled=False))
    assert document.text.split("\n") == ["one", "From me", "From", " From ", "From ", "text"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_messages_marked_as_deleted_are_not_learnt_and_counted(corpus, jobs):
    gone = mbox("gone").replace(b"Status: 0001", b"Status: 0009")
    on_server = mbox("also").replace(b"Status: 0001\r\n", b"Status: 0001\r\nX-Mozilla-Status2: 00200000\r\n")
    root = corpus({**thunderbird(), "Inbox": mbox("one") + gone + on_server + mbox("two")})
    with pytest.warns(ReadingWarning, match=r"2 messages were not read: Thunderbird .* \(Inbox:2; Inbox:3\)"):
        documents = list(read_corpus(root, jobs=jobs))
    assert [(d.id, d.text.partition("\n")[0]) for d in documents][:2] == [("Inbox:1", "one"), ("Inbox:4", "two")]


def test_folders_in_modified_utf_7_are_classes_by_the_names_their_owner_sees(corpus):
    boxes = {"&TtVOiw-": mbox("one"), "R&D": mbox("two"), "&j,dg0Q-.sbd/2025": mbox("three")}
    root = corpus({**boxes, "&TtVOiw-.msf": INDEX, "R&D.msf": INDEX, "&j,dg0Q-.sbd/2025.msf": INDEX})
    assert {(d.label, d.text.partition("\n")[0]) for d in read_corpus(root)} == {
        ("仕事", "one"),
        ("R&D", "two"),
        ("迷惑", "three"),
    }


def test_a_name_that_only_looks_like_modified_utf_7_stays_without_an_index(corpus):
    root = corpus({"&TtVOiw-.mbox": mbox("one"), "ham.mbox": mbox("two")})
    assert {document.label for document in read_corpus(root)} == {"&TtVOiw-", "ham"}


@pytest.mark.parametrize(
    ("head", "deleted"),
    [
        ("X-Mozilla-Status: 0008", True),
        ("X-Account-Key: a1\nX-UIDL: 7\nX-Mozilla-Status: 8009\nX-Mozilla-Status2: 00000000", True),
        ("x-mozilla-status: 0009\r", True),
        ("From - Fri Jan 02 03:04:05 2026\nX-Mozilla-Status: 0008", True),
        ("X-Mozilla-Status: 0001\nX-Mozilla-Status2: 00200000", True),
        ("X-Mozilla-Status: 0001\nX-Mozilla-Status: 0008", False),  # the first is Thunderbird's
        ("X-Mozilla-Status: 0001\nSubject: a\nX-Mozilla-Status: 0008", False),  # a sender's
        ("Subject: a\nX-Mozilla-Status: 0008", False),
        ("X-Mozilla-Status: 00200000", False),
        ("X-Mozilla-Status:", False),
        ("X-Mozilla-Status: zz", False),
        ("", False),
    ],
)
def test_only_what_thunderbird_itself_has_written_marks_a_message_as_deleted(head, deleted):
    assert is_deleted(f"{head}\n\ntext".encode()) is deleted


@pytest.mark.parametrize(
    ("keys", "mark"),
    [
        ("Junk", True),
        ("$label1 junk  ", True),
        ("$Junk", True),
        ("NonJunk", False),
        ("$NotJunk", False),
        ("Junk NonJunk", None),
        ("$label1", None),
        ("", None),
    ],
)
def test_the_junk_mark_is_a_keyword(keys, mark):
    assert junk_mark(f"X-Mozilla-Status: 0001\nX-Mozilla-Keys: {keys}\nSubject: a\n\n".encode()) is mark
    assert junk_mark(f"Subject: a\nX-Mozilla-Keys: {keys}\n\n".encode()) is None


def test_junk_marks_are_labels_where_that_is_asked_for(corpus):
    def marked(subject, keys):
        return mbox(subject).replace(b"\r\nSubject", f"\r\nX-Mozilla-Keys: {keys}   \r\nSubject".encode())

    mails = marked("one", "Junk") + marked("two", "$label1 NonJunk") + mbox("three")
    root = corpus({"Inbox": mails, "Inbox.msf": INDEX})
    with pytest.warns(ReadingWarning, match=r"1 message has no label in that header field and was left out \(3\)"):
        documents = list(read_corpus(root / "Inbox", "mail", label="header:X-Mozilla-Keys"))
    assert [(d.label, d.text.partition("\n")[0]) for d in documents] == [("Junk", "one"), ("NonJunk", "two")]
    assert not any("mozilla" in term.lower() for d in documents for terms in d.fields.values() for term in terms)

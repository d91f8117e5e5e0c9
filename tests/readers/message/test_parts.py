import base64
import binascii
import tracemalloc

import pytest

from textnb.readers import read_message
from textnb.readers.message.headers import Defects
from textnb.readers.message.parts import MAX_TEXT_BYTES, Walk


def multipart(kind, *parts, boundary="b", closed=True):
    """A multipart body with its own Content-Type; each part is its bytes with its head."""
    lines = [f'Content-Type: multipart/{kind}; boundary="{boundary}"'.encode(), b""]
    for part in parts:
        lines += [f"--{boundary}".encode(), part]
    return b"\n".join([*lines, f"--{boundary}--".encode() if closed else b""])


def part(text, kind="text/plain", more=b""):
    return b"Content-Type: " + kind.encode() + b"; charset=utf-8" + more + b"\n\n" + text.encode()


def text_of(data):
    return read_message(b"Subject: s\n" + data).text


def test_of_an_alternative_the_richer_branch_is_read_and_none_twice():
    page = part("<p>one two three <b>four</b>", "text/html")
    assert text_of(multipart("alternative", part("one two"), page)) == "s\none two three four"
    assert text_of(multipart("alternative", part("one two three four five"), page)) == "s\none two three four five"
    assert text_of(multipart("alternative", part("same words"), part("<p>same words", "text/html"))) == "s\nsame words"


def test_a_branch_may_have_parts_itself():
    related = multipart("related", part("<p>a longer page", "text/html"), part("x", "image/png"), boundary="c")
    assert text_of(multipart("alternative", part("plain"), related)) == "s\na longer page"


def test_links_of_every_branch_are_kept():
    page = part('<a href="http://a.example.com/">x</a>', "text/html")
    mail = read_message(multipart("alternative", part("see the page for all of it"), page))
    assert "a.example.com" in mail.fields["link"]


def test_a_message_within_gives_its_subject_and_text():
    inner = b"Content-Type: message/rfc822\n\nFrom: x\nSubject: =?utf-8?B?5Lya6K2w?=\n\nhello"
    assert text_of(multipart("mixed", part("see below"), inner)) == "s\nsee below\n会議\nhello"


def test_a_message_within_may_be_encoded_although_that_is_forbidden():
    inner = base64.encodebytes(b"Subject: within\n\nhello")
    head = b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
    assert text_of(multipart("mixed", head + inner)) == "s\nwithin\nhello"


def test_a_digest_is_made_of_messages():
    assert text_of(multipart("digest", b"\nSubject: a\n\none", b"\nSubject: b\n\ntwo")) == "s\na\none\nb\ntwo"


def test_attachments_give_name_type_and_size_and_never_their_content():
    attached = part("secret", "text/plain", b'\nContent-Disposition: attachment; filename="Plan.TXT"')
    mail = read_message(multipart("mixed", part("look"), attached, part("AAAA", "application/pdf; name=x.pdf")))
    assert mail.text == "look"
    first = ["name:plan.txt", "extension:txt", "type:text/plain", "size:8"]
    assert mail.fields["attachment"] == [*first, "name:x.pdf", "extension:pdf", "type:application/pdf", "size:4"]


def test_of_an_invitation_what_a_reader_sees_is_read():
    calendar = "BEGIN:VEVENT\nUID:1\nSUMMARY:打ち合わせ\\, 春\nDESCRIPTION;LANGUAGE=ja:第一\n 会議室\nEND:VEVENT"
    assert text_of(multipart("mixed", part(calendar, "text/calendar"))) == "s\n打ち合わせ, 春\n第一会議室"


def test_a_delivery_report_is_read():
    status = b"Content-Type: message/delivery-status\n\nAction: failed\nStatus: 5.1.1"
    assert "Status: 5.1.1" in text_of(multipart("report", part("sorry"), status))


TWO = multipart("mixed", part("one"), part("two"))


@pytest.mark.parametrize(
    ("data", "text", "defects"),
    [
        (TWO, "one\ntwo", ()),
        (multipart("mixed", part("one"), part("two"), closed=False), "one\ntwo", ("the last boundary is missing",)),
        (TWO.replace(b'="b"', b'="other"'), "one\ntwo", ("the boundary is not the declared one",)),
        (b"Content-Type: multipart/mixed\n\njust text", "just text", ("multipart/mixed without parts",)),
    ],
    ids=["whole", "not closed", "wrong boundary", "no parts"],
)
def test_wrong_boundaries_are_told_and_lose_nothing(data, text, defects):
    mail = read_message(data)
    assert (mail.text, mail.defects) == (text, defects)


def test_similar_boundaries_are_told_apart():
    inner = multipart("alternative", part("inner"), boundary="b2")
    assert text_of(multipart("mixed", part("one"), inner, part("two"), boundary="b")) == "s\none\ninner\ntwo"


def test_carriage_returns_before_boundaries_belong_to_them():
    data = multipart("mixed", part("one"), part("two")).replace(b"\n", b"\r\n")
    assert [leaf.body(99, Defects()) for leaf in Walk.of(data, Defects()).leaves] == [b"one", b"two"]


def test_lines_that_end_in_carriage_returns_alone_are_lines():
    assert read_message(multipart("mixed", part("one\ntwo")).replace(b"\n", b"\r")).text == "one\ntwo"


def test_nesting_is_limited_and_told():
    data = part("deep")
    for i in range(60):
        data = multipart("mixed", data, boundary=f"b{i}")
    for mail in map(read_message, (data, b"Content-Type: message/rfc822\n\n" * 3000)):
        assert mail.text == ""
        assert "nested more than 20 deep" in mail.defects[0]


def test_the_number_of_parts_is_limited_and_told():
    data = multipart("mixed", *[part(str(i)) for i in range(700)])
    mail = read_message(data)
    assert 400 < len(mail.text.split()) < 520
    assert mail.defects


def test_the_text_that_is_read_is_limited_and_told():
    mail = read_message(b"To: x\n\n" + b"word " * 1_000_000)
    assert len(mail.text) < 3_000_000
    assert any("were read" in defect for defect in mail.defects)


def test_types_of_all_parts_are_found():
    data = multipart("mixed", part("a"), part("b", "image/png"))
    assert Walk.of(data, Defects()).types == ["multipart/mixed", "text/plain", "image/png"]


def test_a_type_that_is_none_is_plain_text():
    assert text_of(b"Content-Type: text\n\nhello") == "s\nhello"
    assert text_of(b"Content-Type:\n\nhello") == "s\nhello"


def test_a_page_is_known_by_its_look_where_the_type_is_wrong():
    assert text_of(b"Content-Type: text/plain\n\n<HTML><body><b>hi</b>") == "s\nhi"


def message_within(body, encoding):
    return b"Content-Type: message/rfc822\nContent-Transfer-Encoding: " + encoding + b"\n\n" + body


ENCODERS = {b"base64": base64.encodebytes, b"quoted-printable": binascii.b2a_qp}


@pytest.mark.parametrize("encoding", ENCODERS)
def test_an_encoded_message_inside_is_decoded_up_to_the_limit_of_text(encoding):
    within = b"Subject: inner\n\n" + b"hello there\n" * 400_000
    walk = Walk.of(message_within(ENCODERS[encoding](within), encoding), Defects())
    assert len(within) > 4 * MAX_TEXT_BYTES
    assert len(walk.leaves[0].data) <= 3 * MAX_TEXT_BYTES
    assert walk.leaves[0].data == within[: len(walk.leaves[0].data)]
    assert walk.defects.kinds == ("size",)


@pytest.mark.parametrize("encoding", ENCODERS)
def test_all_encoded_messages_inside_share_the_limit(encoding):
    within = ENCODERS[encoding](b"Subject: inner\n\n" + b"hello there\n" * 60_000)
    walk = Walk.of(multipart("mixed", *[message_within(within, encoding)] * 6), Defects())
    assert sum(len(leaf.data) for leaf in walk.leaves) < 3 * MAX_TEXT_BYTES
    assert len(walk.leaves) == 6


@pytest.mark.parametrize("line", [b"A\n", b"AAA\n", b"A=\n", b"A!", b"AAAA\r"])
def test_lines_of_base64_take_memory_in_proportion(line):
    message = message_within(line * (MAX_TEXT_BYTES // len(line)), b"base64")
    tracemalloc.start()
    try:
        Walk.of(message, Defects())
        assert tracemalloc.get_traced_memory()[1] < 6 * len(message)
    finally:
        tracemalloc.stop()

import json
from datetime import UTC, datetime

import pytest

from textnb.errors import InputError
from textnb.readers import MailFeatures, read_message
from textnb.readers.message.features import GROUPS
from textnb.readers.message.head_tokens import HEAD_GROUPS
from textnb.readers.message.message import TOKENS
from textnb.readers.message.words import hosts_in, words_in

MAIL = """Received: from mail.sender.example (unknown [203.0.113.9])
\tby mx.example.jp with ESMTP id 8.12.3; Fri, 14 Nov 2003 09:05:09 +0900
From: =?utf-8?B?5bGx55Sw?= <taro@mail.example.co.jp>
To: Hanako <hanako@example.jp>
Cc: all@example.jp
Subject: Free =?utf-8?B?5Lya6K2w?= TODAY
Date: Fri, 14 Nov 2003 09:05:07 +0900
Message-ID: <3@mail.example.co.jp>
References: <1@a.example> <2@b.example>
List-Id: All of us <us.lists.example.org>
X-Mailer: Datula version 1.5
X-Spam-Status: Yes, score=9.9
X-Bogosity: Spam
X-Barracuda-Spam-Score: 3
Status: RO
MIME-Version: 1.0
Content-Type: text/html; charset="UTF-8"
Content-Transfer-Encoding: 8bit

<p>明日の会議 <a href="http://www.shop.example.com/">Here</a> <i style="display:none">Secret</i>
""".encode()


def test_the_text_is_subject_and_body_and_everything_else_is_in_groups_of_tokens():
    assert read_message(MAIL).text == "Free 会議 TODAY\n明日の会議 Here"
    fields = read_message(MAIL).fields
    assert fields["subject"] == ["Free", "会議", "TODAY"]
    assert fields["from"] == ["山田", "taro@mail.example.co.jp", "mail.example.co.jp", "example.co.jp", "co.jp", "jp"]
    assert fields["to"] == ["Hanako", "hanako@example.jp", "example.jp", "jp", "all@example.jp"]
    assert fields["list"] == ["All", "of", "us", "us.lists.example.org"]
    assert fields["received"][:4] == ["mail.sender.example", "sender.example", "example", "203.0.113"]
    assert fields["received"][4:] == ["mx.example.jp", "example.jp", "jp"]
    assert fields["zone"] == ["+0900"]
    assert fields["link"] == ["www.shop.example.com", "shop.example.com", "example.com", "com"]
    assert fields["type"] == ["text/html", "8bit"]
    assert fields["charset"] == ["utf-8"]
    assert fields["hidden"] == ["secret"]
    assert {"x-mailer", "x-mailer:Datula", "message-id", "mime-version:1.0"} <= set(fields["header"])
    assert "attachment" not in fields


def test_what_other_filters_and_the_owner_say_is_no_token():
    tokens = " ".join(token for group in read_message(MAIL).fields.values() for token in group).lower()
    assert not any(word in tokens for word in ("spam", "bogosity", "barracuda", "9.9", "status"))


def test_date_and_conversation_are_known():
    mail = read_message(MAIL)
    assert mail.date == datetime(2003, 11, 14, 0, 5, 7, tzinfo=UTC)
    assert mail.group == "1@a.example"
    assert read_message(MAIL.replace(b"\nDate: ", b"\nX-Date: ")).date == datetime(2003, 11, 14, 0, 5, 9, tzinfo=UTC)
    assert read_message(b"To: x\n\ny").date is None
    assert mail.received == datetime(2003, 11, 14, 0, 5, 9, tzinfo=UTC)
    assert read_message(b"To: x\nDate: Fri, 14 Nov 2003 00:05:07 +0000\n\ny").received is None
    fields = b"Received: by a; never\nReceived: by b; 2 Jan 2002 00:00 +0000\nReceived: by c; 9 Jan 2002 00:00 +0000\n"
    assert read_message(fields + b"\ny").received == datetime(2002, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_can_be_left_out_alone(group):
    every, without = read_message(MAIL).fields, read_message(MAIL, MailFeatures().without(group)).fields
    assert {name: tokens for name, tokens in every.items() if name != group} == without


def test_every_group_has_its_tokens():
    assert sorted([*TOKENS, *HEAD_GROUPS]) == sorted(GROUPS)


def test_features_come_back_from_json():
    features = MailFeatures(("link", "subject"))
    assert features.groups == ("subject", "link")
    assert MailFeatures.of(json.loads(json.dumps(features.recipe))) == features


def test_an_unknown_group_is_refused_by_name():
    with pytest.raises(InputError, match="unknown group 'colour' of mail tokens; use subject, from"):
        MailFeatures(("colour",))
    with pytest.raises(InputError, match="'colour'"):
        MailFeatures().without("colour")


def test_a_message_must_be_bytes():
    with pytest.raises(InputError, match="must be bytes, not str"):
        read_message("To: x")


@pytest.mark.parametrize("raw", [b"", b"\n", b"\r", b"\0", b"From ", b"From x\n", b":", b"A:", b"\n\n\n"])
def test_a_message_of_nothing_is_an_empty_document(raw):
    assert read_message(raw).text.strip("\0: ") in ("", "From")


def test_text_without_a_header_is_a_body():
    mail = read_message("会議は三時からです。\n\nよろしく".encode())
    assert mail.text == "会議は三時からです。\n\nよろしく"
    assert mail.defects == ("the message has no header",)


def test_words_that_are_longer_than_any_word_are_left_out():
    assert words_in("a " + "b" * 61) == ["a"]
    assert words_in("日 " + "b" * 61) == ["日"]


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("http://a.example", ["a.example"]),
        ("(http://a.example/) https://user:x@b.example:8080/c", ["a.example", "b.example"]),
        ("詳細はhttp://a.example。または", ["a.example"]),
        ("http://A.EXAMPLE. http://a.example", ["a.example"]),
        ("ftp://192.0.2.1/x", ["192.0.2.1"]),
        ("www.a.example and http://%77ww.B.example:80/a", ["www.b.example", "www.a.example"]),
        ("http:// :// http://?", []),
    ],
)
def test_hosts_of_links(text, hosts):
    assert hosts_in(text) == hosts

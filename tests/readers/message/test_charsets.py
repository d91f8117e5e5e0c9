import base64
import binascii
import encodings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.readers import read_message
from textnb.readers.charset_names import charset_of
from textnb.readers.message.charsets import MessageDecoder, decode_transfer
from textnb.readers.message.headers import Defects

SENTENCE = "今日は良い天気なので、公園を散歩しました。"


@given(st.binary(max_size=200), st.sampled_from([b"base64", b"quoted-printable"]))
@settings(max_examples=50, deadline=None)
def test_what_was_encoded_comes_back(data, encoding):
    written = base64.encodebytes(data) if encoding == b"base64" else binascii.b2a_qp(data, istext=False)
    defects = Defects()
    assert decode_transfer(written, encoding, defects) == data
    assert defects.words == ()


LISTED = base64.b64encode(b"hello" * 20) + b"\n\n-- \nthe list.\n"
UUENCODED = b"begin 644 a.txt\n" + binascii.b2a_uu(b"hello world") + b"`\nend\nmore"


@pytest.mark.parametrize(
    ("body", "encoding", "decoded", "defects"),
    [
        (b"aGVsbG8", b"base64", b"hello", ()),
        (b"YQ==\nYg==\n", b"base64", b"ab", ("text after the end of base64",)),
        (LISTED, b"base64", b"hello" * 20 + b"\n-- \nthe list.\n", ("text after the end of base64",)),
        (b"Hello (plain) text!", b"base64", b"Hello (plain) text!", ("text declared as base64 is not base64",)),
        (b"a=zz=E3=81=82 50% = half", b"quoted-printable", "a=zzあ 50% = half".encode(), ("damaged quoted-printable",)),
        (UUENCODED, b"x-uuencode", b"hello world", ()),
        (b"a=20b", b"rot13", b"a=20b", ("unknown transfer encoding 'rot13'",)),
    ],
)
def test_of_a_damaged_encoding_all_is_read_that_can_be(body, encoding, decoded, defects):
    found = Defects()
    assert (decode_transfer(body, encoding, found), found.words) == (decoded, defects)


def test_a_lost_letter_spoils_its_own_line_of_base64_only():
    lines = base64.encodebytes(b"".join(b"line %03d of the text\n" % i for i in range(30))).split(b"\n")
    lines[3] = lines[3][:10] + lines[3][11:]
    defects = Defects()
    text = decode_transfer(b"\n".join(lines), b"base64", defects)
    assert b"line 005" in text
    assert b"line 020" in text
    assert defects.kinds == ("base64",)


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("ISO-2022-JP-MS", "iso2022_jp"),
        ("iso-2022-jp-3", "iso2022_jp_3"),
        ("x-sjis", "cp932"),
        ("Windows-31J", "cp932"),
        ("shift-jis", "shift_jis"),
        ("x-euc-jp", "euc_jp"),
        ("SHIFTJIS_CHARSET", "shift_jis"),
        ("DEFAULT_CHARSET", None),
        ("EUCJP", "euc_jp"),
        ("utf8", "utf-8"),
        ("'UTF-8'", "utf-8"),
        ("unicode-1-1-utf-7", "utf-7"),
        ("ks_c_5601-1987", "cp949"),
        ("hex", None),
        ("", None),
        ("\0", None),
    ],
)
def test_labels_are_understood_as_they_were_meant(label, charset):
    assert charset_of(label) == charset


@pytest.mark.parametrize(
    ("codec", "label"),
    [
        ("iso2022_jp", "ISO-2022-JP"),
        ("iso2022_jp", "utf-8"),
        ("iso2022_jp", "us-ascii"),
        ("cp932", "Shift_JIS"),
        ("cp932", "ISO-2022-JP"),
        ("cp932", "utf-8"),
        ("cp932", "EUC-JP"),
        ("euc_jp", "EUC-JP"),
        ("euc_jp", "iso-2022-jp"),
        ("euc_jp", "utf-8"),
        ("euc_jp", "unknown-8bit"),
        ("utf-8", "Shift_JIS"),
        ("utf-8", "iso-8859-1"),
        ("utf-7", "utf-7"),
        ("utf-16", "utf-16"),
    ],
)
def test_japanese_is_read_whatever_the_label(codec, label):
    assert MessageDecoder([], Defects()).decode(SENTENCE.encode(codec), label) == SENTENCE


def test_a_false_label_is_recorded_and_a_true_one_is_not():
    defects = Defects()
    MessageDecoder([], defects).decode(SENTENCE.encode("cp932"), "Shift_JIS")
    MessageDecoder([], defects).decode(b"caf\xe9", "iso-8859-1")
    assert defects.words == ()
    MessageDecoder([], defects).decode(SENTENCE.encode("euc_jp"), "utf-8", "text/plain")
    assert defects.words == ("text/plain: declared as utf-8, read as euc_jp",)


def test_western_bytes_without_a_label_are_cp1252():
    assert MessageDecoder([], Defects()).decode("“naïve” café é à Größe".encode("cp1252")) == "“naïve” café é à Größe"


def test_a_message_that_names_a_japanese_charset_is_looked_at_as_japanese():
    kanji = "東京都"
    assert MessageDecoder(["iso-2022-jp"], Defects()).decode(kanji.encode("euc_jp")) == kanji
    assert MessageDecoder(["iso-2022-jp"], Defects()).decode(kanji.encode("cp932"), "iso-8859-1") == kanji


def test_bytes_without_a_label_are_read_in_the_only_charset_that_the_message_names():
    assert MessageDecoder(["big5", "us-ascii"], Defects()).decode("電子報".encode("big5")) == "電子報"


MADE_UP = [b"x-%d", b"utf-8-%d", b"utf%d8", b"%d"]


@pytest.mark.parametrize("name", MADE_UP)
def test_made_up_charsets_leave_nothing_behind(name):
    def message(*numbers):
        words = b" ".join(b"=?" + name % i + b"?Q?a=E9?=" for i in numbers)
        page = b"<html><meta charset=" + name % numbers[0] + b">caf\xe9"
        head = b"Subject: " + words + b"\nContent-Type: text/plain; charset=" + name % numbers[-1]
        return [head + b"\n\ncaf\xe9", b"Content-Type: text/html\n\n" + page]

    [read_message(raw) for raw in message(1, 2)]
    before = len(encodings._cache)
    [read_message(raw) for raw in message(*range(10_000, 12_000))]
    assert len(encodings._cache) == before


def test_spellings_of_a_charset_leave_nothing_behind():
    for _ in range(2):
        before = len(encodings._cache)
        for n in range(1, 50):
            assert charset_of(f"utf{'-' * n}8") == "utf-8"
    assert len(encodings._cache) == before


@pytest.mark.parametrize("n", [1, 19, 20, 21, 2000])
def test_a_message_may_name_twenty_charsets(n):
    mail = read_message(b"Subject: " + b" ".join(b"=?x%d?Q?a?=" % i for i in range(n)) + b"\n\nhello")
    assert mail.text == "a" * n + "\nhello"
    assert len(mail.fields["charset"]) == min(n, 20)
    assert any("charsets" in words for words in mail.defects) == (n > 20)


def test_a_message_may_have_five_thousand_encoded_words():
    for n in (4999, 5000, 5001, 9000):
        mail = read_message(b"Subject: " + b"\n ".join([b"=?utf-8?Q?a?="] * n) + b"\n\n")
        assert mail.text.count("a") == n
        assert mail.text.count("=?utf-8?Q?a?=") == max(n - 5000, 0)
        assert any("encoded words" in words for words in mail.defects) == (n > 5000)

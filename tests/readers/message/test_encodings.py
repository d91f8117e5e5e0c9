import base64
import binascii

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.readers import read_message
from textnb.readers.message.charsets import MessageDecoder, _named_charsets, charset_of, decode_transfer
from textnb.readers.message.field_values import header_text, parse_parameters
from textnb.readers.message.headers import Defects

SENTENCE = "今日は良い天気なので、公園を散歩しました。"


def encoded_word(data, charset, encoding="B"):
    payload = base64.b64encode(data) if encoding == "B" else binascii.b2a_qp(data, header=True)
    return b"=?" + charset.encode() + b"?" + encoding.encode() + b"?" + payload + b"?="


def text_of(value, *labels, defects=None):
    return header_text(value, MessageDecoder(labels, defects or Defects()))


@given(st.binary(max_size=200), st.sampled_from([b"base64", b"quoted-printable"]))
@settings(max_examples=50, deadline=None)
def test_what_was_encoded_comes_back(data, encoding):
    written = base64.encodebytes(data) if encoding == b"base64" else binascii.b2a_qp(data, istext=False)
    defects = Defects()
    assert decode_transfer(written, encoding, defects) == data
    assert defects.words == ()


def test_base64_that_has_lost_its_padding_is_whole():
    assert decode_transfer(base64.b64encode(b"hello").rstrip(b"="), b"base64", Defects()) == b"hello"


def test_a_lost_letter_spoils_its_own_line_of_base64_only():
    lines = base64.encodebytes(b"".join(b"line %03d of the text\n" % i for i in range(30))).split(b"\n")
    lines[3] = lines[3][:10] + lines[3][11:]
    defects = Defects()
    text = decode_transfer(b"\n".join(lines), b"base64", defects)
    assert b"line 005" in text
    assert b"line 020" in text
    assert defects.kinds == ("base64",)


def test_pieces_of_base64_one_after_the_other_are_all_read():
    assert decode_transfer(b"YQ==\nYg==\n", b"base64", Defects()) == b"ab"


def test_text_below_base64_is_kept_as_it_is():
    assert decode_transfer(b"aGVsbG8=\n\n-- \nthe list, as ever.\n", b"base64", Defects()).endswith(
        b"the list, as ever.\n"
    )


def test_text_that_is_no_base64_is_left_alone():
    defects = Defects()
    assert decode_transfer(b"Hello, this is (plain) text!", b"base64", defects) == b"Hello, this is (plain) text!"
    assert defects.words == ("text declared as base64 is not base64",)


def test_damaged_quoted_printable_gives_what_it_can():
    defects = Defects()
    assert decode_transfer(b"a=zz=E3=81=82 50% = half", b"quoted-printable", defects) == "a=zzあ 50% = half".encode()
    assert defects.words == ("damaged quoted-printable",)


def test_uuencode_is_read_between_begin_and_end():
    body = b"begin 644 a.txt\n" + binascii.b2a_uu(b"hello world") + b"`\nend\nmore"
    assert decode_transfer(body, b"x-uuencode", Defects()) == b"hello world"


def test_an_unknown_transfer_encoding_is_named_and_the_text_left_alone():
    defects = Defects()
    assert decode_transfer(b"a=20b", b"rot13", defects) == b"a=20b"
    assert defects.words == ("unknown transfer encoding 'rot13'",)


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("ISO-2022-JP-MS", "iso2022_jp"),
        ("iso-2022-jp-3", "iso2022_jp_3"),
        ("x-sjis", "cp932"),
        ("Windows-31J", "cp932"),
        ("shift-jis", "shift_jis"),
        ("x-euc-jp", "euc_jp"),
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


@pytest.mark.parametrize("encoding", ["B", "Q"])
@pytest.mark.parametrize("codec", ["utf-8", "cp932", "euc_jp"])
def test_encoded_words_may_be_cut_inside_a_character(codec, encoding):
    data = SENTENCE.encode(codec)
    for cut in (5, 10, 11, 13):
        words = [encoded_word(part, codec, encoding) for part in (data[:cut], data[cut:])]
        assert text_of(b"Re: " + b"\n ".join(words) + b" end", codec) == f"Re: {SENTENCE} end"


def test_encoded_words_may_be_cut_inside_their_base64():
    payload = base64.b64encode(SENTENCE.encode())
    words = [b"=?utf-8?B?" + part + b"?=" for part in (payload[:13], payload[13:])]
    assert text_of(b" ".join(words)) == SENTENCE


def test_iso_2022_jp_may_go_on_in_the_next_encoded_word():
    data = "会議の日程".encode("iso2022_jp")
    words = [encoded_word(part, "iso-2022-jp") for part in (data[:7], data[7:])]
    assert text_of(b" ".join(words)) == "会議の日程"


@pytest.mark.parametrize("codec", ["iso2022_jp", "utf-8", "cp932", "euc_jp"])
def test_bytes_that_were_never_encoded_are_read(codec):
    assert text_of("お知らせです".encode(codec), "iso-2022-jp") == "お知らせです"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"=?utf-8?Q?a_b=3F?=", "a b?"),
        (b"=?utf-8?q?a b?=", "a b"),
        (b"=?utf-8?Q?what??=", "what?"),
        (b"=?utf-8*ja?B?5pel?=", "日"),
        (b"a=?utf-8?B?5pel?=b", "a日b"),
        (b"=?utf-8?B?5pel?==?utf-8?B?5pys?=", "日本"),
        (b"=?utf-8?B?5pel?= =?iso-8859-1?Q?=E9?=", "日é"),
        (b"=?utf-8?X?5pel?=", "=?utf-8?X?5pel?="),
        (b"=?utf-8?B?5pel", "=?utf-8?B?5pel"),
        (b"=?nonsense?B?5pel?=", "日"),
        (b"", ""),
    ],
)
def test_encoded_words_in_many_forms(value, text):
    assert text_of(value) == text


def test_a_header_full_of_beginnings_takes_no_time_worth_speaking_of(never_hangs):
    assert text_of(b"=?a?Q?" * 40_000).startswith("=?a?Q?")


@pytest.mark.parametrize(
    "value",
    [
        b"attachment; filename*=utf-8''%E8%A6%8B%E7%A9%8D.pdf",
        b"attachment; filename*0*=utf-8''%E8%A6%8B; filename*1*=%E7%A9%8D; filename*2=.pdf",
        b"attachment; filename*1*=%E7%A9%8D.pdf; filename*0*=utf-8'ja'%E8%A6%8B",
        b'attachment; filename="=?utf-8?B?6KaL56mNLnBkZg==?="',
        b"attachment; filename==?utf-8?B?6KaL56mNLnBkZg==?=",
        b'attachment; filename="' + "見積.pdf".encode() + b'"',
        b'attachment filename="' + "見積.pdf".encode("iso2022_jp") + b'"',
        b"attachment ;FileName = " + "見積.pdf".encode(),
    ],
)
def test_file_names_are_read_in_every_way_that_is_used(value):
    assert parse_parameters(value).parameters["filename"].text(MessageDecoder([], Defects())) == "見積.pdf"


def test_quoted_parameters_may_hold_semicolons_and_quotation_marks():
    found = parse_parameters(b'multipart/mixed; boundary="a;b \\"c\\""; charset=utf-8')
    assert (found.main, found.plain("boundary"), found.plain("charset")) == ("multipart/mixed", b'a;b "c"', b"utf-8")


def test_a_message_that_names_thousands_of_charsets_is_not_remembered():
    before = _named_charsets.cache_info().currsize
    read_message(b"Subject: " + b" ".join(b"=?x%d?Q?a?=" % i for i in range(2000)) + b"\n\nhello")
    assert _named_charsets.cache_info().currsize == before

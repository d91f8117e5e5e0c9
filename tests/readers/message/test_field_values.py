import base64
import binascii
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.readers.message.charsets import MessageDecoder
from textnb.readers.message.field_values import header_text, parse_parameters
from textnb.readers.message.headers import Defects

SENTENCE = "今日は良い天気なので、公園を散歩しました。"


def encoded_word(data, charset, encoding="B"):
    payload = base64.b64encode(data) if encoding == "B" else binascii.b2a_qp(data, header=True)
    return b"=?" + charset.encode() + b"?" + encoding.encode() + b"?" + payload + b"?="


def text_of(value, *labels, defects=None):
    return header_text(value, MessageDecoder(labels, defects or Defects()))


@pytest.mark.parametrize("encoding", ["B", "Q"])
@pytest.mark.parametrize("codec", ["utf-8", "cp932", "euc_jp"])
def test_encoded_words_may_be_cut_inside_a_character(codec, encoding):
    data = SENTENCE.encode(codec)
    for cut in (5, 10, 11, 13):
        words = [encoded_word(part, codec, encoding) for part in (data[:cut], data[cut:])]
        assert text_of(b"Re: " + b"\n ".join(words) + b" end", codec) == f"Re: {SENTENCE} end"


SPELLINGS = {
    "utf-8": ["utf-8", "UTF8", "utf_8"],
    "cp932": ["shift_jis", "Shift-JIS", "SJIS", "x-sjis", "Windows-31J", "cp932*ja"],
    "euc_jp": ["euc-jp", "EUC_JP", "x-euc-jp", "eucJP-ms"],
    "iso2022_jp": ["iso-2022-jp", "ISO-2022-JP", "ISO2022JP", "iso-2022-jp-ms"],
    "big5": ["big5", "Big-5", "x-big5"],
}


@pytest.mark.parametrize("codec", SPELLINGS)
def test_neighbours_may_be_cut_anywhere_and_differ_in_encoding_and_spelling(codec):
    text = "電子報電子" if codec == "big5" else "会議のお知らせ、ご連絡"
    data = text.encode(codec)
    ways = list(itertools.product(SPELLINGS[codec], "BQ"))
    for cut in range(1, len(data)):
        for i, first in enumerate(ways):
            second = ways[(i + cut) % len(ways)]
            words = [encoded_word(data[:cut], *first), encoded_word(data[cut:], *second)]
            assert text_of(b"Re: " + b"\n ".join(words) + b" end") == f"Re: {text} end"


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from(SPELLINGS["cp932"]), st.sampled_from("BQ")), max_size=12))
@settings(max_examples=60, deadline=None)
def test_any_number_of_neighbours_may_be_cut_anywhere(cuts):
    data, words = SENTENCE.encode("cp932"), []
    for size, label, encoding in [*cuts, (len(data), "sjis", "B")]:
        words += [encoded_word(data[:size], label, encoding)] if data else []
        data = data[size:]
    assert text_of(b" ".join(words)) == SENTENCE


def test_neighbours_of_different_charsets_are_not_joined():
    words = [encoded_word("é".encode()[:1], "utf-8"), encoded_word("é".encode()[1:], "iso-8859-1")]
    assert text_of(b" ".join(words)) != "é"


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

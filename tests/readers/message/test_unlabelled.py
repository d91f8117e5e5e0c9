"""Unlabelled Japanese and western texts are told apart by all unlabelled bytes of a message."""

import base64
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.readers import read_message
from textnb.readers.message.unlabelled import _japanese_fit, _log_p_western, unlabelled_charset

JA_MINI = Path(__file__).parents[3] / "corpora" / "ja-mini"
CHARSETS = ("cp932", "euc_jp")
MAIL_WORDS = """
    了解 承知 承知しました 明日 はい いいえ 会議 連絡 添付 件名 確認 返信 転送 至急 御礼 請求書 見積 契約 休暇 出張 適当
    本当 資料 日程
"""
HALF_WIDTH = ["ﾃｽﾄ", "ﾘｮｳｶｲ", "ｵﾂｶﾚｻﾏﾃﾞｽ", "ｱﾘｶﾞﾄｳ", "ｼｮｳﾁｼﾏｼﾀ", "ﾒｰﾙ", "ﾊﾟｿｺﾝ", "ﾃﾞｰﾀ"]
WESTERN = """
    café déjà élève Größe naïve über Müller Straße señor Málaga façade crème à bientôt où ça français español niño año
    ¿Qué? ¡Hola! ¡¡Oferta £5 €20 5° 20£ §3 “quoted” – it’s l’été œuvre schön Grüße für Übung år på øl både København
    São não coração você é è ü ß ñ ç ö ä å ø æ ©2002 ® ™ … “I’m ‘I out.’” Ünlü ÉTÉ m² Ísland það FATHER’S
"""


def is_utf8(data):
    return "\ufffd" not in data.decode("utf-8", "replace")


def read(data):
    return read_message(b"Subject: " + data + b"\n\n").text


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("word", MAIL_WORDS.split())
def test_short_words_of_mail_are_read_in_subject_and_body(word, charset):
    data = word.encode(charset)
    assert read(data) == word
    assert read_message(b"Subject:\n\n" + data + b"\r\n").text == word
    assert read_message(b"Content-Type: text/plain; charset=us-ascii\n\n" + data).text == word


@pytest.mark.parametrize("word", HALF_WIDTH)
def test_half_width_katakana_are_read(word):
    assert read(word.encode("cp932")) == word


@pytest.mark.parametrize("word", WESTERN.split())
def test_western_words_stay_western(word):
    for charset in ("cp1252", "latin-1"):
        data = word.encode(charset, "ignore")
        assert read(data) == data.decode("cp1252")
        assert read_message(b"Subject:\n\nHello, " + data + b" there\n").text == f"Hello, {data.decode('cp1252')} there"


@pytest.mark.parametrize("charset", CHARSETS)
def test_almost_all_words_of_two_characters_are_told_apart(charset):
    texts = [path.read_text(encoding="utf-8") for path in sorted(JA_MINI.rglob("*.txt"))]
    words = sorted({word for text in texts for word in re.findall("[一-鿿]{2,}|[ァ-ヶー]{2,}|[ぁ-ゖ]{2,}", text)})[::5]
    encoded = [data for word in words if not is_utf8(data := word.encode(charset, "ignore")) and len(data) > 2]
    assert len(encoded) > 1000
    wrong = [data.decode(charset) for data in encoded if unlabelled_charset(data) != charset]
    assert len(wrong) < 0.01 * len(encoded), wrong


@pytest.mark.parametrize("charset", CHARSETS)
def test_the_rest_of_the_message_decides_about_an_ambiguous_word(charset):
    word, sure = "ｶﾅ" if charset == "cp932" else "杜", "明日の会議の資料をお送りします"
    subject, body = word.encode(charset), sure.encode(charset)
    assert read_message(b"Subject: " + subject + b"\n\n" + body).text == f"{word}\n{sure}"
    encoded = b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(body)
    assert read_message(b"Subject: " + subject + b"\n" + encoded).text == f"{word}\n{sure}"
    within = b"Content-Type: message/rfc822\n\nSubject: " + body + b"\n\n" + subject
    assert read_message(within).text == f"{sure}\n{word}"
    name = b'\nContent-Disposition: attachment; filename="' + body + b'.pdf"\n\n'
    assert read_message(b"Subject: " + subject + name).text == word


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_charset_that_another_part_names_is_evidence(charset):
    label = {"cp932": b"Shift_JIS", "euc_jp": b"EUC-JP"}[charset]
    word = {"cp932": "ｶﾅ", "euc_jp": "杜"}[charset]
    parts = [
        b"Content-Type: text/plain; charset=" + label + b"\n\n" + "本文です".encode(charset),
        b"Content-Type: text/plain; charset=iso-2022-jp\n\n" + "本文です".encode("iso2022_jp"),
    ]
    head = b"Content-Type: multipart/mixed; boundary=b\nSubject: " + word.encode(charset) + b"\n\n--b\n"
    assert read_message(head + b"\n--b\n".join(parts) + b"\n--b--\n").text.startswith(word)


def test_western_words_in_a_message_of_western_words_and_japanese_in_one_of_japanese():
    western = "Grüße aus München, José. £5 – “I’m”."
    assert read_message(b"Subject: caf\xe9\n\n" + western.encode("cp1252")).text == f"café\n{western}"
    assert read_message(b"Subject: =?utf-8?Q?caf=C3=A9?=\n\n" + "了解".encode("cp932")).text == "café\n了解"


@pytest.mark.parametrize("lost", range(1, 9))
def test_damaged_utf_8_is_not_taken_for_japanese_in_another_charset(lost):
    data = "本日の会議".encode()
    text = read(data[:lost] + data[lost + 1 :])
    assert "会議" in text


@given(
    st.lists(st.sampled_from([*MAIL_WORDS.split(), "abc", "ﾃｽﾄ", "です。"]), min_size=1, max_size=5),
    st.sampled_from(CHARSETS),
)
@settings(max_examples=50, deadline=None)
def test_what_lines_say_adds_up(lines, charset):
    data = [line.encode(charset) for line in lines]
    whole = b"\n".join(data)
    assert _japanese_fit(whole, charset, ["any"]) == pytest.approx(
        sum(_japanese_fit(line, charset, ["any"]) for line in data)
    )
    assert _log_p_western(whole) == pytest.approx(sum(map(_log_p_western, data)))


@given(st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_bytes_have_a_charset_or_none(data):
    assert unlabelled_charset(data) in (None, *CHARSETS)
    assert unlabelled_charset(data, ["cp932"]) in (None, *CHARSETS)


def test_megabytes_without_a_label_take_no_time_worth_speaking_of(never_hangs):
    for line in (b"\x97\xb9\x89\xf0\n", b"\xe9", b"caf\xe9 ", b"\xb1" * 997 + b"\n"):
        read_message(b"Subject: \xe9\n\n" + line * (4_000_000 // len(line)))

import codecs
import io
import itertools
import os
import re
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from textnb import read_corpus
from textnb.errors import InputError
from textnb.readers.charset_names import check_charset
from textnb.readers.decoding import decoded, decoded_each, decoded_lines, encoding_of

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
)
JA_MINI = Path(__file__).parents[2] / "corpora" / "ja-mini"
SENTENCE = "今日は良い天気なので、公園を散歩しました。"
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp932", "euc_jp", "iso2022_jp_ext", "latin-1")
NO_CHARSETS = ("hex", "base64", "zlib", "rot13", "bz2", "uu", "quopri", "undefined")
RARE_CHARSETS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "hz", "iso2022_kr", "charmap")

japanese = st.text(alphabet="日本語テキストあいうｱｲ、。①㈱髙é abc\r\n", max_size=25)
encoded = st.builds(lambda text, name: text.encode(name, "ignore"), japanese, st.sampled_from(ENCODINGS))
escapes = st.sampled_from([b"\x1b$B", b"\x1b$(D", b"\x1b(I", b"\x1b(B", b"\xe3\x81", b"\x82"])
mixed = st.lists(encoded | escapes | st.binary(max_size=12), max_size=4).map(b"".join)


@st.composite
def cut_bytes(draw):
    data = draw(mixed)
    cuts = sorted(draw(st.sets(st.integers(1, max(1, len(data) - 1)))))
    return data, [data[i:j] for i, j in zip([0, *cuts], [*cuts, len(data)], strict=True) if i < j]


def phrases():
    folder = Path(__file__).parents[2] / "corpora" / "ja-mini" / "test"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.txt"))]
    return sorted({phrase for text in texts for phrase in re.findall("[^、。\n]{2,}[、。]?", text)})


def is_utf_8(data):
    return "\ufffd" not in data.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("bom", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
    ],
)
def test_a_byte_order_mark_decides_over_a_declared_charset_and_is_not_part_of_the_text(bom, codec, name):
    assert decoded(bom + SENTENCE.encode(codec), declared="cp932") == (SENTENCE, name, 0)


@pytest.mark.parametrize("data", [b"\xff\xfeA\x00B", b"\xef\xbb\xbfab\xe3\x81", codecs.BOM_UTF32_LE + b"A\0\0\0B"])
def test_a_last_character_cut_after_a_byte_order_mark_is_counted(data):
    result = decoded(data)
    assert result.text.endswith("\ufffd")
    assert result.replaced == 1


def test_iso_2022_comes_before_utf_8_and_before_a_declared_charset():
    data = SENTENCE.encode("iso2022_jp")
    assert data.isascii()
    assert decoded(data, declared="utf-8") == (SENTENCE, "iso2022_jp", 0)


@pytest.mark.parametrize("escape", [b"\x1b(B", b"\x1b[0m\x1b(B", b"\x1b(0", b"\x1b$", b"\x1b"])
def test_what_a_terminal_sends_is_not_iso_2022(escape):
    data = b"red " + escape + " 赤".encode()
    assert decoded(data) == (data.decode(), "utf-8", 0)


@given(st.text())
def test_valid_utf_8_comes_back_as_it_was(text):
    assume(not text.startswith("\ufeff"))
    assert decoded(text.encode(), declared="cp932") == (text, "utf-8", 0)


@pytest.mark.parametrize(
    ("declared", "codec", "text"),
    [
        ("Shift_JIS", "cp932", "①㈱髙島屋"),
        ("latin-1", "cp1252", "“naïve” – café €5"),
        ("gb2312", "gb18030", "朱镕基"),
        ("euc-kr", "cp949", "똠방각하"),
        ("big5", "cp950", "圍碁"),
        ("koi8-r", "koi8-r", "привет"),
    ],
)
def test_a_declared_charset_is_read_by_its_superset(declared, codec, text):
    assert decoded(text.encode(codec), declared) == (text, codecs.lookup(codec).name, 0)


def test_a_declared_charset_reads_what_its_own_encoder_wrote():
    text = "①㊤ ♥ éà"
    assert decoded(text.encode("shift_jisx0213"), "shift_jisx0213").text == text


def test_bytes_outside_the_superset_are_still_read_in_the_declared_charset():
    assert decoded(b"\x81 caf\xe9", declared="latin-1").text.endswith("café")


def test_a_declared_charset_that_does_not_fit_gives_way_to_the_evidence():
    assert decoded(SENTENCE.encode("euc_jp"), declared="ascii") == (SENTENCE, "euc_jp", 0)
    assert decoded(SENTENCE.encode("cp932"), declared="no such charset") == (SENTENCE, "cp932", 0)


@pytest.mark.parametrize("codec", ["cp932", "euc_jp"])
def test_short_japanese_phrases_are_told_apart(codec):
    pairs = [(phrase, phrase.encode(codec, "ignore")) for phrase in phrases()]
    pairs = [(phrase, data) for phrase, data in pairs if data.decode(codec) == phrase and not is_utf_8(data)]
    assert len(pairs) > 500
    assert [(phrase, decoded(data)) for phrase, data in pairs if decoded(data) != (phrase, codec, 0)] == []


@pytest.mark.parametrize("declared", [None, "euc-jp"])
def test_vendor_characters_in_euc_jp_do_not_turn_the_text_into_half_width_katakana(declared):
    data = b"\xad\xa1" + "番目の株式会社です".encode("euc_jp")
    assert decoded(data, declared).text == "①番目の株式会社です"


@pytest.mark.parametrize("codec", ["utf-8", "cp932", "euc_jp"])
def test_a_cut_last_character_costs_one_place_and_not_the_text(codec):
    for text in (SENTENCE, "日本語", "東京都の人口"):
        result = decoded(text.encode(codec)[:-1])
        assert result.text.startswith(text[:-1])
        assert result.replaced == 1


@pytest.mark.parametrize("text", [SENTENCE, "できました!五十五と出ました。", "天気予報によると雨。"])
def test_utf_8_that_has_lost_one_byte_is_not_read_as_cp932(text):
    data = text.encode()
    assert [i for i in range(len(data)) if decoded(data[:i] + data[i + 1 :]).encoding != "utf-8"] == []


@pytest.mark.parametrize("word", ["Größe", "naïve café"])
def test_western_text_of_no_declared_charset_does_not_become_other_text_without_a_word(word):
    assert decoded(word.encode("latin-1")).replaced > 0


@pytest.mark.parametrize(("data", "places"), [(b"caf\xe9!", 1), (b"\xff", 1), (b"a\xffb\xfe\xffc", 3)])
def test_the_last_resort_is_utf_8_and_counts_what_it_replaced(data, places):
    result = decoded(data)
    assert result == (data.decode("utf-8", "replace"), "utf-8", places)
    assert result.defects == (f"{places} undecodable place{'s' * (places > 1)} in utf-8",)


def test_evidence_that_begins_after_a_megabyte_of_ascii_is_looked_at():
    data = b"a" * (1 << 20) + b"\n" + SENTENCE.encode("euc_jp")
    assert decoded(data)[1:] == ("euc_jp", 0)


def test_a_broken_place_beyond_the_first_megabyte_is_counted():
    data = SENTENCE.encode("cp932") * 30_000 + b"\x81\x20" + SENTENCE.encode("cp932")
    assert len(data) > 1 << 20
    assert decoded(data)[1:] == ("cp932", 1)


@given(st.binary(max_size=80) | mixed, st.sampled_from([None, *ENCODINGS, *NO_CHARSETS, *RARE_CHARSETS]) | st.text())
@example(b"\xff", "\0")
@example(b"\xff", "\udc80")
@settings(max_examples=400)
def test_no_bytes_and_no_declaration_raise_and_the_text_can_be_written_again(data, declared):
    result = decoded(data, declared)
    assert result.text.encode("utf-8").decode("utf-8") == result.text


@pytest.mark.parametrize("name", NO_CHARSETS)
def test_codecs_that_are_no_charsets_are_passed_over(name):
    assert decoded(b"caf\xe9!", name) == ("caf\ufffd!", "utf-8", 1)


@given(st.binary(max_size=80) | mixed)
@settings(max_examples=300)
def test_every_replaced_place_is_counted(data):
    assume(not any("\ufffd".encode(codec) in data for codec in ("utf-8", "utf-16-le", "utf-16-be")))
    result = decoded(data)
    assert result.replaced == result.text.count("\ufffd")


@given(cut_bytes(), st.sampled_from([None, "latin-1", "cp932", "euc-jp", "utf-16-le"]))
@settings(max_examples=400)
@example((b"aaaa\x1b$BF|\x1b(B", [b"a", b"a", b"a", b"a", b"\x1b$BF|\x1b(B"]), None)
@example((b"aaaaaa\x1b$BF|", [b"a"] * 6 + [b"\x1b", b"$", b"B", b"F|"]), None)
def test_the_decision_over_pieces_is_the_decision_over_the_whole(cut, declared):
    data, pieces = cut
    assert b"".join(pieces) == data
    assert encoding_of(pieces, declared) == encoding_of([data], declared)


@given(st.binary(max_size=80) | mixed)
@settings(max_examples=300)
def test_decoding_line_by_line_gives_the_text_of_the_whole(data):
    lines = decoded_lines(io.BytesIO(data), encoding_of([data]))
    assert "".join(lines) == decoded(data).text


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data, sizes):
        self.rest, self.sizes = data, itertools.cycle(sizes)

    def readable(self):
        return True

    def readinto(self, buffer):
        n = min(next(self.sizes), len(buffer), len(self.rest))
        buffer[:n], self.rest = self.rest[:n], self.rest[n:]
        return n


WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
LINES = st.lists(st.sampled_from("aé日本上\u0a00\u0a0a\u0d0d😀\0\r\n\ufeff\ufffe\ufffd\ud800\udc0a\u2028\x85")).map(
    "".join
)


def lines_after_decoding(data, codec):
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode(codec, "replace"))


@given(LINES, st.sampled_from(WIDE), st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 3))
@settings(max_examples=400)
@example("一行目\n二行目\n三行目\n", "utf-16-le", [1], 0)
@example("\0\n", "utf-16-le", [1], 0)
def test_lines_of_utf_16_and_utf_32_are_those_of_the_decoded_text(text, codec, sizes, lost):
    bom, data = "\ufeff".encode(codec), text.encode(codec, "surrogatepass")
    data = data[: len(data) - lost]
    plain = codec.removesuffix("-le").removesuffix("-be")
    ways = [(bom, codec), (bom, plain)]
    if not data.startswith(tuple(whole for whole, _ in BOMS)):
        ways.append((b"", codec))
        ways += [(b"", plain)] * codec.endswith("-le")
    if codec != "utf-16-le" or not data.startswith(b"\0\0"):
        ways += [(bom, None), (bom, "utf-8")]
    for mark, declared in ways:
        read = list(decoded_each(io.BufferedReader(Trickle(mark + data, sizes), 16), declared))
        assert [line.text for line in read] == lines_after_decoding(data, codec)
        assert (
            "".join(decoded_lines(io.BytesIO(mark + data), encoding_of([mark + data], declared)))
            == decoded(mark + data, declared).text
        )
        assert decoded(mark + data, declared).text == data.decode(codec, "replace")
        try:
            data.decode(codec)
        except UnicodeDecodeError:
            assert sum(line.replaced for line in read) > 0
        else:
            assert sum(line.replaced for line in read) == 0


@pytest.mark.parametrize("mark", [b"", b"\xff\xfe", b"\xff\xfe\0\0", b"\0\0\xfe\xff"])
@pytest.mark.parametrize("declared", [None, "utf-8", "utf-32", "utf-32-be"])
def test_a_stream_without_lines_has_none(mark, declared):
    assert list(decoded_each(io.BytesIO(mark), declared)) == []


@pytest.mark.parametrize("codec", ["utf-8", *WIDE])
def test_a_line_is_read_before_the_next_one_comes(never_hangs, codec):
    read, write = os.pipe()
    with open(read, "rb") as stream, open(write, "wb", buffering=0) as sender:  # noqa: PTH123
        lines = decoded_each(stream, codec)
        for word in ("one", "上", "\u0a0a", ""):
            sender.write(f"{word}\n".encode(codec))
            assert next(lines).text == f"{word}\n"


@pytest.mark.parametrize("name", ["no-such-charset", "", "\0", "日本", *NO_CHARSETS])
def test_an_encoding_that_is_none_is_refused_by_name(name):
    with pytest.raises(InputError, match=re.escape(repr(name))):
        check_charset(name)


def test_half_a_character_in_utf_7_is_counted():
    assert decoded(b"a+2AA-b", "utf-7") == ("a\ufffdb", "utf-7", 1)


@pytest.mark.parametrize("text", ["Größe", "naïve café", "élève déjà vu", "“quoted” – €5"])
def test_where_western_text_is_expected_the_last_resort_is_cp1252(text):
    assert decoded(text.encode("cp1252"), western=True)[:2] == (text, "cp1252")


@pytest.mark.parametrize("codec", ["cp932", "euc_jp"])
def test_where_western_text_is_expected_kana_prove_japanese(codec):
    assert decoded(SENTENCE.encode(codec), western=True) == (SENTENCE, codec, 0)
    assert decoded("東京".encode(codec), western=True).encoding == "cp1252"


def test_stray_bytes_in_cp932_are_counted_and_not_made_up_characters():
    result = decoded("今日は晴れです。".encode("cp932") + b"\xff " + "明日は雨です。".encode("cp932"))
    assert result == ("今日は晴れです。\ufffd 明日は雨です。", "cp932", 1)


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "euc_jp", "iso2022_jp", "utf-16"])
def test_every_bundled_text_comes_back_from_every_japanese_encoding(encoding):
    texts = [document.text for document in read_corpus(JA_MINI / "train")]
    written = [text for text in texts if text == text.encode(encoding, "ignore").decode(encoding)]
    assert len(written) > 410  # the others have characters that the encoding does not have
    wrong = [
        text for text in written if decoded(text.encode(encoding)).text.replace("～", "〜") != text.replace("～", "〜")
    ]
    assert wrong == []

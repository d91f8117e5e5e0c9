import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textnb.readers import decoded
from textnb.readers.iso2022 import decoded_iso2022_jp, decoded_iso2022_jp_lines

# cp932 writes these six characters of JIS X 0208 with other code points
CP932_FORMS = str.maketrans("〜‖−¢£¬", "～∥－￠￡￢")


def encoded_by(codec, escape):
    """Every character that the library's codec writes after the escape, with its bytes."""
    for code in [*range(0xA0, 0xD800), *range(0xE000, 0x2FA20)]:
        try:
            data = chr(code).encode(codec)
        except UnicodeEncodeError:
            continue
        if data.startswith(escape):
            yield chr(code), data


def jis_of(shift_jis):
    """The JIS code of a Shift_JIS pair: the inverse of what the reader does, by the arithmetic of JIS X 0208."""
    lead, trail = shift_jis
    row = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 2 + (trail >= 0x9F)
    cell = trail - 0x9F if trail >= 0x9F else trail - 0x40 - (trail > 0x7F)
    return bytes([row + 0x21, cell + 0x21])


def test_every_character_of_jis_x_0208_is_read():
    pairs = list(encoded_by("iso2022_jp", b"\x1b$B"))
    assert len(pairs) > 6800
    assert [(c, got) for c, data in pairs if (got := decoded_iso2022_jp(data)) != c.translate(CP932_FORMS)] == []


def test_every_vendor_character_of_cp932_is_read():
    cp932 = {}
    for lead in [*range(0x81, 0xA0), *range(0xE0, 0xF0)]:
        for trail in [*range(0x40, 0x7F), *range(0x80, 0xFD)]:
            text = bytes([lead, trail]).decode("cp932", "replace")
            if "\ufffd" not in text:
                cp932[jis_of((lead, trail))] = text
    assert {"①", "㈱", "髙", "﨑"} <= set(cp932.values())
    assert {code: decoded_iso2022_jp(b"\x1b$B" + code + b"\x1b(B") for code in cp932} == cp932


@pytest.mark.parametrize(
    ("codec", "escape", "least"),
    [
        ("iso2022_jp_ext", b"\x1b(I", 63),
        ("iso2022_jp_ext", b"\x1b$(D", 5800),
        ("iso2022_jp_2004", b"\x1b$(Q", 1000),
        ("iso2022_jp_2004", b"\x1b$(P", 2000),
        ("iso2022_jp_3", b"\x1b$(O", 1000),
    ],
)
def test_every_character_of_the_further_sets_is_read(codec, escape, least):
    pairs = list(encoded_by(codec, escape))
    assert len(pairs) >= least
    assert [(c, got) for c, data in pairs if (got := decoded(data)) != (c, "iso2022_jp", 0)][:5] == []


@pytest.mark.parametrize("end", [b"", b"\nabc", b"\r\nabc", b"\rabc"])
def test_without_the_final_escape_the_next_line_is_ascii_again(end):
    assert decoded(b"abc \x1b$BF|K\\" + end) == ("abc 日本" + end.decode(), "iso2022_jp", 0)


@pytest.mark.parametrize(
    ("body", "text"),
    [(b"F|K", "日\ufffd"), (b"K", "\ufffd"), (b"F|K\n", "日\ufffd\n"), (b"F|K \x1b(Bok", "日\ufffd ok")],
)
def test_half_a_character_is_one_replaced_place(body, text):
    assert decoded(b"\x1b$B" + body) == (text, "iso2022_jp", 1)


@pytest.mark.parametrize("code", [b")!", b"*!", b"*~", b"u!"])
def test_a_code_of_no_character_costs_one_place_and_nothing_after_it(code):
    assert decoded(b"\x1b$BF|" + code + b"K\\\x1b(B ok") == ("日\ufffd本 ok", "iso2022_jp", 1)


def test_utf_8_outside_the_escapes_is_kept_and_other_bytes_are_counted():
    data = "é".encode() + b"\x1b$BF|\x1b(B\xff"
    assert decoded(data) == ("é日\ufffd", "iso2022_jp", 1)


@given(st.text(alphabet='日本語の文章ｱｲｳ丂丄 abc,"\n', max_size=40))
def test_what_the_library_writes_comes_back(text):
    assert decoded_iso2022_jp(text.encode("iso2022_jp_ext")) == text


chunks = st.sampled_from(
    [b"\x1b$B", b"\x1b$(D", b"\x1b$(Q", b"\x1b$(O", b"\x1b(I", b"\x1b(B", b"\x1b$(C", b"\n", b"F|"]
)


@given(st.lists(chunks | st.binary(max_size=5), max_size=12).map(b"".join))
@example(b"\x1b$(D \n")
@settings(max_examples=300)
def test_any_bytes_after_any_escapes_are_read_and_keep_their_lines(data):
    assert decoded_iso2022_jp(data).count("\n") == data.count(b"\n")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b$B%+\x1b(J\xb6\xc5\x1b(B", "カｶﾅ"),
        (b"\x1b$B%+\x1b(B\x0e6E\x0fx", "カｶﾅx"),
        (b"\x1b&@\x1b$BF|K\\\x1b(B", "日本"),
        (b"\x1b$B%+\x1b$A2b\x1b(B", "カ测"),
        (b"\x1b$B-!-j|b\x1b(B ok", "①㈱髙 ok"),
        (b"\x1b$@F|K\\\x1b(J ok", "日本 ok"),
        (b"\x1b$BF| K\\\tF|", "日 本\t日"),
        (b"a\x1b$B\x1b(Bb", "ab"),
    ],
    ids=["eight bits", "shifted", "announced", "Chinese", "vendor", "older escape and JIS Roman", "spaces", "empty"],
)
def test_rarer_ways_of_writing_are_read(data, text):
    assert decoded(data) == (text, "iso2022_jp", 0)


PIECES = st.sampled_from([b"$B", b"$@", b"(B", b"(J", b"(I", b"$A"]).map(lambda designation: b"\x1b" + designation)
PIECES |= st.sampled_from(
    [b"!A!B!]!q!r", b'"L', b"F|K\\", b"-!", b"a", b"\\~", b"\n", b"\r\n", b" ", b"\x0e", b"\xb1", b"\x1b"]
)


def one_by_one(data):
    """The same without the way for what is usual."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textnb.readers.iso2022._usual", lambda _: None)
        return decoded_iso2022_jp(data)


@settings(max_examples=100)
@given(st.lists(PIECES, max_size=10))
def test_what_is_usual_is_read_as_all_else_is(pieces):
    data = b"".join(pieces)
    assert decoded_iso2022_jp(data) == one_by_one(data)


def test_every_pair_is_read_the_same_in_one_go():
    for high in range(0x21, 0x7F):
        for low in range(0x21, 0x7F):
            data = b"\x1b$B" + bytes([high, low]) + b"\x1b(B"
            assert decoded_iso2022_jp(data) == one_by_one(data)


ENGLISH = ["See you.", "abcd", "Dear Mr. Smith,", "> quoted text", "http://example.com/", "-- ", "$100", "50%", "a", ""]
JAPANESE = ["日本語", "本日はお知らせです。", "テスト", "東京", "ありがとうございました", "①㈱"]


def in_set(text):
    """The codes of a text in the two-byte set, without escapes."""
    return b"".join(jis_of(c.encode("cp932")) for c in text)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("lines", [1, 2, 5, 99, 100])
def test_the_two_byte_set_continues_over_line_ends_up_to_the_escape_back(lines, end):
    texts = [JAPANESE[i % 5] for i in range(lines + 1)]
    data = b"abc\x1b$B" + end.join(map(in_set, texts)) + b"\x1b(B def" + end + b"ghij" + end
    read = decoded_iso2022_jp(data)
    assert read == "abc" + end.decode().join(texts) + " def" + (end + b"ghij" + end).decode()
    assert read == data.decode("iso2022_jp")


@pytest.mark.parametrize("lines", [101, 1000])
def test_the_two_byte_set_ends_after_a_hundred_lines(lines):
    data = b"\x1b$B" + b"F|\n" * lines + b"\x1b(B"
    assert decoded_iso2022_jp(data) == "日\n" + "F|\n" * (lines - 1)


@pytest.mark.parametrize("escape", [b"", b"\x1b$B", b"\x1b(I"])
def test_a_cut_text_continues_where_it_is_kana(escape):
    texts = ["お知らせ", "これはテストです", "ありがとう"]
    data = b"\x1b$B" + b"\n".join(map(in_set, texts))
    assert decoded_iso2022_jp(data + b"\nabcd\n" + escape) == "\n".join([*texts, "abcd", ""])


@pytest.mark.parametrize("english", ENGLISH)
@pytest.mark.parametrize("then", [b"", b"\x1b$BF|K\\\x1b(B", b"\x1b(Babc"])
def test_after_a_lost_escape_english_is_read_as_such(english, then):
    data = b"\x1b$BF|K\\\n" + english.encode() + b"\nmore words in English.\n" + then
    assert decoded_iso2022_jp(data).startswith(f"日本\n{english}\nmore words in English.\n")


@given(
    st.lists(
        st.sampled_from(
            [
                *map(str.encode, ENGLISH),
                *map(in_set, JAPANESE),
                b"\x1b$B",
                b"\x1b(B",
                b"\x0e",
                b"\xb1",
                b"\xc3\xa9",
                b"\x1b",
                b"\n",
                b"\n" * 99,
                b"\r",
            ]
        )
    )
)
@settings(max_examples=300)
def test_lines_are_those_of_the_whole(pieces):
    data = b"".join(pieces)
    lines = list(decoded_iso2022_jp_lines(io.BytesIO(data)))
    assert "".join(lines) == decoded_iso2022_jp(data)
    assert all(line.endswith("\n") for line in lines[:-1])
    assert len(lines) == data.count(b"\n") + (
        not data.endswith(b"\n") and decoded_iso2022_jp(data)[-1:] not in ("", "\n")
    )


@pytest.mark.parametrize("line", [b"\x1b$B\n", b"\x1b$BF|\n", b"\x1b$B\n\x1b(B\n", b"\x1b$B\nF|\x1b", b"\n"])
def test_many_open_lines_take_time_in_proportion(never_hangs, line):
    data = b"\x1b$BF|\n" + line * (300_000 // len(line))
    assert decoded_iso2022_jp(data).count("\n") == data.count(b"\n")

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.text.morphemes import LONGEST, pieces


@given(text=st.text(st.sampled_from("犬a。！」 　\n\r"), max_size=60), longest=st.integers(1, 20))
def test_pieces_are_the_text_cut_into_parts_that_are_short_enough(text, longest):
    cut = list(pieces(text, longest))
    assert "".join(piece for _, piece in cut) == text
    assert all(text[start : start + len(piece)] == piece for start, piece in cut)
    assert all(0 < len(piece) <= longest for _, piece in cut) or cut == [(0, "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("犬だ。\n猫だ。鳥だ 虫だ", ["犬だ。\n", "猫だ。", "鳥だ 虫だ"]),
        ("「犬だ。」「猫だ。」「鳥だ。」", ["「犬だ。」", "「猫だ。」", "「鳥だ。」"]),
        ("犬 猫 鳥 虫 魚", ["犬 猫 鳥 ", "虫 魚"]),
        ("犬猫鳥虫魚貝蛇熊", ["犬猫鳥虫魚貝蛇", "熊"]),
        ("犬！？猫だだだだ", ["犬！？", "猫だだだだ"]),
        ("犬猫鳥虫魚貝蛇", ["犬猫鳥虫魚貝蛇"]),
        ("", [""]),
    ],
)
def test_a_line_ends_a_piece_rather_than_a_sentence_and_a_sentence_rather_than_a_space(text, expected):
    assert [piece for _, piece in pieces(text, longest=7)] == expected


def test_the_longest_piece_has_fewer_bytes_than_the_analysers_can_count():
    assert LONGEST * len("😀".encode()) <= 49_149

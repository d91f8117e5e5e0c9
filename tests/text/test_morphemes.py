"""Optional packages where they are missing, and pieces of long texts."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.text import morphemes, tokenizer, tokenizer_of
from textnb.text.morphemes import LONGEST, PACKAGES, installed_version, pieces

MESSAGES = {
    "mecab": "tokenizer 'mecab' needs fugashi and ipadic: pip install 'textnb[mecab]'",
    "sudachi": "tokenizer 'sudachi' needs sudachipy and sudachidict_core: pip install 'textnb[sudachi]'",
}
every_missing_package = pytest.mark.parametrize(
    ("name", "package"), [(name, package) for name, packages in PACKAGES.items() for package in packages]
)


@every_missing_package
def test_a_tokenizer_without_its_packages_is_refused_when_it_is_made(name, package, monkeypatch):
    monkeypatch.setattr(morphemes, "find_spec", lambda asked: None if asked == package else object())
    for make in (lambda: tokenizer(name), lambda: tokenizer_of({"name": name, "version": "1", "params": {}})):
        with pytest.raises(InputError) as caught:
            make()
        assert str(caught.value) == MESSAGES[name]


@pytest.mark.parametrize("error", [ModuleNotFoundError("blocked"), ValueError("__spec__ is None")], ids=repr)
def test_a_package_that_cannot_be_looked_for_is_absent(error, monkeypatch):
    def find_spec(package):
        raise error

    monkeypatch.setattr(morphemes, "find_spec", find_spec)
    with pytest.raises(InputError, match="needs fugashi and ipadic"):
        tokenizer("mecab")


@every_missing_package
def test_a_package_without_a_version_is_absent_too(name, package, monkeypatch):
    def version(asked):
        raise PackageNotFoundError(asked)

    monkeypatch.setattr("importlib.metadata.version", version)
    with pytest.raises(InputError) as caught:
        installed_version(name, package)
    assert str(caught.value) == MESSAGES[name]


def test_making_a_tokenizer_imports_none_of_its_packages():
    packages = [package for needed in PACKAGES.values() for package in needed]
    code = (
        "import sys; from textnb.errors import InputError; from textnb.text import tokenizer, tokenizer_of\n"
        f"for name in {list(PACKAGES)}:\n"
        "    try: tokenizer_of(tokenizer(name).recipe)\n"
        "    except InputError as error: assert 'pip install' in str(error)\n"
        f"print([name for name in {packages} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


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

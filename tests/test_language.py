import ast
from pathlib import Path
from string import Formatter

import pytest

import textnb
from textnb.cli.options.report import of_locale
from textnb.errors import InputError
from textnb.language import _JAPANESE, LANGUAGES, Language, language_of

SOURCES = [path for folder in ("report", "cli") for path in (Path(textnb.__file__).parent / folder).rglob("*.py")]


def strings():
    """Every string that stands in the sources, but for the table itself."""
    for path in SOURCES:
        if path.name != "language.py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def said():
    """Every phrase that is said as it stands."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("say", "language"):
                for argument in node.args[:1]:
                    if isinstance(argument, ast.Constant) and path.parent.name == "report":
                        yield argument.value


def test_every_phrase_that_is_said_has_its_japanese():
    assert set(said()) <= _JAPANESE.keys()


def test_no_phrase_is_translated_in_vain():
    named_elsewhere = {"stale", "none", "calibrated", "held-out", "(bias)", "(rest)", "(absent terms)", "(unknown)"}
    named_elsewhere |= {"left-out accuracy", "left-out log loss"}  # in classifier/facts.py
    assert _JAPANESE.keys() - named_elsewhere <= set(strings())


def names_in(phrase):
    return {name for _, name, _, _ in Formatter().parse(phrase) if name}


def test_both_languages_take_the_same_values():
    assert list(map(names_in, _JAPANESE)) == list(map(names_in, _JAPANESE.values()))


def test_a_phrase_is_said_in_the_language_and_a_users_own_word_stays():
    assert [Language(code)("accuracy") for code in LANGUAGES] == ["accuracy", "正解率"]
    assert [Language("ja").name(word) for word in ("accuracy", "my column")] == ["正解率", "my column"]
    assert Language("ja").of_class("accuracy") == "accuracy"
    assert Language("ja").of_class("(unknown)") == "(未知)"


def test_a_phrase_without_japanese_is_an_error_in_english_too():
    with pytest.raises(KeyError):
        Language("en")("never heard of")


def test_another_language_is_refused():
    with pytest.raises(InputError, match="unknown language 'fr'; use en or ja"):
        Language("fr")


@pytest.mark.parametrize(
    ("environment", "code"),
    [({"LANG": "ja_JP.UTF-8"}, "ja"), ({"LANG": "C", "LC_MESSAGES": "ja_JP"}, "ja"), ({"LANG": "de_DE"}, "en"),
     ({}, "en"), ({"LC_ALL": "en_US", "LANG": "ja_JP"}, "en"), ({"LC_ALL": "", "LANG": "ja_JP"}, "ja")],
)  # fmt: skip
def test_the_locale_says_which_language(environment, code):
    assert of_locale(environment) == code


def test_a_text_with_kana_is_japanese():
    assert [language_of(text) for text in ("カメラ", "の", "北京", "abc", "")] == ["ja", "ja", None, None, None]

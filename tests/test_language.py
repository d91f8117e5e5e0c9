import errno
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from string import Formatter

import pytest

from textnb.errors import InputError, Phrase
from textnb.language import (
    LANGUAGES,
    Language,
    cells_of,
    entries,
    language_of,
    of_environment,
    template_of,
    translations,
)

SCRIPT = Path(__file__).parent.parent / "scripts" / "translations.py"
JAPANESE = Language("ja")


@pytest.fixture(scope="module")
def found():
    """The texts that must have a translation, and those that have one in vain."""
    spec = importlib.util.spec_from_file_location("translations", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_text_has_its_japanese(found):
    assert len(found.found()) > 600
    missing = [f"{place}: {text}" for text, place in found.missing().items()]
    assert missing == [], "add to textnb/japanese.po (scripts/translations.py --write):\n" + "\n".join(missing)


def test_no_text_is_translated_in_vain(found):
    assert found.unused() == []


def test_a_text_that_is_not_translated_is_noticed(found, monkeypatch):
    gone = ["unknown class {name!r}; the model has {known}", "Number of folds.", "precision reached", "with --json"]
    kept = {english: japanese for english, japanese in translations().items() if english not in gone}
    monkeypatch.setattr(found, "translations", lambda: kept)
    assert set(found.missing()) == set(gone)


def test_every_entry_is_there_once_and_has_its_japanese(found):
    english = [one for one, _ in entries(found.PO_FILE.read_text(encoding="utf-8"))]
    assert len(english) == len(set(english))
    assert [one for one, other in entries(found.PO_FILE.read_text(encoding="utf-8")) if not other] == []


def values_in(phrase):
    return {(name, form, way) for _, name, form, way in Formatter().parse(phrase) if name}


def test_both_languages_take_the_same_values():
    pairs = {english: (values_in(english), values_in(japanese)) for english, japanese in translations().items()}
    assert [english for english, (one, other) in pairs.items() if one != other] == []


OTHER_WORDS = ["格子探索", "動詞", "計数行列", "閾値", "保留", "逆斜線", "級", "フォルダ(?!ー)", "サーバ(?!ー)"]
"""Words that others stand for: グリッドサーチ, サブコマンド, 単語頻度行列, しきい値, 要確認, クラス and so on."""


@pytest.mark.parametrize("other", OTHER_WORDS)
def test_one_word_stands_for_one_idea(other):
    assert [japanese for japanese in translations().values() if re.search(other, japanese)] == []


@pytest.mark.parametrize("name", ["README.ja.md", "docs/guide.ja.md", "docs/mail.ja.md", "docs/tables.ja.md"])
def test_the_documentation_has_the_same_words(name):
    text = (SCRIPT.parent.parent / name).read_text(encoding="utf-8")
    others = [each for each in OTHER_WORDS if each != "動詞"]  # a part of speech, too
    assert [other for other in others if re.search(other, text)] == []


def test_unsure_is_one_word_in_japanese():
    said = [other for one, other in translations().items() if re.search(r"\bunsure\b", one) and "--unsure" not in one]
    assert len(said) > 10
    assert [japanese for japanese in said if "要確認" not in japanese and "unsure" not in japanese] == []


def test_a_phrase_is_said_in_the_language_and_a_users_own_word_stays():
    assert [Language(code)("accuracy") for code in LANGUAGES] == ["accuracy", "正解率"]
    assert [JAPANESE.name(word) for word in ("accuracy", "my column")] == ["正解率", "my column"]
    assert JAPANESE.of_class("accuracy") == "accuracy"
    assert JAPANESE.of_class("(unknown)") == "(未知)"


def test_an_error_is_said_in_japanese_with_its_values_and_with_the_error_within_it():
    inner = InputError("unknown class {name!r}; the model has {known}", name="x", known="a, b")
    error = InputError("{path} cannot be read: {error}", path="news.csv", error=inner)
    assert str(error) == "news.csv cannot be read: unknown class 'x'; the model has a, b"
    assert JAPANESE.error(error) == "news.csv を読めません: 未知のクラス 'x' です。モデルのクラスは a, b です"
    assert Language("en").error(error) == str(error)


def test_what_a_user_has_written_is_not_translated():
    template = "{corpus} has only one class, {name!r}, which will be the answer to every document"
    error = InputError(template, corpus="documents", name="accuracy")
    assert "accuracy" in JAPANESE.error(error)
    assert JAPANESE.error(error).startswith("documents に")
    assert "表" in JAPANESE.message("{kind}", kind=Phrase("a table"))
    assert JAPANESE.message("{kind}", kind="a table") == "a table"


def test_an_error_of_the_system_is_said_in_japanese():
    error = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "x.csv")
    assert JAPANESE.error(error) == "ファイルまたはフォルダーがありません: 'x.csv'"
    assert JAPANESE.error(InputError("{path} cannot be written: {why}", path="a", why="Permission denied")) == (
        "a に書き込めません: アクセス権がありません"
    )


def test_a_text_with_its_values_is_recognised_by_its_template():
    text = "news: 2 bad records were skipped (a: b; c: d)"
    assert JAPANESE.filled(text) == "news: 不正な 2 レコードを飛ばしました(a: b; c: d)"
    assert JAPANESE.filled("nothing of textnb's (at all)") == "nothing of textnb's (at all)"
    assert template_of("the end of it: a sentence over another, and on it goes " * 9) is None


@pytest.mark.parametrize(
    ("text", "japanese"),
    [
        ("no column 'x' among a, b; did you mean 'a'?", "列 'x' が a, b の中にありません。'a' ですか。"),
        ("x: 2 bad records were skipped (x.csv, line 2: no text in 'a'; b.csv: other)",
         "x: 不正な 2 レコードを飛ばしました(x.csv, line 2: 'a' に本文がありません; b.csv: other)"),
        ("x: defects in 1 of 2 messages; everything readable was read (7: header: no charset declared, read as cp932)",
         "x: 2 通のうち 1 通に不備がありました。読める部分はすべて読みました"
         "(7: ヘッダー: 文字コードの指定がなく、cp932 として読みました)"),
    ],
)  # fmt: skip
def test_reasons_and_examples_within_a_message_are_translated(text, japanese):
    assert JAPANESE.filled(text) == japanese


def test_another_language_is_refused():
    with pytest.raises(InputError, match="unknown language 'fr'; use en or ja"):
        Language("fr")


@pytest.mark.parametrize(
    ("environment", "code"),
    [({"LANG": "ja_JP.UTF-8"}, "ja"), ({"LANG": "C", "LC_MESSAGES": "ja_JP"}, "ja"), ({"LANG": "de_DE"}, "en"),
     ({}, "en"), ({"LC_ALL": "en_US", "LANG": "ja_JP"}, "en"), ({"LC_ALL": "", "LANG": "ja_JP"}, "ja"),
     ({"TEXTNB_LANG": "ja"}, "ja"), ({"TEXTNB_LANG": "en", "LC_ALL": "ja_JP.UTF-8"}, "en"),
     ({"TEXTNB_LANG": "", "LANG": "ja_JP"}, "ja"), ({"TEXTNB_LANG": "ja", "LC_ALL": "C"}, "ja"),
     ({"LANG": "ja_JP", "LANGUAGE": "en:ja"}, "en"), ({"LANG": "C.UTF-8", "LANGUAGE": "ja"}, "en")],
)  # fmt: skip
def test_the_locale_says_which_language(environment, code):
    assert of_environment(environment) == code


def test_a_text_with_kana_is_japanese():
    assert [language_of(text) for text in ("カメラ", "の", "北京", "abc", "")] == ["ja", "ja", None, None, None]


def test_a_wide_character_takes_two_cells():
    assert [cells_of(text) for text in ("", "abc", "要確認", "ｱ", "é")] == [0, 3, 6, 1, 1]


def test_translations_are_read_only_for_japanese():
    program = "import textnb.cli as c, textnb.language as l; c.app(['train', '--help'], standalone_mode=False);"
    program += "import sys; print(l.translations.cache_info().misses, file=sys.stderr)"
    for code, reads in (("en", "0"), ("ja", "1")):
        command, environment = [sys.executable, "-c", program], {**os.environ, "TEXTNB_LANG": code}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stderr.strip() == reads

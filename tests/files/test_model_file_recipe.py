import sys

import numpy as np
import pytest
from small_models import fitted, rewritten

from textnb import TextClassifier
from textnb.errors import InputError, ModelFileError, RecipeWarning, UntrustedError
from textnb.text import Tokenizer, tokenizer

SPY = """
from pathlib import Path
Path(__file__).with_name("imported").touch()
def cut(text):
    return text.upper().split()
def halves(text):
    return ["?", "\\ud800", "\\ud801"]
"""


@pytest.fixture
def path(tmp_path):
    fitted().save(tmp_path / "model.textnb")
    return tmp_path / "model.textnb"


def with_recipe(path, **parts):
    rewritten(path, "model", lambda header, _: header["recipe"].update(parts))


def with_tokenizer(path, name, version="1", params=None):
    with_recipe(path, tokenizer={"name": name, "version": version, "params": params or {}})


@pytest.fixture
def spy(tmp_path, monkeypatch):
    """A module of its own for every test, since what was imported once is remembered; and its trace when imported."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"{tmp_path.name}.py").write_text(SPY, encoding="utf-8")
    yield tmp_path.name, tmp_path / "imported"
    sys.modules.pop(tmp_path.name, None)


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"tokenizer": {"name": "kuromoji", "version": "1", "params": {}}}, "unknown tokenizer 'kuromoji'"),
        ({"tokenizer": {"name": "chars", "version": "1", "params": {"m": 2}}}, "no parameter 'm'"),
        ({"tokenizer": {"name": "chars", "version": "1", "params": {"n": "2"}}}, "n of the tokenizer 'chars'"),
        ({"tokenizer": {"name": "chars"}}, "tokenizer"),
        ({"tokenizer": []}, "tokenizer"),
        ({"tokenizer": {"name": "python", "version": "1", "params": {"path": None}}}, "None"),
        ({"tokenizer": {"name": "python", "version": "1", "params": {"path": ["os:system"]}}}, "system"),
        ({"tokenizer": {"name": "janome", "version": "1", "params": {"user_dictionary": {"csv": 5}}}}, "model.textnb"),
        ({"analyzer": {"stemmer": "porter"}}, "no parameter 'stemmer'"),
        ({"analyzer": {"normalisers": ["lower"]}}, "unknown normaliser 'lower'"),
        ({"analyzer": []}, "model.textnb"),
        ({"analyzer": None}, "model.textnb"),
        ({"weighting": "bm25"}, "unknown weighting 'bm25'"),
        ({"weighting": []}, "model.textnb"),
        ({"model": {"name": "gpt", "params": {"alpha": 1, "prior": "uniform"}}}, "unknown model 'gpt'"),
        ({"model": {"name": "multinomial", "params": {"alpha": -1, "prior": "uniform"}}}, "alpha"),
        ({"model": {"name": "multinomial", "params": {"alpha": 10**400, "prior": "uniform"}}}, "model.textnb"),
        ({"model": {"name": "multinomial", "params": {"alpha": 1, "prior": None}}}, "model.textnb"),
        ({"model": {"name": "multinomial", "params": {"alpha": 1, "prior": [10**400]}}}, "model.textnb"),
        ({"model": None}, "model.textnb"),
    ],
)
def test_a_recipe_that_cannot_be_followed_is_refused(path, parts, complaint):
    with_recipe(path, **parts)
    with pytest.raises(ModelFileError, match=complaint):
        TextClassifier.load(path)


def test_a_python_tokenizer_is_not_imported_unless_it_is_trusted(path, spy):
    module, trace = spy
    with_tokenizer(path, "python", params={"path": f"{module}:cut"})
    for trust in [(), [module], ["other:cut"]]:
        with pytest.raises(UntrustedError, match=f"'{module}:cut'; trust it by name"):
            TextClassifier.load(path, trust=trust)
    assert module not in sys.modules
    assert not trace.exists()
    assert TextClassifier.load(path, trust=[f"{module}:cut"]).explain("a b").contributions == ()
    assert trace.exists()


def test_a_python_tokenizer_in_the_place_of_a_name_is_not_imported_either(path, spy):
    module, trace = spy
    with_tokenizer(path, f"{module}:cut")
    with pytest.raises(ModelFileError, match=f"{module}:cut"):
        TextClassifier.load(path).predict(["a"])
    assert not trace.exists()


def test_a_python_tokenizer_comes_back_when_trusted(tmp_path, spy):
    classifier = fitted(tokenizer=f"{spy[0]}:cut")
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", trust={f"{spy[0]}:cut"})
    assert loaded.learnt.counts.vocabulary.terms == ("A", "B", "C", "塩", "梅")
    np.testing.assert_array_equal(loaded.predict_proba(["A b"]), classifier.predict_proba(["A b"]))


def test_a_user_dictionary_travels_inside_the_model(tmp_path):
    dictionary = tmp_path / "user.csv"
    dictionary.write_text("梅干し漬け,カスタム名詞,ウメボシヅケ\n", encoding="utf-8")
    texts, labels = ["梅干し漬けを作る", "試合に勝つ"], ["cooking", "sport"]
    cut = tokenizer("janome", user_dictionary=str(dictionary))
    classifier = TextClassifier(tokenizer=cut).fit(texts, labels)
    assert "梅干し漬け" in classifier.learnt.counts.vocabulary
    classifier.save(tmp_path / "model")
    dictionary.unlink()
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.recipe.tokenizer("梅干し漬けは好き")[0] == "梅干し漬け"
    np.testing.assert_array_equal(loaded.predict_proba(texts), classifier.predict_proba(texts))
    assert str(dictionary).encode() not in (tmp_path / "model").read_bytes()


def test_a_model_file_cannot_make_another_file_be_read(path, tmp_path):
    (tmp_path / "secret").write_text("password,名詞,ヒミツ\n", encoding="utf-8")
    version = tokenizer("janome").version
    with_tokenizer(path, "janome", version, {"user_dictionary": str(tmp_path / "secret")})
    with pytest.raises(ModelFileError, match="user_dictionary"):
        TextClassifier.load(path)


def test_another_version_of_the_tokenizer_is_told(path):
    with_tokenizer(path, "janome", "janome-0.0.1")
    with pytest.warns(RecipeWarning, match=r"'janome' was janome-0.0.1 and is janome-\d"):
        TextClassifier.load(path)


def test_what_could_not_be_loaded_again_is_not_saved(tmp_path):
    class Own(Tokenizer):
        name = "own"

        def tokens(self, text):
            return tokenizer("words").tokens(text)

    with pytest.raises(InputError, match="own"):
        fitted(tokenizer=Own()).save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_terms_that_no_encoding_can_write_do_not_spoil_the_file(tmp_path, spy):
    classifier = fitted(tokenizer=f"{spy[0]}:halves")
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", trust=[f"{spy[0]}:halves"])
    assert loaded.learnt == classifier.learnt


def test_a_setting_that_no_encoding_can_write_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=r"stop_words|UTF-8"):
        fitted(tokenizer=tokenizer("janome", stop_words=["\ud800"])).save(tmp_path / "model")

import tomllib

import pytest
from made_corpora import recipe

from textnb import Analyzer, TextClassifier
from textnb.comparison import read_recipes
from textnb.comparison.recipes import as_toml, parts_of, recipe_of
from textnb.errors import InputError
from textnb.models.registry import MODELS
from textnb.text import tokenizer

WRITTEN = """
[[recipe]]
model = "complement"
alpha = 0.5
weight_norm = true
ngram = "1-2"
min_df = 2

[[recipe]]
name = "nouns"
tokenizer = {name = "janome", pos = ["名詞"]}
normalise = ["nfkc", "casefold"]
prior = {x = 0.25, y = 0.75}
calibrate = false
"""


def read(tmp_path, text, **settings):
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    return read_recipes(tmp_path / "r.toml", recipe(calibrate=True), **settings)


def test_recipes_have_what_the_file_says_and_the_default_for_the_rest(tmp_path):
    found = read(tmp_path, WRITTEN)
    assert [*found] == ["complement", "nouns"]
    first, second = found.values()
    assert (first.model, first.alpha, first.options["weight_norm"]) == ("complement", 0.5, True)
    assert (first.analyzer, first.tokenizer, first.calibrate) == (
        Analyzer(ngram=(1, 2), min_df=2),
        tokenizer("whitespace"),
        True,
    )
    assert (second.model, second.alpha, second.calibrate) == ("multinomial", "leave-one-out", False)
    assert second.tokenizer == tokenizer("janome", pos=("名詞",))
    assert second.analyzer == Analyzer(normalisers=["nfkc", "casefold"], terms=["words", "chars"])
    assert second.prior == {"x": 0.25, "y": 0.75}


@pytest.mark.parametrize("model", MODELS)
def test_parts_make_the_recipe_again(model):
    analyzer = Analyzer(normalisers=["nfkc"], ngram=(1, 2), max_df=0.5, max_terms=9)
    for one in (recipe(model, calibrate=True), recipe(model, analyzer=analyzer, prior="uniform")):
        assert recipe_of(parts_of(one), TextClassifier().recipe).json == one.json


@pytest.mark.parametrize("cut", [tokenizer("chars", n=(2, 3)), tokenizer("janome", pos=("名詞",), form="base")])
def test_a_recipe_written_as_toml_reads_back(cut):
    one = TextClassifier("unb", tokenizer=cut, prior={'犬 "1"': 0.5, "猫": 0.5}).recipe
    (parts,) = tomllib.loads(as_toml("mine", parts_of(one)))["recipe"]
    assert parts.pop("name") == "mine"
    assert recipe_of(parts, TextClassifier().recipe).json == one.json


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no recipes; begin each with a line [[recipe]]"),
        ("recipe = 3", "there are no recipes"),
        ("recipes = []", "unknown key 'recipes'; write recipes below [[recipe]]"),
        ("[[recipe]]\nalfa = 1", "recipe 1 (multinomial): unknown option 'alfa' of model 'multinomial'; use alpha"),
        ("[[recipe]]\npi = 1.0", "recipe 1 (multinomial): unknown option 'pi'"),
        ("[[recipe]]\nmodel = 'none'", "recipe 1 (none): unknown model 'none'; use auto, multinomial, b"),
        ("[[recipe]]\nmodel = ['unb']", "recipe 1: name must be a string, not ['unb']"),
        ("[[recipe]]\nname = 3", "recipe 1: name must be a string, not 3"),
        ("[[recipe]]\n[[recipe]]", "recipe 2 (multinomial): another recipe has this name"),
        ("[[recipe]]\nalpha = -1", "recipe 1 (multinomial): alpha must be a number of at least 0"),
        ("[[recipe]]\nngram = '1-x'", "recipe 1 (multinomial): ngram must be a number or a range"),
        ("[[recipe]]\nmin_df = 'two'", "recipe 1 (multinomial): min_df must be a whole number"),
        ("[[recipe]]\ntokenizer = 'word'", "recipe 1 (multinomial): unknown tokenizer 'word'"),
        ("[[recipe]]\ntokenizer = {n = 2}", "recipe 1 (multinomial): unknown tokenizer ''"),
        ("[[recipe]]\nnormalise = ['loud']", "recipe 1 (multinomial): "),
        ("[[recipe]]\ncalibrate = 'no'", "recipe 1 (multinomial): calibrate must be True or False"),
        (
            "[[recipe]]\ntokenizer = 'os:getcwd'",
            "the Python function 'os:getcwd' is not trusted as a tokenizer; trust it by --trust os:getcwd",
        ),
        ("[[recipe]]\ntokenizer = {name = 'os:getcwd'}", "write the Python function 'os:getcwd' as a string"),
        ("[[recipe", "this is not TOML"),
    ],
)
def test_errors_name_the_file_the_recipe_and_the_key(tmp_path, text, message):
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'r.toml'}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_trusted_function_may_cut_texts(tmp_path):
    found = read(tmp_path, "[[recipe]]\ntokenizer = 'shlex:split'", trust=["shlex:split"])["multinomial"]
    assert found.tokenizer("a 'b c'") == ["a", "b c"]
    assert parts_of(found)["tokenizer"] == "shlex:split"


def test_a_file_that_is_not_there_or_not_utf8_is_named(tmp_path):
    with pytest.raises(InputError, match="the recipes cannot be read"):
        read_recipes(tmp_path / "none.toml", recipe())
    (tmp_path / "r.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="recipes must be written in UTF-8"):
        read_recipes(tmp_path / "r.toml", recipe())


def test_another_model_does_not_get_the_terms_that_suit_the_model_of_the_default(tmp_path):
    (tmp_path / "r.toml").write_text("[[recipe]]\nmodel = 'bernoulli'\n[[recipe]]\n", encoding="utf-8")
    default = TextClassifier(tokenizer="words").recipe
    found = read_recipes(tmp_path / "r.toml", default)
    assert found["bernoulli"] == TextClassifier("bernoulli", tokenizer="words").recipe
    assert found["auto"] == default
    given = read_recipes(tmp_path / "r.toml", default, settled=["terms", "ngram"])
    assert given["bernoulli"].analyzer == default.analyzer

"""Which engine runs, and that nothing but speed depends on it."""

import pickle
import subprocess
import sys
import warnings

import pytest

from textnb.errors import InputError, RecipeWarning
from textnb.extension import VARIABLE
from textnb.text import tokenizer, tokenizer_of
from textnb.text.janome import chosen_engine, engine_for, engines
from textnb.text.janome.tokenizer import Janome


@pytest.fixture(autouse=True)
def no_wish(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    engines._engine_for_unknown_janome.cache_clear()
    yield
    engines._engine_for_unknown_janome.cache_clear()


@pytest.mark.parametrize(("built", "engine"), [(True, "native"), (False, "python")])
def test_the_fastest_there_is_runs(monkeypatch, built, engine):
    monkeypatch.setattr(engines, "has_extension", lambda: built)
    assert chosen_engine() == engine


def test_an_engine_can_be_forced_by_the_parameter_and_by_the_environment(monkeypatch):
    assert chosen_engine("reference") == "reference"
    monkeypatch.setenv(VARIABLE, "python")
    assert chosen_engine() == "python" and engine_for(None).name == "python"
    assert chosen_engine("reference") == "reference"
    assert not Janome().counts_natively
    monkeypatch.setenv(VARIABLE, "")
    assert chosen_engine() in ("native", "python")


def test_an_unknown_engine_is_refused(monkeypatch):
    with pytest.raises(InputError, match="unknown engine 'fast'; use auto, native, python, reference"):
        tokenizer("janome", engine="fast")
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(InputError, match="TEXTNB_ENGINE names the unknown engine 'fast'; use auto, native"):
        chosen_engine()


def test_the_native_engine_is_refused_where_it_is_not_built(monkeypatch):
    monkeypatch.setattr(engines, "has_extension", lambda: False)
    with pytest.raises(InputError, match=r"'native' is not built; .* C compiler, or use 'python'"):
        chosen_engine("native")


def test_a_janome_that_is_not_known_is_left_to_itself_with_one_warning(monkeypatch):
    monkeypatch.setattr(engines, "janome_version", lambda: "0.6.0")
    with pytest.warns(RecipeWarning, match=r"does not know Janome 0\.6\.0 \(it knows 0\.5\.0\)"):
        assert Janome()("すもももももも") == ["すもも", "も", "もも", "も"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert chosen_engine() == chosen_engine("reference") == "reference"
        for name in {"python", chosen_engine.__globals__["ENGINES"][0]}:
            if name == "native" and not engines.has_extension():
                continue
            with pytest.raises(InputError, match=r"tokens of Janome 0\.5\.0, but 0\.6\.0 is installed"):
                chosen_engine(name)


def test_recipes_and_values_do_not_depend_on_the_engine():
    plain, forced = tokenizer("janome"), tokenizer("janome", engine="reference")
    assert plain == forced and hash(plain) == hash(forced) and plain.recipe == forced.recipe
    assert "engine" not in plain.recipe["params"]
    assert tokenizer_of(forced.recipe).engine == "auto"
    assert pickle.loads(pickle.dumps(forced)).engine == "reference"


def test_the_python_engine_loads_neither_janome_nor_the_extension():
    code = """
import sys
from textnb.text import tokenizer
print(tokenizer('janome', engine='python')('庭で犬が走った'))
print([name for name in sys.modules if name.startswith(('janome', 'scipy', 'textnb._native'))])
"""
    tokenizer("janome")("犬")  # so that the dictionary has been compiled
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("['庭', 'で', '犬', 'が', '走っ', 'た']\n[]", "")

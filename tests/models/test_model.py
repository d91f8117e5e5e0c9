"""Models by name and their options."""

import pytest

from textnb.errors import InputError
from textnb.models.model import Choice, Flag, Need, Number, Option
from textnb.models.registry import MODELS, SCORERS, model, scorer_class
from textnb.models.smoothing import ALPHAS, LOG_LOSS

OPTIONS = [(name, option) for name in MODELS for option in model(name).options.values()]

L2 = Option("l2", Number(above=0, names=("cv",)), "cv", "strength")
PRUNE = Option("prune", Number(above=0, high=1), 1.0, "proportion")
LOSS = Option("loss", Choice(("hinge", "log")), "hinge", "loss")
NORM = Option("norm", Flag(), False, "norm")


def test_models_are_known_by_name():
    assert {name: model(name).name for name in MODELS} == {name: name for name in MODELS}
    assert model("multinomial").alphas == (*ALPHAS, LOG_LOSS)
    with pytest.raises(InputError, match=r"unknown model 'naive'; use auto, multinomial, "):
        model("naive")


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=[f"{name}-{option.name}" for name, option in OPTIONS])
def test_defaults_and_values_that_are_tried_are_allowed_and_can_be_written(name, option):
    assert model(name).options[option.name] is option
    for value in (option.default, *option.tried):
        assert option.checked(value) == value
        assert option.parse(str(value)) == value
    assert option.help
    assert option.allowed


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [(L2, "0.5", 0.5), (L2, "cv", "cv"), (PRUNE, "1", 1.0), (LOSS, "log", "log"), (NORM, "TRUE", True)],
)
def test_text_of_the_command_line_becomes_a_value(option, text, value):
    assert option.parse(text) == value


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        (L2, "0", "l2 must be a number above 0 or 'cv', not 0.0"),
        (L2, "nan", "l2 must be a number above 0 or 'cv', not nan"),
        (L2, "much", "l2 must be a number above 0 or 'cv', not 'much'"),
        (PRUNE, "1.5", "prune must be a number above 0 and at most 1, not 1.5"),
        (LOSS, "square", "unknown loss 'square'; use 'hinge' or 'log'"),
        (NORM, "1", "norm must be true or false, not '1'"),
    ],
)
def test_text_that_means_no_value_is_refused_by_name(option, text, message):
    with pytest.raises(InputError) as caught:
        option.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [True, "0.5", None, float("inf")])
def test_a_value_of_another_kind_is_no_number(value):
    with pytest.raises(InputError, match="prune must be a number above 0 and at most 1"):
        PRUNE.checked(value)


def test_a_tuning_grid_has_alpha_options_and_weighting():
    assert model("complement").tuning_grid == {
        "alpha": ("evidence", "leave-one-out", 0.01, 0.03, 0.1, 0.3, 1.0),
        "weight_norm": (False, True),
    }
    assert list(model("gaussian").tuning_grid) == ["variance", "weighting"]


def test_every_model_needs_counts_or_rows():
    for name in MODELS:
        assert model(name).needs & {Need.COUNTS, Need.ROWS}


@pytest.mark.parametrize("kind", SCORERS)
def test_a_scorer_that_a_file_can_hold_knows_its_name(kind):
    assert scorer_class(kind).kind == kind


def test_other_scorers_are_unknown():
    assert scorer_class("pickle") is None

import math

import numpy as np
import pytest

from textnb.decisions import decision_rule
from textnb.errors import InputError
from textnb.evaluation import CostEvaluation, Costs, read_costs

CLASSES = ("ham", "list", "spam")


@pytest.fixture
def written(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "costs.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return write


def refusal(path, classes=CLASSES):
    with pytest.raises(InputError) as error:
        read_costs(path).rule(classes)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_a_file_says_what_each_mistake_costs(written):
    costs = read_costs(
        written("unsure = 0.2\ndefault = 2\n\n[cost.ham]\nspam = 10.0\n[cost.spam]\nspam = 0.5 # right\n")
    )
    assert costs.unsure == 0.2
    assert costs.matrix(CLASSES).tolist() == [[0, 2, 10], [2, 0, 2], [2, 2, 0.5]]


@pytest.mark.parametrize("text", ["", "# nothing\n", "default = 1.0\n", "[cost]\n", "[cost.ham]\n"])
def test_left_out_a_mistake_costs_one_and_unsure_is_never_said(written, text):
    costs = read_costs(written(text))
    assert costs.matrix(CLASSES).tolist() == (1 - np.eye(3)).tolist()
    assert costs.unsure is None
    assert costs.rule(CLASSES).unsure == math.inf


def test_the_same_in_one_line_or_with_a_byte_order_mark(written):
    tables = read_costs(written("[cost.ham]\nspam = 10\n")).mistakes
    assert read_costs(written("cost.ham.spam = 10\n")).mistakes == tables
    assert read_costs(written("[cost.ham]\r\nspam = 10\r\n", "utf-8-sig")).mistakes == tables


def test_names_in_quotes_may_be_any(written):
    classes = ("a.b", "unsure", "", "迷惑 メール")
    costs = read_costs(written('[cost."迷惑 メール"]\n"a.b" = 3\n"" = 4\n"unsure" = 5\n'))
    assert costs.matrix(classes)[3].tolist() == [3, 5, 4, 0]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[cost.ham]\nspma = 1\n", ["[cost.ham]", "'spma' is not among the classes: ham, list, spam"]),
        ("[cost.hma]\nspam = 1\n", ["[cost.hma]", "'hma' is not among the classes: ham, list, spam"]),
        ("[cost.ham]\nunsure = 1\n", ["[cost.ham] unsure", "above the first [cost.CLASS]"]),
        ("[cost.ham]\nspam = 1\ndefault = 2\n", ["[cost.ham] default", "above the first [cost.CLASS]"]),
        ("[ham]\nspam = 1\n", ["'ham' is not known", "unsure, default and [cost.CLASS]", "[cost.ham]"]),
        ("cost = 3\n", ["below the true class", "not 3"]),
        ("[cost]\nham = 10\n", ["cost.ham must say what the class is taken for", "cost.ham.spam = 10", "not 10"]),
        ("[cost.ham]\nspam = -1\n", ["[cost.ham] spam must be a number from 0", "not -1"]),
        ("[cost.ham]\nspam = nan\n", ["[cost.ham] spam must be a number from 0", "not nan"]),
        ("[cost.ham]\nspam = inf\n", ["[cost.ham] spam must be a number from 0 to 1e+100", "not inf"]),
        ("[cost.ham]\nspam = '10'\n", ["[cost.ham] spam must be a number", "not '10'"]),
        ("[cost.ham]\nspam = true\n", ["[cost.ham] spam must be a number", "not True"]),
        ("[cost.ham]\nspam = [1]\n", ["[cost.ham] spam must be a number", "not [1]"]),
        (f"[cost.ham]\nspam = 1{'0' * 400}\n", ["[cost.ham] spam must be a number from 0 to 1e+100"]),
        ("unsure = -0.1\n", ["unsure must be a number from 0", "not -0.1"]),
        ("unsure = 'no'\n", ["unsure must be a number from 0", "not 'no'"]),
        ("default = nan\n", ["default must be a number from 0", "not nan"]),
        ("[cost.迷惑]\nspam = 1\n", ["not TOML", "line 1", '[cost."迷惑"]']),
        ("[cost.ham]\nspam = \n", ["not TOML", "line 2"]),
        ("[cost.ham]\nspam = 1\nspam = 2\n", ["not TOML", "line 3"]),
        (f"default = 1{'0' * 5000}\n", ["not TOML"]),
        ("x = " + "[" * 20000, ["line 1", "nested too deeply"]),
        (b"\xff\xfe[\x00c\x00", ["must be written in UTF-8"]),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_one_line(written, text, parts):
    message = refusal(written(text))
    for part in parts:
        assert part in message


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    assert refusal(tmp_path / "none.toml") == "the costs cannot be read: No such file or directory"
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"mistakes": [1]}, "costs stand below the true class"),
        ({"mistakes": {"ham": 3}}, "cost.ham must say"),
        ({"mistakes": {"ham": {"spam": None}}}, r"\[cost.ham\] spam must be a number"),
        ({"default": "1"}, "default must be a number"),
        ({"unsure": True}, "unsure must be a number"),
    ],
)
def test_costs_made_in_python_are_checked_alike(given, part):
    with pytest.raises(InputError, match=f"^costs: {part}"):
        Costs(**given)


def test_numbers_of_numpy_are_numbers():
    assert Costs({"ham": {"spam": np.float32(2)}}, unsure=np.int64(1)).matrix(CLASSES)[0, 2] == 2


def test_costs_are_kept_as_they_were():
    mistakes = {"ham": {"spam": 10.0}}
    costs = Costs(mistakes)
    mistakes["ham"]["spam"] = -1
    assert costs.matrix(CLASSES)[0, 2] == 10


def test_a_rule_is_of_a_threshold_or_of_costs_or_of_neither_but_not_of_both():
    P = np.array([[0.1, 0.2, 0.7]])
    assert decision_rule(CLASSES, None, None)(P).tolist() == [2]
    assert decision_rule(CLASSES, 0.8, None)(P).tolist() == [-1]
    assert decision_rule(CLASSES, None, Costs({"ham": {"spam": 100}}))(P).tolist() == [1]
    with pytest.raises(InputError, match="do not go together"):
        decision_rule(CLASSES, 0.8, Costs())
    with pytest.raises(InputError, match="read_costs"):
        decision_rule(CLASSES, None, {"ham": {"spam": 1}})


def cost_by_a_plain_loop(labels, decided, costs):
    total = 0.0
    for label, answer in zip(labels, decided, strict=True):
        if answer is None:
            total += costs.unsure
        else:
            right = 0.0 if label == answer else costs.default
            total += costs.mistakes.get(label, {}).get(answer, right)
    return total / len(labels)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("unsure", [None, 0.3])
def test_mean_costs_are_those_of_a_plain_loop(seed, unsure):
    rng = np.random.default_rng(seed)
    P, labels = rng.dirichlet(np.ones(3), 80), rng.choice([*CLASSES, "new"], 80).tolist()
    costs = Costs({"ham": {"spam": 10, "list": 0.5}, "spam": {"spam": 0.1}}, default=2, unsure=unsure)
    names = np.array([*CLASSES, None], object)
    decided, likeliest = names[costs.rule(CLASSES)(P)], names[P.argmax(axis=1)]
    found = CostEvaluation.of(labels, P, costs, CLASSES)
    assert found.mean_cost == pytest.approx(cost_by_a_plain_loop(labels, decided, costs), abs=1e-12)
    assert found.mean_cost_of_most_probable == pytest.approx(cost_by_a_plain_loop(labels, likeliest, costs), abs=1e-12)
    assert found.unsure == sum(answer is None for answer in decided)
    assert (found.unsure > 0) == (unsure is not None)
    assert found.changed == sum(decided != likeliest)
    assert found.json["mean_cost"] == found.mean_cost


def test_where_probabilities_are_true_least_expected_cost_is_least_cost():
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(3), 20_000)
    labels = [CLASSES[k] for k in (P.cumsum(axis=1) < rng.random((len(P), 1))).sum(axis=1)]
    found = CostEvaluation.of(labels, P, Costs({"ham": {"spam": 10}}, unsure=0.4), CLASSES)
    assert found.mean_cost < 0.5 * found.mean_cost_of_most_probable


def test_costs_of_no_documents_are_refused():
    with pytest.raises(InputError, match="no documents"):
        CostEvaluation.of([], np.empty((0, 3)), Costs(), CLASSES)

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from textnb.decisions import UNSURE, Costs, LeastCost, Threshold, decision_rule, expected_costs, read_costs
from textnb.errors import InputError

CLASSES = ("ham", "list", "spam")
SEEDS = range(8)


def zero_one(n_classes):
    return 1 - np.eye(n_classes)


def random_case(seed, n_documents=60):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(1, 6))
    return rng.dirichlet(np.full(n_classes, 0.7), n_documents), rng.exponential(size=(n_classes, n_classes))


def decided_by_a_plain_loop(p, L, cost=math.inf):
    losses = [math.fsum(p[k] * L[k][d] for k in range(len(p))) for d in range(len(p))]
    return UNSURE if min(losses) > cost else losses.index(min(losses))


@st.composite
def probabilities(draw, max_classes=5):
    """Rows with ties, zeros, certainty and underflow among them."""
    n_classes = draw(st.integers(1, max_classes))
    weight = st.sampled_from([0.0, 1e-300, 1e-17, 1e-6, 0.1, 0.2, 0.3, 1.0, 1.0000000000000002]) | st.floats(0, 1)
    rows = draw(st.lists(st.lists(weight, min_size=n_classes, max_size=n_classes).filter(any), min_size=1, max_size=6))
    P = np.array(rows)
    return P / P.sum(axis=1, keepdims=True)


@st.composite
def probabilities_and_costs(draw):
    P = draw(probabilities())
    n = P.shape[1]
    loss = st.sampled_from([0.0, 0.5, 1.0, 10.0]) | st.floats(0, 1e6)
    return P, np.array(draw(st.lists(loss, min_size=n * n, max_size=n * n))).reshape(n, n)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cost", [0.0, 0.1, 0.5, 3.0, math.inf])
def test_the_least_cost_is_that_of_a_plain_loop_over_decisions_and_so_is_unsure(seed, cost):
    P, L = random_case(seed)
    assert LeastCost(L, cost)(P).tolist() == [decided_by_a_plain_loop(p, L, cost) for p in P]


@given(probabilities())
def test_costs_of_zero_and_one_decide_for_the_most_probable_class(P):
    assert LeastCost(zero_one(P.shape[1]))(P).tolist() == P.argmax(axis=1).tolist() == Threshold()(P).tolist()


@pytest.mark.parametrize("n_classes", [2, 300, 1000])
def test_many_classes_are_no_other_matter(n_classes):
    P = np.random.default_rng(0).dirichlet(np.full(n_classes, 50.0), 20)
    P[:, -1] = np.nextafter(P.max(axis=1), 1)  # the likeliest by the least there is
    assert LeastCost(zero_one(n_classes))(P).tolist() == [n_classes - 1] * 20


@pytest.mark.parametrize("hundredths", range(51))
def test_chows_rule_a_cost_of_c_is_a_threshold_of_one_minus_c_to_the_very_edge(hundredths):
    p = np.arange(50, 101) / 100
    P = np.column_stack([1 - p, p])
    threshold, cost = (100 - hundredths) / 100, hundredths / 100
    expected = [1 if 100 - hundredths <= percent else UNSURE for percent in range(50, 101)]
    expected[0] = 0 if expected[0] == 1 else UNSURE  # one half: the first of equals
    assert Threshold(threshold)(P).tolist() == expected
    assert LeastCost(zero_one(2), cost)(P).tolist() == expected


@given(probabilities(), st.floats(0, 1))
def test_chows_rule_holds_for_any_number_of_classes(P, cost):
    by_cost, by_threshold = LeastCost(zero_one(P.shape[1]), cost)(P), Threshold(1 - cost)(P)
    at_the_edge = np.abs(P.max(axis=1) - (1 - cost)) < 1e-9
    assert np.array_equal(by_cost[~at_the_edge], by_threshold[~at_the_edge])


@given(probabilities_and_costs(), st.integers(-30, 30), st.sampled_from([math.inf, 0.0, 0.3, 2.0]))
def test_scaling_all_costs_changes_nothing(case, exponent, cost):
    P, L = case
    scale = 2.0**exponent
    products = P[:, :, None] * L * min(scale, 1.0)
    assume((products[(P[:, :, None] > 0) & (L > 0)] > 1e-307).all())  # scaling is exact unless numbers underflow
    assert LeastCost(scale * L, scale * cost)(P).tolist() == LeastCost(L, cost)(P).tolist()


@given(probabilities_and_costs())
def test_no_decision_costs_less_than_the_one_made(case):
    P, L = case
    expected = expected_costs(P, L)
    made = expected[np.arange(len(P)), LeastCost(L)(P)]
    assert (made <= expected.min(axis=1) * (1 + 1e-11)).all()


@given(probabilities_and_costs(), st.floats(0, 10), st.floats(0, 10))
def test_the_cheaper_being_unsure_the_more_often_it_is_said(case, one, other):
    P, L = case
    low, high = (LeastCost(L, cost)(P) == UNSURE for cost in sorted((one, other)))
    assert (low | ~high).all()


@settings(max_examples=300)
@given(probabilities(), st.data())
def test_a_huge_cost_is_risked_only_in_certainty(P, data):
    n_classes = P.shape[1]
    if n_classes == 1:
        return
    true, taken = data.draw(st.permutations(range(n_classes)))[:2]
    L = zero_one(n_classes)
    L[true, taken] = 1e12
    risked = LeastCost(L)(P) == taken
    assert (P[risked, true] <= 1.0000001e-12).all()


def test_of_equal_expected_costs_the_most_probable_class_is_decided_and_then_the_first():
    P = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [1 / 3, 1 / 3, 1 / 3]])
    assert LeastCost(np.zeros((3, 3)))(P).tolist() == [1, 0, 0]
    assert Threshold()(P).tolist() == [1, 0, 0]


def test_an_answer_that_costs_as_much_as_being_unsure_or_as_probable_as_the_threshold_is_given():
    P = np.array([[0.7, 0.3]])
    assert 1 - P[0, 0] > 0.3  # by rounding
    assert LeastCost(zero_one(2), 0.3)(P).tolist() == [0]
    assert Threshold(0.7)(P).tolist() == [0]
    assert Threshold(np.nextafter(0.7, 1))(P).tolist() == [UNSURE]


@pytest.mark.parametrize("row", [[np.nan, np.nan, np.nan], [np.nan, 1.0, 0.0], [0.5, 0.5, np.nan]])
def test_a_probability_that_is_not_a_number_is_unsure_under_every_rule(row):
    P = np.array([row, [0.0, 1.0, 0.0]])
    costs = Costs({"ham": {"spam": 10.0}})
    rules = [Threshold(0.0), Threshold(0.5), costs.rule(CLASSES), Costs(unsure=0.2).rule(CLASSES)]
    for rule in rules:
        assert rule(P).tolist() == [UNSURE, 1]


def test_no_documents_have_no_decisions():
    empty = np.empty((0, 3))
    assert Threshold(0.5)(empty).shape == LeastCost(zero_one(3), 0.5)(empty).shape == (0,)


def test_a_rule_keeps_its_costs_as_they_were():
    L = zero_one(2)
    rule = LeastCost(L)
    L[:] = 7
    assert rule(np.array([[0.1, 0.9]])).tolist() == [1]
    with pytest.raises(ValueError, match="read-only"):
        rule.costs[0, 0] = 1


@pytest.mark.parametrize("least", [-0.1, 1.1, math.nan, "0.5", True, None])
def test_a_threshold_that_is_no_probability_is_refused(least):
    with pytest.raises(InputError, match="from 0 to 1"):
        Threshold(least)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, 1e101])
def test_a_cost_that_is_none_is_refused(value):
    with pytest.raises(InputError, match="a cost must be a number from 0 to"):
        LeastCost([[0, value], [1, 0]])


@pytest.mark.parametrize("cost", [-1.0, math.nan, 1e101, "1", True])
def test_a_cost_of_being_unsure_that_is_none_is_refused(cost):
    with pytest.raises(InputError, match="being unsure must be a number from 0 to"):
        LeastCost([[0, 1], [1, 0]], cost)


def test_costs_of_another_shape_are_refused():
    with pytest.raises(InputError, match=r"square.*\(1, 2\)"):
        LeastCost([[0, 1]])
    with pytest.raises(InputError, match="for 2 classes, the probabilities for 3"):
        LeastCost(zero_one(2))(np.full((1, 3), 1 / 3))


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
        ("[cost.ham]\nspma = 1\n", ["[cost.ham]", "unknown class 'spma'; the model has ham, list, spam"]),
        ("[cost.hma]\nspam = 1\n", ["[cost.hma]", "unknown class 'hma'; the model has ham, list, spam"]),
        ("[cost.ham]\nunsure = 1\n", ["[cost.ham] unsure", "above the first [cost.CLASS]"]),
        ("[cost.ham]\nspam = 1\ndefault = 2\n", ["[cost.ham] default", "above the first [cost.CLASS]"]),
        ("[ham]\nspam = 1\n", ["unknown key 'ham'", "unsure, default and [cost.CLASS]", "[cost.ham]"]),
        ("cost = 3\n", ["below the true class", "not 3"]),
        ("[cost]\nham = 10\n", ["cost.ham must name the decided class", "cost.ham.spam = 10", "not 10"]),
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
        ({"mistakes": [1]}, "write costs below the true class"),
        ({"mistakes": {"ham": 3}}, "cost.ham must name"),
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


def test_costs_are_copied():
    mistakes = {"ham": {"spam": 10.0}}
    costs = Costs(mistakes)
    mistakes["ham"]["spam"] = -1
    assert costs.matrix(CLASSES)[0, 2] == 10


def test_a_rule_is_of_a_threshold_or_of_costs_or_of_neither_but_not_of_both():
    P = np.array([[0.1, 0.2, 0.7]])
    assert decision_rule(CLASSES, None, None)(P).tolist() == [2]
    assert decision_rule(CLASSES, 0.8, None)(P).tolist() == [-1]
    assert decision_rule(CLASSES, None, Costs({"ham": {"spam": 100}}))(P).tolist() == [1]
    with pytest.raises(InputError, match="cannot be combined with costs"):
        decision_rule(CLASSES, 0.8, Costs())
    with pytest.raises(InputError, match="read_costs"):
        decision_rule(CLASSES, None, {"ham": {"spam": 1}})

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats.contingency import odds_ratio

from textnb.corpus.giveaways import find_giveaways, log_odds_at_least
from textnb.counts import ClassCounts, Vocabulary
from textnb.errors import InputError


def brute_force(X, y, precision, recall):
    """(label, column) of every giveaway, by counting documents one by one."""
    found = []
    for label in sorted(set(y)):
        for j in range(len(X[0])):
            having = [name for row, name in zip(X, y, strict=True) if row[j]]
            a = having.count(label)
            if a and a / y.count(label) >= recall and a / len(having) >= precision:
                found.append((label, j))
    return found


@settings(max_examples=50)
@given(st.data())
def test_the_terms_found_are_those_of_counting_documents(data):
    n = data.draw(st.integers(2, 12))
    X = data.draw(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=n, max_size=n))
    y = ["x", "y", *data.draw(st.lists(st.sampled_from("xyz"), min_size=n - 2, max_size=n - 2))]
    precision, recall = data.draw(st.sampled_from([(0.5, 0.5), (1.0, 1.0), (0.75, 0.25)]))
    found = find_giveaways(ClassCounts.of(X, y), precision=precision, recall=recall)
    assert sorted((one.label, one.term) for one in found) == brute_force(X, y, precision, recall)
    for one in found:
        having = [name for row, name in zip(X, y, strict=True) if row[one.term]]
        assert (one.documents, one.elsewhere) == (having.count(one.label), len(having) - having.count(one.label))
        assert one.recall == one.documents / y.count(one.label)
        assert one.precision == one.documents / len(having)


def test_the_surest_come_first_within_their_class():
    X = [[1, 1, 1]] * 30 + [[1, 0, 1]] * 20 + [[0, 0, 1]] * 1 + [[0, 0, 0]] * 50
    found = find_giveaways(ClassCounts.of(X, ["x"] * 50 + ["y"] * 51), recall=0.5)
    assert [one.term for one in found] == [0, 2, 1]
    assert [one.log_odds for one in found] == sorted([one.log_odds for one in found], reverse=True)


def test_the_bound_is_scipys_woolf_interval_of_the_odds_ratio():
    for table in ([[9, 4], [3, 20]], [[1, 1], [1, 1]], [[50, 2], [7, 400]]):
        low = odds_ratio(table, kind="sample").confidence_interval(0.95).low
        (a, c), (b, d) = np.array(table, float) - 0.5  # the halves that are added come off
        assert float(log_odds_at_least(a, b, c, d)) == pytest.approx(math.log(low), rel=1e-12)


def test_terms_have_their_names_where_there_is_a_vocabulary():
    counts = ClassCounts.of([[1, 1], [0, 1]], ["x", "y"], Vocabulary.of_sorted(["site", "the"]))
    assert [(one.label, one.term) for one in find_giveaways(counts)] == [("x", "site")]


def test_one_class_alone_has_nothing_to_give_away():
    assert find_giveaways(ClassCounts.of([[1], [1]], ["x", "x"])) == []


@pytest.mark.parametrize("share", [{"precision": 0}, {"recall": 1.5}, {"recall": True}])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(InputError, match=f"^{next(iter(share))} must be above 0 and at most 1"):
        find_giveaways(ClassCounts.of([[1]], ["x"]), **share)

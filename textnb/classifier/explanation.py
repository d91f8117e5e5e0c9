"""Why a document got its label: what each word of it adds.

What each stretch of a text says for a label: contributions of terms, which may overlap, shared out over the text.

Term occurrence c has the value v_c and lies on the text from a_c to b_c. Its n_c characters that are not white space
each take the same share of it, so that

(1)  value of a stretch = sum_c v_c #{characters of the stretch in [a_c, b_c), not white space} / n_c
(2)  values of all stretches + rest = score,    rest = bias + what has no place in the text (fields, absent terms)

The stretches follow one another, and put together they are the text, character by character. One begins wherever a
term or white space begins or ends. A word that no n-gram covers has just its own value.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

ABSENT = "(absent terms)"
BIAS = "(bias)"
REST = "(rest)"


class Contribution(NamedTuple):
    """One occurrence of a term, ``text[start:end]`` (-1 for a term outside the text), and what it adds."""

    term: str
    start: int
    end: int
    value: float


@dataclass(frozen=True)
class Explanation:
    """score(label) - score(against) = bias + the sum of the contributions' values.

    Contributions stand in the order of the text. A term counted with a weight other than its number of occurrences
    has its weight shared out among them. All terms that the document lacks, where a model counts them, are one
    contribution, ``ABSENT``. Where a score is infinite no sum is promised. distance: how far the document lies from
    the boundary between the two labels, before calibration and in the space of weighted terms, where the model is
    linear.
    """

    label: str
    against: str
    score: float
    bias: float
    contributions: tuple[Contribution, ...]
    distance: float | None = None

    def by_term(self) -> list[tuple[str, int, float]]:
        """(term, occurrences, value) of each distinct term, the weightiest first."""
        values: dict[str, list[float]] = defaultdict(list)
        for contribution in self.contributions:
            values[contribution.term].append(contribution.value)
        rows = [(term, len(parts), sum(parts)) for term, parts in values.items()]
        return sorted(rows, key=lambda row: (-abs(row[2]), row[0]))

    def rows(self, top: int) -> list[tuple[str, int | None, float]]:
        """The bias, the weightiest terms, and the others as one, ``REST``: together they are the score.

        >>> words = tuple(Contribution(term, -1, -1, value) for term, value in (("a", 3.0), ("b", -1.0), ("c", 0.5)))
        >>> Explanation("x", "y", 3.0, 0.5, words).rows(1)
        [('(bias)', None, 0.5), ('a', 1, 3.0), ('(rest)', 2, -0.5)]
        """
        terms = self.by_term()
        others = terms[top:]
        left = [(REST, sum(times for _, times, _ in others), sum(value for *_, value in others))] if others else []
        return [(BIAS, None, self.bias), *terms[:top], *left]


LEVELS = 4
_LEAST = (0.05, 0.2, 0.45, 0.7)
"""The share of the weightiest stretch from which on a level is given."""


class Stretch(NamedTuple):
    """A part of the text, its value, and how much it is to stand out: 0 to 4, below 0 if it speaks against."""

    text: str
    value: float
    level: int


def shaded(text: str, explanation: Explanation) -> list[Stretch]:
    """The text in stretches.

    >>> explanation = Explanation("x", "y", 2.5, 0.5, (Contribution("ab", 0, 2, -1.0), Contribution("ab c", 0, 4, 3.0)))
    >>> [(each.text, each.value, each.level) for each in shaded("ab c!", explanation)]
    [('ab', 1.0, 4), (' ', 0.0, 0), ('c', 1.0, 4), ('!', 0.0, 0)]
    """
    located = [each for each in explanation.contributions if 0 <= each.start < each.end]
    edges = sorted({0, len(text), *_edges_of_space(text), *(edge for each in located for edge in each[1:3])})
    values = _values(text, edges, located)
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return [
        Stretch(text[start:end], value, _level(value, largest))
        for (start, end), value in zip(pairwise(edges), values, strict=True)
    ]


def rest(explanation: Explanation) -> float:
    """Formula (2): what of the score stands nowhere in the text."""
    return explanation.bias + sum(each.value for each in explanation.contributions if each.start < 0)


def _edges_of_space(text: str) -> Iterator[int]:
    return (i for i in range(1, len(text)) if text[i].isspace() != text[i - 1].isspace())


def _values(text: str, edges: Sequence[int], located: Sequence[Contribution]) -> list[float]:
    """Formula (1)."""
    letters = [0, *accumulate(not character.isspace() for character in text)]
    number = {edge: i for i, edge in enumerate(edges)}
    values = [0.0] * (len(edges) - 1)
    for _, start, end, value in located:
        among = letters[end] - letters[start]
        for i in range(number[start], number[end]):
            inside = letters[edges[i + 1]] - letters[edges[i]]
            if inside:
                values[i] += value * inside / among
            elif not among:  # a term made of white space alone
                values[i] += value * (edges[i + 1] - edges[i]) / (end - start)
    return values


def _level(value: float, largest: float) -> int:
    if math.isnan(value) or value == 0:
        return 0
    share = abs(value) / largest if math.isfinite(value) else 1.0
    return int(math.copysign(sum(share >= least for least in _LEAST), value))

"""Why a document got its label: what each word of it adds."""

from collections import defaultdict
from dataclasses import dataclass
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

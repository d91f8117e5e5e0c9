"""Why a document got its label: what each word of it adds."""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

ABSENT = "(absent terms)"


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

"""Explanation of an answer: what each word of a document adds to the score of a label over another.

    score(label) - score(against) = bias + sum_c v_c                                                  (1)

where c runs over term occurrences. To colour a text, the value v_c of an occurrence from a_c to b_c is divided equally
among its n_c characters that are not white space:

    value of a stretch = sum_c v_c #{characters of the stretch in [a_c, b_c), not white space} / n_c  (2)
    sum of the values of all stretches + rest = score                                                 (3)

rest = bias + values of terms without a place in the text (fields, absent terms). Stretches follow one another and
together are the text. A stretch begins wherever a term or white space begins or ends.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple

from textnb.display import cut, display
from textnb.language import Language, language_of
from textnb.markup import Html, element, joined, signed, table

ABSENT = "(absent terms)"
BIAS = "(bias)"
REST = "(rest)"


class Contribution(NamedTuple):
    """One occurrence of a term, ``text[start:end]``, and what it adds; start and end are -1 outside the text."""

    term: str
    start: int
    end: int
    value: float


@dataclass(frozen=True)
class Explanation:
    """Score of a label over another, as a sum over words, eq. (1). No sum is promised for infinite scores.

    Attributes
    ----------
    label, against : str
        The two labels.
    score : float
        score(label) - score(against), after calibration.
    bias : float
        Part of the score that does not come from the document.
    contributions : tuple of Contribution
        In the order of the text. The value of a term is divided equally among its occurrences. All terms that the
        document lacks, if the model counts them, are one contribution, ``ABSENT``.
    distance : float or None
        Distance of the document from the boundary between the labels, for a linear model: before calibration, in the
        space of weighted terms.
    text : str or None
        The text that was explained; None if only its counts were given.
    """

    label: str
    against: str
    score: float
    bias: float
    contributions: tuple[Contribution, ...]
    distance: float | None = None
    text: str | None = field(default=None, repr=False, compare=False)

    def _repr_html_(self) -> str:
        """Explanation for notebooks: the coloured text, and a table of what each word adds."""
        label, against = self.label, self.against
        key = [element("mark", f"supports {cut(label)}", class_="for3"), " "]
        key += [element("mark", f"supports {cut(against)}", class_="against3"), " "]
        score = f"{cut(label)} over {cut(against)}: {signed(self.score)}"
        return display(element("p", *key, score), _coloured(self), _table(self))

    def by_term(self) -> list[tuple[str, int, float]]:
        """Return (term, occurrences, value) of each distinct term, the largest absolute value first."""
        values: dict[str, list[float]] = defaultdict(list)
        for contribution in self.contributions:
            values[contribution.term].append(contribution.value)
        rows = [(term, len(parts), sum(parts)) for term, parts in values.items()]
        return sorted(rows, key=lambda row: (-abs(row[2]), row[0]))

    def rows(self, top: int) -> list[tuple[str, int | None, float]]:
        """Return the bias, the ``top`` terms of largest absolute value, and the rest; they sum to the score.

        >>> words = tuple(Contribution(term, -1, -1, value) for term, value in (("a", 3.0), ("b", -1.0), ("c", 0.5)))
        >>> Explanation("x", "y", 3.0, 0.5, words).rows(1)
        [('(bias)', None, 0.5), ('a', 1, 3.0), ('(rest)', 2, -0.5)]
        """
        terms = self.by_term()
        others = terms[top:]
        left = [(REST, sum(times for _, times, _ in others), sum(value for *_, value in others))] if others else []
        return [(BIAS, None, self.bias), *terms[:top], *left]


LEVELS = 4
_LEVEL_THRESHOLDS = (0.05, 0.2, 0.45, 0.7)
"""Smallest proportion of the largest absolute value for each level."""


class Stretch(NamedTuple):
    """A part of the text, its value, and its colour level: 0 to 4, negative if it speaks against the label."""

    text: str
    value: float
    level: int


def shaded(text: str, explanation: Explanation) -> list[Stretch]:
    """Divide a text into stretches with their values, eq. (2).

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


def _edges_of_space(text: str) -> Iterator[int]:
    return (i for i in range(1, len(text)) if text[i].isspace() != text[i - 1].isspace())


def _values(text: str, edges: Sequence[int], located: Sequence[Contribution]) -> list[float]:
    """Values of the stretches between edges, eq. (2)."""
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
    return int(math.copysign(sum(share >= least for least in _LEVEL_THRESHOLDS), value))


_MAX_CHARACTERS = 10_000
"""Characters of a text that a notebook shows."""

_N_TERMS = 12
"""Terms in the table of a notebook."""


def _coloured(explanation: Explanation) -> Html:
    """Text with each stretch coloured by its value; a long text is cut."""
    text = explanation.text
    if not text:
        why = "The text is empty." if text is not None else "Only the counts of the document are known, not its text."
        return element("p", why)
    parts, left = [], _MAX_CHARACTERS
    for stretch in shaded(text, explanation):
        if left > 0:
            parts.append(_marked(stretch._replace(text=stretch.text[:left])))
        left -= len(stretch.text)
    whole = element("div", *parts, class_="text", dir="auto", lang=language_of(text))
    return whole if left >= 0 else joined([whole, element("p", f"… {-left:,} more characters")])


def _marked(stretch: Stretch) -> str:
    if not stretch.level:
        return stretch.text
    kind = "for" if stretch.level > 0 else "against"
    return element("mark", stretch.text, class_=f"{kind}{abs(stretch.level)}", title=signed(stretch.value))


def _table(explanation: Explanation) -> Html:
    """Table of the terms that add most, the rest, and the sum."""
    rows = [(cut(term), times, value) for term, times, value in explanation.rows(_N_TERMS)]
    rows.append(("sum", None, explanation.score))
    return table("What each word adds to the score", ["term", "times", "value"], rows, Language("en"))

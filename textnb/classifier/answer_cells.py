"""Cells of answers in tables: label, probability, and what else is asked for, for a table of any format."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.decisions import UNSURE, Rule
from textnb.numerics import Codes, Floats

UNSURE_LABEL = "unsure"
"""Label of a document that is not decided, unless another word is given."""


@dataclass(frozen=True)
class AnswerCells:
    """What a row of answers has: label and probability, more classes, and the number of known terms.

    rule: from probabilities to decisions. top: number of classes. all_scores: whether the probability of every class is
    shown. shows_guess: whether the most probable class is shown beside the label. unsure: label of undecided documents.
    """

    classes: tuple[str, ...]
    rule: Rule
    top: int = 1
    all_scores: bool = False
    shows_guess: bool = False
    unsure: str = UNSURE_LABEL

    @property
    def columns(self) -> list[str]:
        """Names of the columns; they do not depend on the language."""
        others = [f"{name}_{rank}" for rank in range(2, self.top + 1) for name in ("label", "probability")]
        scores = [f"p({name})" for name in self.classes if self.all_scores]
        guess = ["most_probable"] if self.shows_guess else []
        return ["label", "probability", *guess, *others, *scores, "known_terms"]

    def rows(self, probabilities: Floats, known: Codes) -> Iterator[list[Any]]:
        """Yield the cells of each document from its probabilities (D, C) and number of known terms (D,)."""
        ranking = np.argsort(-probabilities, axis=1, kind="stable")[:, : self.top]
        columns = (probabilities.tolist(), self.rule(probabilities).tolist(), ranking.tolist(), known.tolist())
        for row, decided, ranked, n_known in zip(*columns, strict=True):
            answer = answers(row, decided, ranked, self.classes, self.unsure)
            guess = [self.classes[ranked[0]]] if self.shows_guess else []
            yield [*answer[:2], *guess, *answer[2:], *(row if self.all_scores else []), n_known]


def column_type(name: str) -> type:
    """Return the type of a column of answers: str, int or float."""
    if name == "known_terms":
        return int
    return float if name.startswith(("probability", "p(")) else str


def answers(
    row: Sequence[float], decided: int, ranked: Sequence[int], classes: Sequence[str], unsure: str = UNSURE_LABEL
) -> list[str | float]:
    """Return the decided label and its probability, then the most probable other classes with theirs.

    ``ranked`` are the most probable classes, as many as there are labels to give. The label of an unsure document has
    the probability of the most probable class, which is then the first of the other classes.

    >>> row, ranked, classes = [0.2, 0.5, 0.3], [1, 2], ["a", "b", "c"]
    >>> answers(row, 2, ranked, classes), answers(row, UNSURE, ranked, classes)
    (['c', 0.3, 'b', 0.5], ['unsure', 0.5, 'b', 0.5])
    """
    first = (unsure, row[ranked[0]]) if decided == UNSURE else (classes[decided], row[decided])
    others = [k for k in ranked if k != decided][: len(ranked) - 1]
    return [*first, *(cell for k in others for cell in (classes[k], row[k]))]

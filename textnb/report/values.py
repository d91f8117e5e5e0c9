"""What a report is made from: plain values, each of which may be left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from textnb.classifier.explanation import Explanation
from textnb.evaluation import CostEvaluation, Evaluation
from textnb.evaluation.evaluation import Mistake
from textnb.markup import Cell
from textnb.numerics import Estimate


class Table(NamedTuple):
    """Rows for reading; the first cell of each is its name. A column that the report has no word for keeps its own."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


class LearningCurve(NamedTuple):
    """How good a recipe is after so many training documents, the fewest first."""

    name: str
    documents: Sequence[int]
    values: Sequence[Estimate]


class Word(NamedTuple):
    """A term of a class, what it adds to the score, and how many documents of the class contain it."""

    term: str
    value: float
    documents: int


class ExplainedDocument(NamedTuple):
    """A document and why it got its label; no text where only its counts are left."""

    id: str
    text: str | None
    explanation: Explanation | None
    mistake: Mistake | None = None


@dataclass(frozen=True)
class Report:
    """A page's content. title, notes and the names of facts are in the page's language, or names of the user's own.

    facts: what was done, with what. curves: by what is measured, such as ``accuracy``. words: by class.
    mistakes: shown where there is an evaluation. documents: explained, each shown whole.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    learnt: Mapping[str, int] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    costs: CostEvaluation | None = None
    models: Table | None = None
    curves: Mapping[str, Sequence[LearningCurve]] = field(default_factory=dict)
    words: Mapping[str, Sequence[Word]] = field(default_factory=dict)
    mistakes: Sequence[ExplainedDocument] = ()
    documents: Sequence[ExplainedDocument] = ()

"""Plain values that a report is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from textnb.markup import Cell
from textnb.numerics import Estimate

if TYPE_CHECKING:
    from textnb.classifier.explanation import Explanation
    from textnb.evaluation.evaluation import CostEvaluation, Evaluation, Mistake


class Table(NamedTuple):
    """Table of a report; the first cell of a row is its name. Unknown names of columns are not translated."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


class LearningCurve(NamedTuple):
    """Estimates of one metric of a recipe by the number of training documents, the fewest first."""

    name: str
    documents: Sequence[int]
    values: Sequence[Estimate]


class Word(NamedTuple):
    """Term of a class, what it adds to the score, and how many documents of the class contain it."""

    term: str
    value: float
    documents: int


class ExplainedDocument(NamedTuple):
    """Document with the explanation of its label; the text is None if only its counts are stored."""

    id: str
    text: str | None
    explanation: "Explanation | None"
    mistake: "Mistake | None" = None


@dataclass(frozen=True)
class Report:
    """Content of a page; everything but the title may be left out.

    Parameters
    ----------
    title : str
        Title, in the language of the page.
    facts : sequence of (str, str)
        What was done, with what: names and values. Names that the report knows are translated.
    notes : sequence of str
        Notes below the facts, in the language of the page.
    learnt : mapping of str to int
        Number of training documents of each class.
    evaluation : Evaluation, optional
        Metrics, confusion matrix, reliability.
    costs : CostEvaluation, optional
        Mean cost of the decisions; shown with the evaluation.
    models : Table, optional
        Table of compared recipes.
    curves : mapping of str to sequence of LearningCurve
        Learning curves by metric, such as ``accuracy``.
    words : mapping of str to sequence of Word
        Words that add most to the score of each class.
    mistakes : sequence of ExplainedDocument
        The most confident mistakes; shown with the evaluation.
    documents : sequence of ExplainedDocument
        Documents that are shown whole.

    Examples
    --------
    >>> Report("Test of news", facts=[("corpus", "news.csv")]).title
    'Test of news'
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    learnt: Mapping[str, int] = field(default_factory=dict)
    evaluation: "Evaluation | None" = None
    costs: "CostEvaluation | None" = None
    models: Table | None = None
    curves: Mapping[str, Sequence[LearningCurve]] = field(default_factory=dict)
    words: Mapping[str, Sequence[Word]] = field(default_factory=dict)
    mistakes: Sequence[ExplainedDocument] = ()
    documents: Sequence[ExplainedDocument] = ()

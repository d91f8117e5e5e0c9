"""Plain values that a report is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from textnb.evaluation.charts import LearningCurve
from textnb.markup import Cell

if TYPE_CHECKING:
    from textnb.classifier.explanation import Explanation
    from textnb.classifier.suspects import Suspect
    from textnb.evaluation.evaluation import CostEvaluation, Evaluation, Mistake


class Table(NamedTuple):
    """Table of a report; the first cell of a row is its name. Unknown names of columns are not translated.

    ``documents`` is the number of documents behind its proportions, from which the number of their digits follows.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    documents: int = 10_000


class Word(NamedTuple):
    """Typical term of a class, its z-score, how many documents of the class contain it, and longer terms with it."""

    term: str
    value: float
    documents: int
    longer: "Sequence[Word]" = ()


class ExplainedDocument(NamedTuple):
    """Document with the explanation of its label; the text is None if only its counts are stored.

    ``title`` is shown in place of the id, as the subject of a mail; ``probabilities`` are those of the classes.
    """

    id: str
    text: str | None
    explanation: "Explanation | None"
    mistake: "Mistake | None" = None
    title: str = ""
    probabilities: Sequence[tuple[str, float]] = ()


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
        Typical words of each class.
    mistakes : sequence of ExplainedDocument
        The most confident mistakes; shown with the evaluation.
    suspects : sequence of Suspect
        Training documents whose labels are suspect.
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
    suspects: "Sequence[Suspect]" = ()
    documents: Sequence[ExplainedDocument] = ()

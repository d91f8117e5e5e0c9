"""TextVectorizer: texts to a matrix of term weights, in the shape of a scikit-learn transformer.

    texts -> tokenizer and analyzer -> counts (D, V) -> terms selected by document frequency -> weights (D, V)

Counting is that of ``counts/counting.py``: in the extension and on threads where the tokenizer allows it. Terms are
selected by ``counts/selection.py`` and weighted by ``counts/weighting.py``, as in a TextClassifier.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from textnb.counts.counting import counted
from textnb.counts.documents import TermsOf
from textnb.counts.matrix import CSR, Matrix
from textnb.counts.selection import columns_between, least_frequency
from textnb.counts.vocabulary import Vocabulary
from textnb.counts.weighting import Weigher, WeightingName, weighting
from textnb.document import Document
from textnb.errors import InputError, NotFittedError, ParameterError
from textnb.estimators.scikit_learn import Estimator, as_matrix, counterpart
from textnb.extension import sparse
from textnb.numerics import Floats, check_choice
from textnb.parallel import as_jobs
from textnb.readers.texts import as_documents
from textnb.text import Analyzer, Tokenizer, as_tokenizer
from textnb.text.morphemes import as_strings
from textnb.text.stop_words import WithoutStopWords

Texts = Iterable[str | Document]
OUTPUTS = ("default", "pandas")
"""What ``transform`` can return: a sparse matrix, or a data frame of sparse columns."""

_NO_TERMS = "the texts have no terms (empty vocabulary); perhaps they contain only stop words"
_NONE_SELECTED = "no terms remain of {n}; use a lower min_df or a higher max_df"
_NOT_FITTED = "this TextVectorizer has not been fitted; call fit first"
_NO_POLARS = "polars has no sparse columns, and a dense table of all terms is too large; use 'default' or 'pandas'"


class _Learnt(NamedTuple):
    """What ``fit`` finds: how texts become terms, the selected terms, and their weighting."""

    terms_of: TermsOf
    vocabulary: Vocabulary
    weigher: Weigher


class TextVectorizer(Estimator):
    """Texts to a sparse matrix of term weights, (D, V); a transformer for scikit-learn's pipelines and searches.

    With ``weighting="raw"`` it is what scikit-learn's CountVectorizer gives with the same terms: ``min_df``, ``max_df``
    and ``stop_words`` mean the same, columns are sorted by code point, and counts are int64.

    Parameters
    ----------
    tokenizer : str, Tokenizer or callable, default "auto"
        Name of a tokenizer, a Tokenizer, or a function from a text to a list of strings.
    normalisers : list of str
        Names of ``textnb.text.NORMALISERS``, applied in this order. Nothing is put into lower case without
        ``casefold``.
    terms : list of str, default ["words"]
        Kinds of terms, names of ``textnb.text.TERMS``: words, pairs, chars.
    ngram : (int, int) or int
        The shortest and the longest n-gram of tokens, in place of ``terms``.
    min_df, max_df : int or float, default 1 and 1.0
        Terms in fewer, or in more, texts are left out. A whole number counts texts, a fraction is a proportion of
        them. ``min_df="auto"`` is 2, or 1 if the texts are few or short.
    max_terms : int, optional
        At most this many terms, those in the most texts.
    stop_words : list of str, optional
        Tokens to leave out before n-grams are made.
    weighting : str, default "raw"
        ``raw``: the count tf. ``binary``: 1. ``log``: log(1 + tf), rounded to a multiple of 2^-20. ``tfidf``: that
        times log(D / df), where df of the D fitted texts contain the term. With ``-l2`` after the name a row is
        divided by its Euclidean norm.
    n_jobs : int, optional
        Number of threads, or of processes for a tokenizer in Python; -1 is one per processor. None is 1.

    Attributes
    ----------
    vocabulary_ : dict
        Selected terms, each with its column.
    idf_ : array (V,)
        log(D / df) of each term; for weightings with idf only.

    Examples
    --------
    >>> vectorizer = TextVectorizer(stop_words=["が", "は", "を"])
    >>> vectorizer.fit_transform(["犬が走る", "犬は犬を見る"]).toarray()
    array([[1, 0, 1],
           [2, 1, 0]])
    >>> vectorizer.get_feature_names_out().tolist()
    ['犬', '見る', '走る']
    """

    _learnt: _Learnt | None = None
    _sklearn_output_config: dict[str, str]

    def __init__(  # noqa: PLR0913
        self,
        tokenizer: str | Tokenizer | Callable[[str], list[str]] = "auto",
        *,
        normalisers: Sequence[str] = (),
        terms: Sequence[str] | None = None,
        ngram: int | tuple[int, int] | None = None,
        min_df: int | float | Literal["auto"] = 1,
        max_df: int | float = 1.0,
        max_terms: int | None = None,
        stop_words: Collection[str] | None = None,
        weighting: WeightingName = "raw",
        n_jobs: int | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.normalisers = normalisers
        self.terms = terms
        self.ngram = ngram
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms
        self.stop_words = stop_words
        self.weighting = weighting
        self.n_jobs = n_jobs

    def fit(self, X: Texts, y: Any = None) -> Self:  # noqa: ARG002  # pipelines pass it
        """Find the terms of texts and, with tfidf, their document frequencies.

        Parameters
        ----------
        X : list of str or Document
            Texts; also an iterator, an array or a column of strings.
        y : ignored
            For pipelines, which pass labels.
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Texts, y: Any = None) -> Any:  # noqa: ARG002
        """Fit to texts and return their weights, (D, V); texts are read once."""
        return self._output(self._learn(X), X)

    def transform(self, X: Texts) -> Any:
        """Return the weights of texts, (D, V), as a csr_array; terms that ``fit`` did not see are left out."""
        learnt = self._fitted
        parts = counted(
            as_documents(X), learnt.terms_of, learnt.vocabulary, jobs=_as_n_jobs(self.n_jobs), entries=np.inf
        )
        part = next(parts, None)
        counts = sparse.csr_array((0, len(learnt.vocabulary)), dtype=np.int32) if part is None else part.X
        return self._output(_weighted(counts, learnt.weigher), X)

    def inverse_transform(self, X: Matrix) -> list[NDArray[np.object_]]:
        """Return the terms with a weight other than 0 in each row of X (D, V)."""
        names = self.get_feature_names_out()
        rows = sparse.csr_array(as_matrix(X))
        if rows.shape[1] != len(names):
            raise InputError("X has {n} columns, the vocabulary has {terms} terms", n=rows.shape[1], terms=len(names))
        rows.eliminate_zeros()
        rows.sort_indices()
        return [names[columns] for columns in np.split(rows.indices, rows.indptr[1:-1])] if rows.shape[0] else []

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the terms in the order of the columns, (V,); ``input_features`` is ignored: texts have no columns."""
        return np.array(self._fitted.vocabulary.terms, object)

    def set_output(self, *, transform: Literal["default", "pandas"] | None = None) -> Self:
        """Choose what ``transform`` returns: ``default``, a csr_array, or ``pandas``, a data frame of sparse columns.

        None leaves the choice as it is. Without a choice scikit-learn's ``set_config(transform_output=...)`` decides.
        """
        if transform is not None:
            _check_output(transform)
            self._sklearn_output_config = {"transform": transform}
        return self

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Selected terms, each with its column."""
        return self._fitted.vocabulary.columns

    @property
    def idf_(self) -> Floats:
        """log(D / df) of each term, (V,); AttributeError for a weighting without idf."""
        idf = self._fitted.weigher.idf
        if idf is None:
            raise AttributeError(f"weighting {self._fitted.weigher.weighting.name!r} has no idf")
        return idf

    def _repr_html_(self) -> str:
        """Return the vectorizer as HTML for notebooks: its parameters, and the number of terms."""
        from textnb.estimators.notebook import estimator_html

        return estimator_html(self)

    def __sklearn_is_fitted__(self) -> bool:
        return self._learnt is not None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        texts = InputTags(one_d_array=True, two_d_array=False, string=True)
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=texts,
        )

    @property
    def _fitted(self) -> _Learnt:
        if self._learnt is None:
            raise counterpart(NotFittedError)(_NOT_FITTED)
        return self._learnt

    def _learn(self, X: Texts) -> CSR:
        """Replace what was learnt; return the weights of the texts."""
        jobs, weights = _as_n_jobs(self.n_jobs), weighting(self.weighting)
        terms_of = TermsOf(_as_tokenizer(self.tokenizer, self.stop_words), self._analyzer())
        part = next(counted(as_documents(X), terms_of, jobs=jobs, entries=np.inf), None)
        if part is None:
            raise InputError("there are no texts to learn from")
        columns, containing = self._selected(part.X, terms_of.analyzer)
        counts = part.X if len(columns) == part.X.shape[1] else part.X[:, columns]
        weigher = weights.on_frequencies(containing[columns], len(part))
        self._learnt = _Learnt(terms_of, part.vocabulary.selected(columns), weigher)
        return _weighted(counts, weigher)

    def _analyzer(self) -> Analyzer:
        names = ("normalisers", "terms", "ngram", "min_df", "max_df", "max_terms")
        return Analyzer(**{name: getattr(self, name) for name in names})

    def _selected(self, X: CSR, analyzer: Analyzer) -> tuple[NDArray[np.intp], Floats]:
        """Columns of the selected terms, and the document frequency of every term."""
        n_texts, n_terms = X.shape
        containing = np.bincount(X.indices, minlength=n_terms).astype(np.float64)
        low = least_frequency(containing, n_texts, analyzer.min_df)
        columns = columns_between(containing, n_texts, low, analyzer.max_df, analyzer.max_terms)
        if not len(columns):
            raise InputError(_NONE_SELECTED, n=n_terms) if n_terms else InputError(_NO_TERMS)
        return columns, containing

    def _output(self, weights: CSR, X: Any) -> Any:
        if self._output_wanted() == "default":
            return weights
        import pandas as pd

        names = self.get_feature_names_out()
        index = getattr(X, "index", None) if hasattr(X, "iloc") else None
        return pd.DataFrame.sparse.from_spmatrix(weights, index, names)

    def _output_wanted(self) -> str:
        if "_sklearn_output_config" in vars(self):
            return self._sklearn_output_config["transform"]
        loaded = sys.modules.get("sklearn")
        wanted = "default" if loaded is None else str(loaded.get_config()["transform_output"])
        _check_output(wanted)
        return wanted


def _check_output(name: str) -> None:
    if name == "polars":
        raise ParameterError(_NO_POLARS)
    check_choice(name, "output", OUTPUTS)


def _as_tokenizer(tokenizer: Any, stop_words: Any) -> Tokenizer:
    made = as_tokenizer(tokenizer)
    if stop_words is None:
        return made
    stopped = as_strings(stop_words, "stop_words")
    return WithoutStopWords(made, frozenset(stopped)) if stopped else made


def _as_n_jobs(n_jobs: object) -> int:
    """Number of threads: None is 1; -1 is one per processor, -2 one less, as in scikit-learn."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ParameterError("n_jobs must be a whole number other than 0, or None, not {n!r}", n=n_jobs)
    return int(n_jobs) if n_jobs > 0 else max(1, as_jobs(None) + 1 + int(n_jobs))


def _weighted(counts: CSR, weigher: Weigher) -> CSR:
    """Weights of counts (D, V): int64 where they are whole, else float64."""
    chosen = weigher.weighting
    if chosen.normalised or chosen.has_idf or chosen.unit != 1:
        return weigher(counts)
    return chosen.stored(counts).astype(np.int64)

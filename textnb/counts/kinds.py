"""Kinds of terms in a count matrix: which columns are words, pairs, n-grams of characters, features and fields."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from textnb.counts.counting import Counted
from textnb.counts.documents import TermsOf
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.errors import InputError
from textnb.readers.message.features import GROUPS
from textnb.text import FEATURES
from textnb.text.analyzer import CHARS_PREFIX, MAX_CHARS

_GROUPS = tuple(f"{name}:" for name in (*FEATURES, *GROUPS))
_WITHOUT_COLONS = ("auto", "janome", "words", "charclass")


def of_kinds(counted: Counted, terms_of: TermsOf, kinds: Collection[str]) -> Counted:
    """Return counted documents with terms of some kinds only; features and fields stay.

    Parameters
    ----------
    counted : Counted
        Documents that ``terms_of`` has counted.
    terms_of : TermsOf
        Tokenizer and analyzer; if its words may look like other terms, the choice is refused.
    kinds : collection of str
        Names of ``textnb.text.TERMS``.

    Examples
    --------
    >>> from textnb.counts import counted
    >>> from textnb.document import Document
    >>> from textnb.text import Analyzer, tokenizer
    >>> terms_of = TermsOf(tokenizer("words"), Analyzer(terms=["words", "pairs"]))
    >>> (part,) = counted([Document("to be")], terms_of)
    >>> of_kinds(part, terms_of, ["words"]).vocabulary.terms
    ('be', 'to')
    """
    if not _are_distinct(terms_of, counted.vocabulary):
        template = "words of the tokenizer {name!r} may look like pairs or chars; count again with --terms {terms}"
        raise InputError(template, name=terms_of.tokenizer.name, terms=",".join(kinds))
    if "chars" in terms_of.analyzer.features:
        kinds = (*kinds, "chars")
    columns = _columns(counted.vocabulary, kinds)
    return replace(counted, X=counted.X[:, columns], vocabulary=counted.vocabulary.selected(columns))


def _columns(vocabulary: Vocabulary, kinds: Collection[str]) -> Columns:
    kept = (_kind(term) in (*kinds, None) for term in vocabulary)
    return np.flatnonzero(np.fromiter(kept, np.bool_, len(vocabulary)))


def _kind(term: str) -> str | None:
    """Return the kind of a term, None if it belongs to a feature or a field."""
    if term.startswith(CHARS_PREFIX) and len(term) <= len(CHARS_PREFIX) + MAX_CHARS:
        return "chars"
    if _is_beside(term):
        return None
    return "pairs" if " " in term else "words"


def _is_beside(term: str) -> bool:
    return term.startswith(_GROUPS)


def _are_distinct(terms_of: TermsOf, vocabulary: Vocabulary) -> bool:
    """Return True if no word has a space or begins like a feature, a field or an n-gram of characters."""
    tokenizer = terms_of.tokenizer
    if tokenizer.name == "whitespace":
        if terms_of.analyzer.chars is None:
            return not any(term.startswith((CHARS_PREFIX, *_GROUPS)) for term in vocabulary)
        # a word "chars:..." would have this n-gram, too
        return f"{CHARS_PREFIX}rs:" not in vocabulary.terms and not any(map(_is_beside, vocabulary))
    return tokenizer.name in _WITHOUT_COLONS and not tokenizer.recipe["params"].get("user_dictionary")

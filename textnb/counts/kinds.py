"""Kinds of terms in a count matrix: which columns are words, pairs, n-grams of characters, features and fields."""

from collections.abc import Collection

import numpy as np

from textnb.counts.counting import Counted
from textnb.counts.documents import TermsOf
from textnb.counts.packed_vocabulary import PackedVocabulary, packed
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.errors import InputError
from textnb.numerics import Codes
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
    if not are_distinct(terms_of, counted.vocabulary):
        template = "words of the tokenizer {name!r} may look like pairs or chars; count again with --terms {terms}"
        raise InputError(template, name=terms_of.tokenizer.name, terms=",".join(kinds))
    if "chars" in terms_of.analyzer.features:
        kinds = (*kinds, "chars")
    return counted.selected(_columns(counted.vocabulary, kinds))


def _columns(vocabulary: Vocabulary, kinds: Collection[str]) -> Columns:
    """Return the columns of terms of some kinds, and of features and fields."""
    terms = packed(vocabulary)
    kept = np.full(len(vocabulary), "words" in kinds)
    kept[_with_space(terms)] = "pairs" in kinds
    for prefix in _GROUPS:
        kept[_beginning(terms, prefix)] = True
    block = _beginning(terms, CHARS_PREFIX)
    kept[block] = np.where(_lengths(terms, block) <= len(CHARS_PREFIX) + MAX_CHARS, "chars" in kinds, kept[block])
    return np.flatnonzero(kept)


def _with_space(terms: PackedVocabulary) -> Columns:
    """Return the numbers of the terms with a space."""
    return np.searchsorted(terms.starts, np.flatnonzero(terms.data == ord(" ")), side="right") - 1


def _lengths(terms: PackedVocabulary, block: slice) -> Codes:
    """Return the numbers of characters of the terms in a block; no term is empty."""
    starts = terms.starts[block]
    if not len(starts):
        return np.zeros(0, np.intp)
    is_first = terms.data[starts[0] : terms.starts[block.stop]] & 0xC0 != 0x80  # bytes that do not continue a character
    return np.add.reduceat(is_first, starts - starts[0], dtype=np.intp)


def _beginning(terms: PackedVocabulary, prefix: str) -> slice:
    """Return where the terms with a prefix are; terms are sorted, and the prefix ends with a colon."""
    return slice(terms.place(prefix), terms.place(prefix[:-1] + ";"))


def _is_beside(term: str) -> bool:
    return term.startswith(_GROUPS)


def are_distinct(terms_of: TermsOf, vocabulary: Vocabulary) -> bool:
    """Return True if no word has a space or begins like a feature, a field or an n-gram of characters."""
    tokenizer = terms_of.tokenizer
    if tokenizer.name == "whitespace":
        if terms_of.analyzer.chars is None:
            return not any(term.startswith((CHARS_PREFIX, *_GROUPS)) for term in vocabulary)
        # a word "chars:..." would have this n-gram, too
        return f"{CHARS_PREFIX}rs:" not in vocabulary and not any(map(_is_beside, vocabulary))
    return tokenizer.name in _WITHOUT_COLONS and not tokenizer.recipe["params"].get("user_dictionary")

"""Text to terms: normalisers, tokenizers and the analyzer that joins them."""

from textnb.text.analyzer import Analyzer, LocatedTerm
from textnb.text.features import FEATURES
from textnb.text.imported import NOWHERE
from textnb.text.normalise import NORMALISERS
from textnb.text.spec import TOKENIZERS, as_tokenizer, tokenizer, tokenizer_of
from textnb.text.token import Recipe, Token, Tokenizer, without_surrogates
from textnb.text.user_dictionary import UserDictionary

__all__ = [
    "FEATURES",
    "NORMALISERS",
    "NOWHERE",
    "TOKENIZERS",
    "Analyzer",
    "LocatedTerm",
    "Recipe",
    "Token",
    "Tokenizer",
    "UserDictionary",
    "as_tokenizer",
    "tokenizer",
    "tokenizer_of",
    "without_surrogates",
]

"""From text to terms: normalisers, tokenizers, and the analyzer that combines them.

>>> tokenizer("words")("To be or not")
['To', 'be', 'or', 'not']
"""

from textnb.extension import dir_of
from textnb.text.analyzer import FEATURES, TERMS, Analyzer, LocatedTerm
from textnb.text.janome.user_dictionary import UserDictionary
from textnb.text.normalise import NORMALISERS
from textnb.text.token import NOWHERE, Recipe, Token, Tokenizer, without_surrogates
from textnb.text.tokenizers import TOKENIZERS, as_tokenizer, tokenizer, tokenizer_of

__all__ = [
    "FEATURES",
    "NORMALISERS",
    "NOWHERE",
    "TERMS",
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

__dir__ = dir_of(__name__)

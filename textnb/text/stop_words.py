"""Stop words for any tokenizer: terms that are left out before n-grams are made of the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textnb.text.token import Token, Tokenizer

if TYPE_CHECKING:
    from textnb._native import Cutter


@dataclass(frozen=True)
class WithoutStopWords(Tokenizer):
    """Another tokenizer without some of its terms.

    >>> from textnb.text import tokenizer
    >>> WithoutStopWords(tokenizer("words"), frozenset(["to", "or"]))("to be or not")
    ['be', 'not']
    """

    name: ClassVar[str] = "without-stop-words"
    tokenizer: Tokenizer
    stop_words: frozenset[str]

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens whose terms are no stop words."""
        return (token for token in self.tokenizer.tokens(text) if self.term(token) not in self.stop_words)

    def term(self, token: Token) -> str:
        """Term that is counted for a token."""
        return self.tokenizer.term(token)

    def stream(self, text: str) -> Iterator[str]:
        """Terms one by one."""
        return (term for term in self.tokenizer.stream(text) if term not in self.stop_words)

    @property
    def counts_natively(self) -> bool:
        """True if the tokenizer has cutters."""
        return self.tokenizer.counts_natively

    @property
    def runs_on(self) -> str:
        """What splits the texts."""
        return self.tokenizer.runs_on

    def cutters(self, texts: Sequence[str]) -> tuple["Cutter", ...]:
        """Cutter of the tokenizer that is used for each text; ``stopped`` has the stop words."""
        return self.tokenizer.cutters(texts)

    @property
    def stopped(self) -> frozenset[str]:
        """Stop words, with those of the tokenizer itself."""
        return self.stop_words | self.tokenizer.stopped

    @property
    def version(self) -> str:
        """Version of the tokenizer."""
        return self.tokenizer.version

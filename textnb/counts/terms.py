"""The terms of a document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from textnb.readers import Document
from textnb.text import NOWHERE, Analyzer, LocatedTerm, Tokenizer, without_surrogates


@dataclass(frozen=True)
class TermsOf:
    """The terms of a document: those of its text, then the analyzer's features and its fields, as ``group:token``."""

    tokenizer: Tokenizer
    analyzer: Analyzer

    def __call__(self, document: Document) -> list[str]:
        """All terms, repeated as often as they occur."""
        return list(self.stream(document))

    def stream(self, document: Document) -> Iterator[str]:
        """The same, one by one."""
        return chain(self.analyzer.stream(document.text, self.tokenizer), self.beside(document))

    def beside(self, document: Document) -> list[str]:
        """The terms beside those of the words: features of the text, and fields."""
        return self.analyzer.feature_terms(document.text, self.tokenizer) + _field_terms(document)

    def beside_in_groups(self, document: Document) -> list[str | tuple[str, Sequence[str]]]:
        """The same terms, those of each field as a prefix and its tokens: the extension joins them."""
        groups = [(f"{group}:", tokens) for group, tokens in sorted(document.fields.items())]
        return [*self.analyzer.feature_terms(document.text, self.tokenizer), *groups]

    def located(self, document: Document) -> list[LocatedTerm]:
        """The same terms with their places in the text; those of fields have none."""
        fields = [LocatedTerm(term, NOWHERE, NOWHERE) for term in _field_terms(document)]
        return self.analyzer.located(document.text, self.tokenizer) + fields


def _field_terms(document: Document) -> list[str]:
    terms = [f"{group}:{token}" for group, tokens in sorted(document.fields.items()) for token in tokens]
    whole = "".join(terms)  # one look at all of them: hardly any term has half a character
    return terms if without_surrogates(whole) == whole else list(map(without_surrogates, terms))

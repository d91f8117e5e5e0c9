"""The documents of a comparison, counted once for each way of cutting texts among its recipes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from textnb.counts import Counted, TermsOf
from textnb.counts.sums import class_codes
from textnb.errors import InputError
from textnb.evaluation.splits import Numbers, document_groups
from textnb.recipe import ClassifierRecipe
from textnb.text.analyzer import SELECTION


@dataclass(frozen=True)
class Tokenised:
    """The same labelled documents in the same order, by how they were cut into terms."""

    parts: Mapping[str, Counted]

    @classmethod
    def of(cls, recipes: Iterable[ClassifierRecipe], count: Callable[[TermsOf], Counted]) -> "Tokenised":
        """``count`` is called once for each tokenizer, normalisers and n-grams that a recipe has."""
        parts: dict[str, Counted] = {}
        for recipe in recipes:
            if (way := way_of(recipe.terms_of)) not in parts:
                parts[way] = count(recipe.terms_of)
        first = next(iter(parts.values()))
        if any((part.digests, part.labels) != (first.digests, first.labels) for part in parts.values()):
            raise InputError("the corpus has changed while it was read")
        first.named_labels  # noqa: B018  # a missing label is refused here
        return cls(parts)

    def of_recipe(self, recipe: ClassifierRecipe) -> Counted:
        """The documents as the recipe cuts them."""
        return self.parts[way_of(recipe.terms_of)]

    @cached_property
    def labels(self) -> list[str]:
        """Of each document."""
        return self._any.named_labels

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The labels, sorted."""
        return class_codes(np.array(self.labels, object))[0]

    @cached_property
    def y(self) -> Numbers:
        """The class of each document by number, (D,)."""
        return class_codes(np.array(self.labels, object))[1]

    @cached_property
    def groups(self) -> Numbers:
        """The number of the group of each document, copies being of one, (D,)."""
        return document_groups(self._any.digests, self._any.groups)

    @property
    def digests(self) -> list[bytes]:
        """Of each document under its label."""
        return self._any.learnt_digests

    @property
    def _any(self) -> Counted:
        return next(iter(self.parts.values()))


def way_of(terms_of: TermsOf) -> str:
    """What stands for a way of cutting texts; which terms are selected later is no part of it."""
    of_text = {key: value for key, value in terms_of.analyzer.recipe.items() if key not in SELECTION}
    return repr((terms_of.tokenizer.recipe, of_text))

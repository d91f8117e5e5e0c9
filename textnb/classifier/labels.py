"""Labels of one kind: text, whole numbers, numbers or truth values. A classifier knows classes by their names.

    label 10 of the kind ``integer``  <->  class '10'

Statistics, files and the command line have names, sorted as text. Whoever uses Python gets labels of the kind that was
learnt, sorted as such: ``LabelSet`` has the order of the classes by label.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.decisions import UNSURE
from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.numerics import Codes, Floats
from textnb.readers.texts import described

TEXT = "text"
KINDS: dict[str, type] = {TEXT: str, "boolean": bool, "integer": int, "real": float}
"""Kinds of labels by their name in the header of a model file."""

_WORDS = {TEXT: "text", "boolean": "True or False", "integer": "whole numbers", "real": "numbers"}
_NAMES = {"boolean": {"False": False, "True": True}}
_ALLOWED = "labels must be strings (not empty), whole numbers or booleans, all of one kind"


class LabelNames:
    """Turns labels into names of classes; the first label decides the kind, unless the kind is known.

    ``kind`` is None until then. ``takes_names``: labels come as names of classes, as the command line has them.
    """

    def __init__(self, kind: str | None = None, *, takes_names: bool = False) -> None:
        self.kind, self._takes_names = kind, takes_names
        self._first: Any = None
        self._seen: set[str] = set()  # labels that are text and have been checked

    def name(self, label: Any, position: int) -> str:
        """Return the name of the class of a label, which is refused unless it is of the one kind."""
        if type(label) is str and label in self._seen:
            return label
        kind = TEXT if isinstance(label, str) else self._kind_of(label, position)
        if self.kind is None:
            self.kind, self._first = kind, label
        if kind != self.kind:
            if kind == TEXT and self._takes_names:
                return self.name(self.label(label), position)
            self._refuse(label, position)
        if kind != TEXT:
            return str(KINDS[kind](label))
        self._seen.add(checked := _checked_text(label, position))
        return checked

    def label(self, name: str) -> Any:
        """Return the label of the class of that name."""
        return label_of(name, self.kind or TEXT)

    def _kind_of(self, label: Any, position: int) -> str:
        for kind, types in (
            ("boolean", (bool, np.bool_)),
            ("integer", (int, np.integer)),
            ("real", (float, np.floating)),
        ):
            if isinstance(label, types):
                if kind == "real" and not float(label).is_integer():
                    template = "label {i} is {label!r}, a fraction and not a class (Unknown label type: continuous)"
                    raise InputError(template, i=position, label=label)
                return kind
        template = "label {i} is {kind}; " + _ALLOWED
        raise InputError(template, i=position, kind=described(label))

    def _refuse(self, label: Any, position: int) -> None:
        known = f"label 0 is {described(self._first)}" if self._first is not None else "those learnt before are "
        if self._first is None:
            known += _WORDS[self.kind or TEXT]
        template = "label {i} is {kind}, but {known}; labels must be of one kind: map(str, labels) makes them text"
        raise InputError(template, i=position, kind=described(label), known=known)


def label_of(name: str, kind: str) -> Any:
    """Return the label of the class of that name; a name that is not of the kind is refused.

    >>> label_of("10", "integer"), label_of("True", "boolean"), label_of("10", "text")
    (10, True, '10')
    """
    if kind == TEXT:
        return name
    try:
        label = _NAMES[kind][name] if kind in _NAMES else KINDS[kind](name)
        if str(label) == name:
            return label
    except (KeyError, ValueError, OverflowError):
        pass
    template = "class {name!r} does not fit: the labels of this model are {kind}"
    raise InputError(template, name=name, kind=_WORDS[kind])


@dataclass(frozen=True)
class LabelSet:
    """Labels of the classes with these names, which are sorted as text; the labels are sorted by their kind."""

    names: tuple[str, ...]
    kind: str = TEXT

    @cached_property
    def order(self) -> Codes:
        """Number of the class of each label, (C,)."""
        labels = [label_of(name, self.kind) for name in self.names]
        return np.array(sorted(range(len(labels)), key=labels.__getitem__), np.intp)

    @cached_property
    def is_in_order(self) -> bool:
        """True if labels and names have the same order."""
        return self.kind == TEXT or bool((np.diff(self.order) > 0).all())

    @cached_property
    def array(self) -> NDArray[Any]:
        """Labels, sorted, (C,): text as objects, other kinds as numpy has them."""
        if self.kind == TEXT:
            return np.array(self.names, object)
        return np.array([label_of(self.names[k], self.kind) for k in self.order])

    def columns(self, values: Floats) -> Floats:
        """Return values (D, C) of the classes in the order of the labels."""
        return values if self.is_in_order else values[:, self.order]

    def rule(self, rule: Callable[[Floats], Codes]) -> Any:
        """Return a rule for probabilities and decisions in the order of the labels, from one for classes."""
        if self.is_in_order:
            return rule
        places = np.argsort(self.order)

        def decide(probabilities: Floats) -> Codes:
            decided = rule(np.asarray(probabilities)[:, places])
            return np.where(decided == UNSURE, UNSURE, places[decided])

        return decide

    def check_order(self, prior: Any) -> None:
        """Refuse a prior given in order if labels and names have different orders."""
        if not isinstance(prior, str) and isinstance(prior, Sequence) and not self.is_in_order:
            raise InputError("labels that are numbers need a prior by label: a mapping from label to probability")


def _checked_text(label: str, position: int) -> str:
    if not label:
        raise InputError("label {i} is {kind}; " + _ALLOWED, i=position, kind=described(label))
    try:
        label.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError("label {i} cannot be written as UTF-8: {why}", i=position, why=error.reason) from None
    return str(label)

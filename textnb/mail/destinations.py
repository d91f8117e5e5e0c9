"""Folders that mails are moved to by their class.

v is the verdict on a message, F the folders by class, U the folder for unsure messages.

(1)  v is unsure      U; without U the message stays
(2)  v is sure        F[v.label]; without that folder the message stays
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from textnb.errors import InputError, ParameterError, listed
from textnb.mail.decision import Verdict


@dataclass(frozen=True)
class Destinations:
    """Folders of classes and of unsure mails; formulas (1) and (2).

    >>> to = Destinations({"spam": "Junk"})
    >>> to(Verdict("spam", 0.999, unsure=False)), to(Verdict("spam", 0.6, unsure=True))
    ('Junk', None)
    """

    folders: Mapping[str, str] = field(default_factory=dict)
    unsure: str | None = None

    def __post_init__(self) -> None:
        if self.unsure == "":
            raise ParameterError("the folder for unsure messages has an empty name; name a folder or leave it out")

    def __call__(self, verdict: Verdict) -> str | None:
        """Folder that a message goes to; None if it stays."""
        return self.unsure if verdict.unsure else self.folders.get(verdict.label)

    @property
    def names(self) -> list[str]:
        """Folders that a message may go to, each once, sorted."""
        return sorted({*self.folders.values(), *([] if self.unsure is None else [self.unsure])})


def parse_class_pairs(pairs: Sequence[str], classes: Sequence[str], option: str) -> dict[str, str]:
    """Value of each class from ``CLASS=VALUE``; of several "=" the first one after a class name separates.

    >>> parse_class_pairs(["spam=Junk", "a=b=c"], ["a=b", "ham", "spam"], "--move")
    {'spam': 'Junk', 'a=b': 'c'}
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, value = _split_pair(pair, classes, option)
        if name in values:
            template = "{option} names the class {name!r} twice: {a!r} and {b!r}; leave one out"
            raise ParameterError(template, option=option, name=name, a=values[name], b=value)
        values[name] = value
    return values


def _split_pair(pair: str, classes: Sequence[str], option: str) -> tuple[str, str]:
    ends = [place for place, character in enumerate(pair) if character == "="]
    if not ends:
        template = "{option} takes CLASS=NAME, such as {example}=NAME, not {pair!r}"
        raise ParameterError(template, option=option, example=classes[0], pair=pair)
    end = next((end for end in ends if pair[:end] in classes), None)
    if end is None:
        template = "{option} {pair}: {name!r} is not among the model's classes: {classes}"
        raise InputError(template, option=option, pair=pair, name=pair[: ends[0]], classes=listed(classes))
    if not pair[end + 1 :]:
        raise ParameterError("{option} {pair}: write a name after '='", option=option, pair=pair)
    return pair[:end], pair[end + 1 :]

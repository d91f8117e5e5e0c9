"""What is wrong with a message: the kind in a word, for a token, and the case in words, for people."""

from dataclasses import dataclass, field

_MOST = 20


@dataclass
class Defects:
    """A list that stays short whatever the message is.

    >>> defects = Defects()
    >>> defects.add("base64", "damaged base64")
    >>> defects.add("base64", "damaged base64")
    >>> defects.words, defects.kinds
    (('damaged base64',), ('base64',))
    """

    found: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, words: str) -> None:
        """One more, unless the same has been said."""
        if len(self.found) < _MOST:
            self.found.setdefault(words, kind)

    @property
    def words(self) -> tuple[str, ...]:
        """All of them, in the order in which they were met."""
        return tuple(self.found)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Their kinds, each once."""
        return tuple(dict.fromkeys(self.found.values()))

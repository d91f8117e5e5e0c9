"""A dictionary as flat arrays: all that cutting a text needs, and what is known of each word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from textnb.text.engines.features import Features
from textnb.text.engines.lexicon import LOOK_AHEAD, Array, Lexicon
from textnb.text.user_dictionary import UserDictionary


@dataclass(frozen=True, eq=False)
class Categories:
    """How unknown words are made: kinds of characters, as bits.

    own, accepts (65536,): the kinds of a character, and those whose runs it may continue; beyond (1,): both, for
    characters beyond the BMP. limits: how many characters may follow the first. always: whether a kind gives unknown
    words even where a known word begins. firsts: of each kind its first unknown word. unknowns: like Lexicon.entries.
    """

    own: Array
    accepts: Array
    limits: Array
    always: Array
    firsts: Array
    unknowns: Array
    beyond: Array


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Words of the system's and the user's, unknown words, connection costs (left id, right id of the word before)."""

    system: Lexicon
    user: Lexicon | None
    categories: Categories
    connections: Array
    features: Features

    def with_user(self, words: UserDictionary) -> "Dictionary":
        """The same with words of the user's own."""
        if all(len(entry.surface) > LOOK_AHEAD for entry in words.entries):
            return self
        lexicon, entries = Lexicon.of(words.entries)
        features = self.features.with_entries(entries, len(self.system.entries))
        return replace(self, user=lexicon, features=features)

    def place(self, entry: int) -> int:
        """Where an entry, unknown words being -1, -2, ..., stands in the features."""
        return entry if entry >= 0 else len(self.features.pos) - len(self.categories.unknowns) - 1 - entry

    def arrays(self) -> dict[str, Array]:
        """The arrays of a dictionary without user words, by name."""
        parts = (self.system, self.categories, self.features)
        named = {field.name: getattr(part, field.name) for part in parts for field in fields(part)}
        del named["pos_names"]
        return {"connections": self.connections, **named}

    @classmethod
    def of(cls, arrays: Mapping[str, Array], pos_names: Sequence[str]) -> "Dictionary":
        """The dictionary that these arrays make up."""
        lexicon, categories, features = (
            {field.name: arrays[field.name] for field in fields(part) if field.name in arrays}
            for part in (Lexicon, Categories, Features)
        )
        known = Features(**features, pos_names=tuple(pos_names))
        return cls(Lexicon(**lexicon), None, Categories(**categories), arrays["connections"], known)

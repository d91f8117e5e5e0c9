"""Words of ASCII by a table of bytes: in the extension where it may be used, else in Python."""

from typing import NamedTuple

from textnb.extension import in_extension


class Rules(NamedTuple):
    """How data are cut into words.

    table: what each byte becomes, a space where it parts words. edges: what is taken away at both ends of a word.
    longest, most: characters of a word, longer ones are left out; words that are looked at. longest_value: bytes of a
    header field's value that are looked at.
    """

    table: bytes
    edges: bytes
    longest: int
    most: int
    longest_value: int = 0


def words(data: bytes | str, rules: Rules) -> list[str]:
    """The words of ASCII, or of bytes that the table makes ASCII.

    >>> words(b"a.b, c-", Rules(bytes(code if code not in b"," else 32 for code in range(256)), b"-", 60, 9))
    ['a.b', 'c']
    """
    written = data.encode("ascii") if isinstance(data, str) else data
    found = written.translate(rules.table).decode("ascii").split(maxsplit=rules.most)[: rules.most]
    edges = rules.edges.decode("ascii")
    return [word for raw in found if (word := raw.strip(edges)) and len(word) <= rules.longest]


words_of = in_extension(words)

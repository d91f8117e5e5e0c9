"""Words of ASCII by a table of bytes, and the hosts among them: in the extension where it may be used, else in Python.

All take the same:
    data            ASCII, or bytes of which the table makes ASCII
    table           what each byte becomes, a space where it parts words
    edges           what is taken away at both ends of a word
    longest, most   characters of a word, longer ones are left out; words that are looked at
    prefix          what is put before each word
"""

import re
from functools import lru_cache

from textnb.extension import in_extension
from textnb.readers.mail.links import host_tokens

_NETWORK = re.compile(r"(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}")


def words(data: bytes | str, table: bytes, edges: bytes, longest: int, most: int, prefix: str) -> list[str]:
    """The words.

    >>> words(b"a.b, c-", bytes(code if code not in b"," else 32 for code in range(256)), b"-", 60, 9, "x:")
    ['x:a.b', 'x:c']
    """
    written = data.encode("ascii") if isinstance(data, str) else data
    found = written.translate(table).decode("ascii").split(maxsplit=most)[:most]
    dropped = edges.decode("ascii")
    return [prefix + word for raw in found if (word := raw.strip(dropped)) and len(word) <= longest]


def plain_words(
    data: bytes | str, table: bytes, edges: bytes, longest: int, most: int, prefix: str
) -> list[str] | None:
    """The same of data that are their own text: ASCII, without escapes and encoded words; None for any other."""
    written = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if not written.isascii() or b"\x1b" in written or b"=?" in written:
        return None
    return words(written, table, edges, longest, most, prefix)


def plain_addresses(
    data: bytes | str, table: bytes, edges: bytes, longest: int, most: int, prefix: str
) -> list[str] | None:
    """The same, and after a word with @ its host, with the last labels of it."""
    plain = plain_words(data, table, edges, longest, most, prefix)
    return None if plain is None else with_hosts(plain)


def with_hosts(words: list[str]) -> list[str]:
    """The words, and after each with @ its host, with the last labels of it.

    >>> with_hosts(["Taro", "taro@Mail.example.jp"])
    ['Taro', 'taro@Mail.example.jp', 'mail.example.jp', 'example.jp', 'jp']
    """
    tokens = []
    for word in words:
        tokens.append(word)
        if "@" in word:
            tokens += host_tokens(word.rpartition("@")[2].lower())
    return tokens


def relays(data: bytes | str, table: bytes, edges: bytes, longest: int, most: int, prefix: str) -> list[str]:
    """What the words with a dot stand for: a host with its last labels; of a number its network, or nothing."""
    found = [word for word in words(data, table, edges, longest, most, prefix) if "." in word]
    return [token for word in found for token in _relay_tokens(word)]


@lru_cache(8192)
def _relay_tokens(word: str) -> tuple[str, ...]:
    if network := _NETWORK.fullmatch(word):
        return (network[1],)
    return () if word.replace(".", "").isdigit() else host_tokens(word)


words_of = in_extension(words)
plain_words_of = in_extension(plain_words)
plain_addresses_of = in_extension(plain_addresses)
relays_of = in_extension(relays)

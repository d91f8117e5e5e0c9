"""The installed Janome's own dictionary, read from its files and made into flat arrays."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from textnb.text.engines.dictionary import Categories, Dictionary
from textnb.text.engines.features import Features
from textnb.text.engines.installed import dictionary_folder
from textnb.text.engines.lexicon import Lexicon, packed
from textnb.text.entry import Entry

_PARTS = 10
_GROUPED = 1024  # Janome's longest unknown word
_COMPACT = re.compile(r"(\d+):\(u'(.*?)', *(\d+), *(\d+), *(-?\d+)\)")
_EXTRA = re.compile(r"(\d+):\(u'(.*?)',u'.*?',u'.*?',u'(.*?)',u'(.*?)',u'.*?'\)")


def compiled() -> Dictionary:
    """The dictionary of the installed Janome; takes a few seconds."""
    from janome.sysdic import chardef, connections, unknowns

    kinds = list(chardef.DATA[0])
    templates = [
        Entry("", left, right, cost, pos, "", "*") for kind in kinds for left, right, cost, pos in unknowns.DATA[kind]
    ]
    lexicon, entries = Lexicon.of(list(_entries()))
    return Dictionary(
        system=lexicon,
        user=None,
        categories=_categories(chardef.DATA, templates, [len(unknowns.DATA[kind]) for kind in kinds]),
        connections=_as_int16(np.array(connections).T),
        features=Features.of([*entries, *templates]),
    )


def _entries() -> Iterator[Entry]:
    """The lines of the dictionary in the order of their numbers, as Janome's memory-mapped mode reads them."""
    expected = 0
    for part in range(_PARTS):
        compact = _COMPACT.findall(_text(f"entries_compact{part}.py"))
        extra = _EXTRA.findall(_text(f"entries_extra{part}.py"))
        for (number, surface, left, right, cost), (same, pos, base, reading) in zip(compact, extra, strict=True):
            if not int(number) == int(same) == expected:
                raise ValueError(f"Janome's dictionary has no entry {expected} where it should be")
            expected += 1
            yield Entry(surface, int(left), int(right), int(cost), pos, base, reading)


def _text(name: str) -> str:
    return (dictionary_folder() / name).read_bytes().decode("unicode_escape")


def _categories(chardef: Any, templates: list[Entry], n_templates: list[int]) -> Categories:
    kinds = list(chardef[0])
    own, accepts = np.zeros(0x10000, np.uint16), np.zeros(0x10000, np.uint16)
    order: dict[int, list[int]] = {}
    for chars in chardef[1]:
        first, last, kind = ord(chars["from"]), ord(chars["to"]), kinds.index(chars["cate"])
        if last >= 0x10000:
            raise ValueError("Janome's dictionary knows kinds of characters beyond the BMP")
        for char in range(first, last + 1):
            order.setdefault(char, [])
            if kind not in order[char]:
                order[char].append(kind)
        also = [kinds.index(name) for name in chars.get("compat_cates", ())]
        own[first : last + 1] |= np.uint16(1 << kind)
        accepts[first : last + 1] |= np.uint16(sum(1 << k for k in {kind, *also}))
    if any(found != sorted(found) for found in order.values()):
        raise ValueError("Janome's dictionary orders the kinds of a character in a new way")
    beyond = 1 << kinds.index("DEFAULT")
    accepts[own == 0] = own[own == 0] = beyond
    settings = [chardef[0][kind] for kind in kinds]
    left, right, cost = (np.array([template[k] for template in templates]) for k in (1, 2, 3))
    return Categories(
        own=own,
        accepts=accepts,
        limits=np.array([_GROUPED if s["GROUP"] else s["LENGTH"] for s in settings], np.int32),
        always=np.array([s["INVOKE"] for s in settings], np.uint8),
        firsts=np.cumsum([0, *n_templates]).astype(np.int32),
        unknowns=packed(cost, left, right, np.ones(len(templates), bool)),
        beyond=np.array([beyond], np.uint16),
    )


def _as_int16(values: Any) -> Any:
    small = np.ascontiguousarray(values, np.int16)
    if not np.array_equal(small, values):
        raise ValueError("a connection cost of Janome's dictionary does not fit 16 bits")
    return small

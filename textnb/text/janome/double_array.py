"""A double array, a trie in two columns: finds all words that begin a text with one look-up per character.

    from place s, a character of code c leads to t = base[s] + c  if check[t] = s            (1)

Place 0 is the root. Frequent characters have the smallest codes, so that the children of a place are close together.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError

_MAX_CODES = 2**16 - 1
_MAX_TRIES = 64  # free places tried for one node before the places passed are left to nodes with one child
Ints = NDArray[np.int32]


def double_array(surfaces: Sequence[str]) -> tuple[Ints, NDArray[np.uint16]]:
    """Slots (n, 3) and codes of sorted, distinct, non-empty strings.

    A slot is base, check and the index of the surface that ends there, or -1. codes: of each character, 0 if no
    surface contains it.
    """
    letters = np.frombuffer("".join(surfaces).encode("utf-32-le"), "<u4")
    lengths = np.fromiter(map(len, surfaces), np.int64, len(surfaces))
    codes = _codes(letters)
    parents, labels, ends = _trie(codes[letters].astype(np.int32), lengths)
    places, bases = _placed(parents, labels)
    slots = np.full((int(places.max()) + 1, 3), (0, -1, -1), np.int32)
    slots[places, 0] = bases
    slots[places[1:], 1] = places[parents[1:]]
    slots[places[ends], 2] = np.arange(len(ends))
    return slots, codes


def _codes(letters: NDArray[np.uint32]) -> NDArray[np.uint16]:
    present, counts = np.unique(letters, return_counts=True)
    if len(present) > _MAX_CODES:
        raise InputError("a dictionary may have {n:,} different characters, not {m:,}", n=_MAX_CODES, m=len(present))
    codes = np.zeros(0x10000 if present[-1] < 0x10000 else 0x110000, np.uint16)
    codes[present[np.argsort(-counts, kind="stable")]] = np.arange(1, len(present) + 1)
    return codes


def _trie(letters: Ints, lengths: NDArray[np.int64]) -> tuple[Ints, Ints, Ints]:
    """Parent and label of each node, and the node in which each string ends; nodes by depth, 0 is the root."""
    depth = int(lengths.max())
    rows = np.zeros((len(lengths), depth), np.int32)
    rows[np.arange(depth) < lengths[:, None]] = letters
    shared = np.zeros(len(lengths), np.int64)  # characters that a string shares with the one before
    np.sum(np.logical_and.accumulate(rows[1:] == rows[:-1], axis=1), axis=1, out=shared[1:])
    parents, labels = [np.zeros(1, np.int32)], [np.zeros(1, np.int32)]
    ends, above, n_nodes = np.zeros(len(lengths), np.int32), np.zeros(len(lengths), np.int32), 1
    for d in range(depth):
        new = (shared <= d) & (d < lengths)
        nodes = (np.cumsum(new) - 1 + n_nodes).astype(np.int32)
        parents.append(above[new])
        labels.append(rows[new, d])
        ends[lengths == d + 1] = nodes[lengths == d + 1]
        above, n_nodes = nodes, n_nodes + int(new.sum())
    return np.concatenate(parents), np.concatenate(labels), ends


def _placed(parents: Ints, labels: Ints) -> tuple[Ints, Ints]:
    """Place and base of each node."""
    n_children = np.bincount(parents[1:], minlength=len(parents))
    first_child = 1 + np.cumsum(n_children) - n_children  # the children of a node are consecutive
    places, bases = np.zeros(len(parents), np.int32), np.zeros(len(parents), np.int32)
    used = bytearray(3 * len(parents) + 2 * int(labels.max()) + 2)
    used[0] = 1
    begin = 0
    for node in np.argsort(-n_children, kind="stable")[: np.count_nonzero(n_children > 1)].tolist():
        start = int(first_child[node])
        children = labels[start : start + n_children[node]].tolist()
        bases[node], begin = base = _free_base(used, sorted(children), begin)
        for child in children:
            used[base[0] + child] = 1
    several = np.repeat(n_children > 1, n_children)
    child = np.arange(1, len(parents))
    places[child[several]] = bases[parents[child[several]]] + labels[child[several]]
    only = child[~several]
    free = np.flatnonzero(np.frombuffer(used, np.uint8)[labels.max() :] == 0)[: len(only)] + labels.max()
    places[only] = free
    bases[parents[only]] = free - labels[only]
    return places, bases


def _free_base(used: bytearray, labels: list[int], begin: int) -> tuple[int, int]:
    """Base at which every label has a free place, and where to begin the next search."""
    first, *rest = labels
    place, tries = used.find(0, max(begin, first)), 0
    while True:
        base = place - first
        if base + labels[-1] + 1 >= len(used):  # the last place always stays free
            used.extend(bytes(len(used)))
        for label in rest:
            if used[base + label]:
                break
        else:
            return base, place if tries > _MAX_TRIES else begin
        place, tries = used.find(0, place + 1), tries + 1

"""Which documents have been learnt: a sorted multiset of 16-byte digests."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError, NotLearntError
from textnb.readers.document import DIGEST_SIZE

SIZE = DIGEST_SIZE
_DTYPE = f"S{SIZE}"


def labelled_digest(digest: bytes, label: str) -> bytes:
    """The digest of a document under its label: the same text learnt as another class is another thing learnt."""
    return blake2b(digest + label.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


class Digests:
    """A multiset with ``+`` and ``-``; ``-`` refuses what is not in it. Immutable.

    >>> a, b = (Digests.of([bytes([n]) * 16]) for n in (1, 2))
    >>> (a + b) - b == a, len(a + a)
    (True, 2)
    """

    def __init__(self, sorted_digests: NDArray[np.bytes_]) -> None:
        self._sorted = sorted_digests

    @classmethod
    def of(cls, digests: Iterable[bytes] = ()) -> "Digests":
        """The multiset of some digests, in any order."""
        listed = list(digests)
        if not (set(map(type, listed)) <= {bytes} and set(map(len, listed)) <= {SIZE}):
            raise InputError(f"digests must be of {SIZE} bytes each")
        return cls(np.sort(np.frombuffer(b"".join(listed), _DTYPE)))

    @classmethod
    def of_array(cls, array: NDArray[np.uint8]) -> "Digests":
        """The multiset from its bytes (n, 16), which must be in order."""
        if array.ndim != 2 or array.shape[1] != SIZE or array.dtype != np.uint8:
            raise InputError(f"digests must be bytes of shape (n, {SIZE})")
        digests = np.ascontiguousarray(array).view(_DTYPE).reshape(-1)
        if (digests[1:] < digests[:-1]).any():
            raise InputError("digests must be sorted")
        return cls(digests)

    @property
    def array(self) -> NDArray[np.uint8]:
        """The bytes, (n, 16), in order."""
        return self._sorted.view(np.uint8).reshape(-1, SIZE)

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, digest: bytes) -> bool:
        place = np.searchsorted(self._sorted, np.frombuffer(digest, _DTYPE)[0])
        return bool(place < len(self._sorted) and self._sorted[place] == np.frombuffer(digest, _DTYPE)[0])

    def __add__(self, other: "Digests") -> "Digests":
        return Digests(np.sort(np.concatenate([self._sorted, other._sorted])))

    def __sub__(self, other: "Digests") -> "Digests":
        here, counts = np.unique(self._sorted, return_counts=True)
        gone, less = np.unique(other._sorted, return_counts=True)
        known = np.isin(gone, here, assume_unique=True)
        places = np.searchsorted(here, gone[known])
        missing = int(less[~known].sum() + np.maximum(less[known] - counts[places], 0).sum())
        if missing:
            what = "document was" if missing == 1 else "documents were"
            raise NotLearntError(
                f"{missing} of {len(other)} {what} never learnt under that label and cannot be forgotten; "
                "nothing was changed"
            )
        counts[places] -= less
        return Digests(np.repeat(here, counts))

    def distance(self, other: "Digests") -> int:
        """How many digests must be added or taken away to come from one to the other.

        >>> a, b = (Digests.of([bytes([n]) * 16]) for n in (1, 2))
        >>> (a + a).distance(a + b)
        2
        """
        every, number = np.unique(np.concatenate([self._sorted, other._sorted]), return_inverse=True)
        mine, theirs = (np.bincount(part, minlength=len(every)) for part in np.split(number, [len(self)]))
        return int(np.abs(mine - theirs).sum())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digests) and np.array_equal(self._sorted, other._sorted)

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its array

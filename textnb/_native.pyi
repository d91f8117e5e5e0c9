from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, final, overload

Row = TypeVar("Row", bound=tuple[Any, ...])
Memory = Any  # an object with the buffer protocol; checked once, so it must not change while the extension uses it
Lexicon = tuple[Memory, Memory, Memory, Memory]
Rules = tuple[bytes, bytes, int, int, int]
Told = tuple[int, int, str, str]

def after_fork() -> None: ...
def return_memory() -> bool: ...
def has_many_attributes(source: bytes, most: int, /) -> bool: ...
def split_head(
    data: bytes, start: int, end: int, longest: int, longest_name: int, /
) -> tuple[list[tuple[bytes, bytes]], list[bytes], int, int, bool]: ...
def words(data: bytes | str, rules: Rules, /) -> list[str]: ...
def head_tokens(
    fields: list[tuple[bytes, bytes]],
    told: Mapping[bytes, Told | None],
    rules: tuple[Rules, Rules, Rules],
    n: int,
    otherwise: Callable[[Told, bytes], Iterable[str]],
    /,
) -> list[list[str]]: ...
def present(source: bytes, words: tuple[bytes, ...], /) -> set[bytes]: ...
def values_of(source: bytes, names: tuple[bytes, ...], /) -> list[set[str]]: ...
def written_hosts(text: str, longest: int, most: int, /) -> list[str]: ...
def tidied(text: str, /) -> str: ...
def with_lines(source: bytes, tags: bytes, /) -> bytes: ...
def hinge_pass(
    starts: Memory,
    columns: Memory,
    values: Memory | None,
    targets: Memory,
    slack: Memory,
    curvature: Memory,
    order: Memory,
    alpha: Memory,
    theta: Memory,
    n_columns: int,
    n_targets: int,
    size: int,
    scale: Memory | None = None,
    norms: Memory | None = None,
    /,
) -> None: ...
def hinge_product(
    starts: Memory,
    columns: Memory,
    values: Memory | None,
    scale: Memory | None,
    norms: Memory | None,
    factors: Memory,
    product: Memory,
    n_columns: int,
    n_targets: int,
    size: int,
    transposed: bool,
    /,
) -> None: ...

@final
class Lattice:
    def __new__(
        cls,
        system: Lexicon,
        user: Lexicon | None,
        connections: Memory,
        own: Memory,
        accepts: Memory,
        limits: Memory,
        always: Memory,
        firsts: Memory,
        unknowns: Memory,
        beyond: int,
        /,
    ) -> Lattice: ...
    def surfaces(self, text: str, /) -> list[str]: ...
    def tokens(self, text: str, kind: type[Row], known: Mapping[int, tuple[Any, ...]], /) -> list[Row]: ...
    def cut(self, text: str, enough: int, /) -> tuple[bytes, int]: ...

@final
class Cutter:
    @overload
    def __new__(
        cls, way: Literal["lattice"], lattice: Lattice, strings: Memory, offsets: Memory, pool: Memory, /
    ) -> Cutter: ...
    @overload
    def __new__(cls, way: Literal["runs", "words"], kinds: Memory, /) -> Cutter: ...
    @overload
    def __new__(cls, way: Literal["grams"], low: int, high: int, /) -> Cutter: ...

@final
class Counter:
    def __new__(
        cls,
        seed: bytes,
        low: int,
        high: int,
        stopped: Iterable[str],
        known: Iterable[str] | tuple[Memory, Memory, Memory] | None = None,
        chars_low: int = 1,
        chars_high: int = 0,
    ) -> Counter: ...
    def count(
        self,
        cutters: tuple[Cutter, ...],
        texts: tuple[str, ...],
        extras: tuple[Sequence[str | tuple[str, Sequence[str]]], ...],
        /,
    ) -> tuple[bytes, bytes, bytes]: ...
    def strings(self) -> list[str]: ...
    def sorted(self, last: bool = False, /) -> tuple[bytes, bytes, bytes]: ...

def class_sums(
    starts: Memory,
    columns: Memory,
    values: Memory,
    codes: Memory,
    weight: Memory | None,
    table: Memory,
    first: int,
    last: int,
    n_columns: int,
    n_classes: int,
    /,
) -> None: ...
def table_logs(
    table: Memory, logs: Memory, log_totals: Memory, out: Memory, others: Memory, n_classes: int, n_columns: int, /
) -> int: ...
def row_scores(
    starts: Memory,
    columns: Memory,
    values: Memory,
    weights: Memory,
    bias: Memory,
    scores: Memory,
    first: int,
    last: int,
    n_columns: int,
    n_classes: int,
    /,
) -> None: ...
def row_classes(
    starts: Memory,
    columns: Memory,
    values: Memory,
    weights: Memory,
    bias: Memory,
    classes: Memory,
    first: int,
    last: int,
    n_columns: int,
    n_classes: int,
    /,
) -> None: ...
def term_union(
    data: Memory,
    starts: Memory,
    places: Memory,
    others: Memory,
    their_starts: Memory,
    their_places: Memory,
    out: Memory,
    out_starts: Memory,
    /,
) -> int: ...

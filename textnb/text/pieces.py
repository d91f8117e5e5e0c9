"""Cutting a long text where an analyser hardly notices: after a line, a sentence, a space, and only then anywhere."""

import re
from collections.abc import Iterator

LONGEST = 12_287
"""Characters, which are at most 49,148 bytes in UTF-8. Sudachi refuses more than 49,149; MeCab loses or garbles a word
that with the white space before it has more than 65,535, and has crashed on a run of 200,000 letters."""

_ENDS = tuple(map(re.compile, (r"\n", r"[。！？!?][」』）)]*", r"\s")))


def pieces(text: str, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """The text as pieces of at most that many characters, each with its start; a shorter text is one piece.

    >>> list(pieces("犬だ。猫だ。鳥だ", longest=7))
    [(0, '犬だ。猫だ。'), (6, '鳥だ')]
    """
    start = 0
    while len(text) - start > longest:
        end = start + _last_end(text[start : start + longest])
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _last_end(window: str) -> int:
    for kind in _ENDS:
        if ends := [found.end() for found in kind.finditer(window)]:
            return ends[-1]
    return len(window)

"""The presence set of a message: each term that it holds, once.

    words of subject and body, folded  |  group:token of every field

Japanese stretches are cut by the caller's tokenizer, or else into pairs of characters; the rest into words.
"""

from collections.abc import Callable, Iterable

from textnb.document import Document
from textnb.readers.message.words import LONGEST, japanese_apart, pairs

_KEPT = b"$'-_!%"
_FOLDED = bytes(
    code + 32 if 65 <= code <= 90 else code if code >= 128 or chr(code).isalnum() or code in _KEPT else 32
    for code in range(256)
)


def token_set(message: Document, cut: Callable[[str], Iterable[str]] = pairs) -> set[str]:
    """All terms of a message. cut: the tokenizer for Japanese text, such as ``tokenizer("janome")``.

    >>> sorted(token_set(Document("Free 東京都, free!", fields={"from": ["a@example.jp"]})))
    ['free', 'free!', 'from:a@example.jp', '京都', '東京']
    """
    terms = {f"{group}:{token}" for group, tokens in message.fields.items() for token in tokens}
    text = message.text
    if not text.isascii():
        japanese, text = japanese_apart(text)
        for stretch in japanese:
            terms.update(cut(stretch))
        text = text.lower()
    words = set(text.encode("utf-8", "replace").translate(_FOLDED).decode().split())
    terms.update(word for word in words if len(word) <= LONGEST)
    return terms

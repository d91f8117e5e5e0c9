"""Counts how short unlabelled mail is read: Japanese in cp932 and EUC-JP, half-width katakana, and western in cp1252.

    .venv/bin/python scripts/experiments/unlabelled_mail.py JSONL... --western MO...

Every message is one word without any label, once in a raw Subject field and once in the body. The Japanese words are
the stretches of kanji, of kana, and of kanji with kana in the texts of the JSONL files; half-width katakana are their
katakana words; the western words are those with a character beyond ASCII in catalogues of translated messages (.mo)
that cp1252 can write. Printed are the proportion that is read as it was written, and the charsets that the bytes were
read in. The numbers in ``readers/message/unlabelled.py`` were chosen by looking at livedoor, corpora/ja-mini and
SpamAssassin, so other texts must be given here.
"""

import argparse
import gzip
import json
import re
import unicodedata
from collections import Counter
from gettext import GNUTranslations
from pathlib import Path

from textnb.readers import read_message

JAPANESE = ("[一-鿿]+", "[一-鿿]+[ぁ-ゖ]+", "[ァ-ヶー]{2,}", "[ぁ-ゖ]{2,}")
HALF_WIDTH = {unicodedata.normalize("NFKC", chr(c)): chr(c) for c in range(0xFF61, 0xFFA0)}
HALF_WIDTH |= {"\u3099": "ﾞ", "\u309a": "ﾟ"}
CHARSETS = ("cp932", "euc_jp", "cp1252")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("japanese", nargs="+", type=Path)
    arguments.add_argument("--western", nargs="+", type=Path, required=True)
    given = arguments.parse_args()
    words = japanese_words(given.japanese)
    katakana = [half_width(word) for word in words if re.fullmatch("[ァ-ヶー]+", word)]
    print(f"{'words':23} {'charset':8} {'messages':>8} {'right':>8}  read as")
    for charset in CHARSETS[:2]:
        for n in (1, 2, 3, 4):
            show(f"Japanese, {n} characters", [word for word in words if len(word) == n], charset)
        show("Japanese, 5 and more", [word for word in words if len(word) > 4], charset)
    for low, high in ((2, 3), (4, 5), (6, 7), (8, 99)):
        show(f"half-width, {low} to {high}", [word for word in katakana if low <= len(word) <= high], "cp932")
    show("western", western_words(given.western), "cp1252")


def japanese_words(paths: list[Path]) -> list[str]:
    lines = [line for path in paths for line in gzip.decompress(path.read_bytes()).splitlines()]
    texts = [json.loads(line)["text"] for line in lines]
    return sorted({word for text in texts for pattern in JAPANESE for word in re.findall(pattern, text)})


def western_words(paths: list[Path]) -> list[str]:
    found: set[str] = set()
    for path in paths:
        with path.open("rb") as stream:
            translations = vars(GNUTranslations(stream))["_catalog"].values()
        found.update(word for text in translations for word in str(text).split() if not word.isascii())
    return sorted(word for word in found if word.encode("cp1252", "ignore").decode("cp1252") == word)


def half_width(word: str) -> str:
    return "".join(HALF_WIDTH.get(c, c) for c in unicodedata.normalize("NFD", word))


def show(name: str, words: list[str], charset: str) -> None:
    """Print how messages of one word each are read."""
    read: Counter[str] = Counter()
    for word in words:
        data = word.encode(charset, "ignore")
        if data.decode(charset) != word or data.isascii() or is_utf8(data):
            continue
        for message in (b"Subject: " + data + b"\n\n", b"Subject: \n\n" + data + b"\n"):
            text = read_message(message).text.strip()
            others = (other for other in CHARSETS if text == data.decode(other, "replace").strip())
            read[charset if text == word.strip() else next(others, "else")] += 1
    total = sum(read.values())
    print(f"{name:23} {charset:8} {total:8,} {read[charset] / max(total, 1):8.2%}  {dict(read.most_common())}")


def is_utf8(data: bytes) -> bool:
    return "\ufffd" not in data.decode("utf-8", "replace")


if __name__ == "__main__":
    main()

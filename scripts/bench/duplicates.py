"""Times the search for near duplicates as the number of documents grows.

    .venv/bin/python scripts/bench/duplicates.py

Four kinds of corpora, each at several sizes:

    livedoor    every 4th and every 2nd of its articles, and all (`textnb corpus get livedoor` first)
    recombined  as many articles, twice and four times as many, made of livedoor's lines drawn at random within a
                class: hardly any stretch of text is in one document only, so rarity says little
    campaign    one mail many times, each copy with a word of its own: all are near duplicates
    template    filled-in forms whose similarity is near the threshold: most must be kept apart

The last two rule out comparing every pair. Times are processor seconds of one thread.
"""

import random
import time

import numpy as np

from textnb import Document, read_corpus
from textnb.corpus import corpus_path
from textnb.corpus.near_duplicates import find_duplicate_groups, shingle_matrix, shingles


def main() -> None:
    livedoor = list(read_corpus(corpus_path("livedoor")))
    texts = [document.text for document in livedoor]
    print(f"{'corpus':12}{'documents':>10}{'characters':>13}{'shingles':>10}{'groups':>10}  duplicates found")
    for share in (4, 2, 1):
        measure("livedoor", texts[::share])
    for times in (1, 2, 4):
        measure("recombined", recombined(livedoor, times))
    for number in (5_000, 10_000, 20_000):
        measure("campaign", [f"{texts[0][:400]} {word(i)}" for i in range(number)])
    for number in (5_000, 10_000, 20_000):
        measure("template", [texts[0][:200] + " ".join(word(10 * i + j) for j in range(3)) for i in range(number)])


def measure(name: str, texts: list[str]) -> None:
    begun = time.process_time()
    X = shingle_matrix([shingles(text) for text in texts])
    cut = time.process_time()
    groups = find_duplicate_groups(X)
    done = time.process_time()
    _, sizes = np.unique(groups, return_counts=True)
    found = f"{sizes[sizes > 1].sum():,} documents in {np.count_nonzero(sizes > 1):,} groups"
    characters = sum(map(len, texts))
    print(f"{name:12}{len(texts):10,}{characters:13,}{cut - begun:8.1f} s{done - cut:8.1f} s  {found}", flush=True)


def recombined(documents: list[Document], times: int) -> list[str]:
    """Return documents with as many lines as the given ones, drawn from the lines of their class."""
    rng = random.Random(0)
    lines: dict[str | None, list[str]] = {}
    for document in documents:
        lines.setdefault(document.label, []).extend(document.text.splitlines())
    return [
        "\n".join(rng.choices(lines[document.label], k=document.text.count("\n") + 1))
        for document in documents
        for _ in range(times)
    ]


def word(number: int) -> str:
    """Return eight letters that are unlike those of any other number."""
    return "".join(random.Random(number).choices("abcdefghijklmnopqrstuvwxyz", k=8))


if __name__ == "__main__":
    main()

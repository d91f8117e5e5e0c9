"""Makes labelled short documents in any number, and measures counting and training on them.

    .venv/bin/python scripts/bench/scale.py make FOLDER --documents N [--parts N] [--format jsonl] [--seed N]

A document is two or three sentences of one class of livedoor (`textnb corpus get livedoor`), drawn with replacement,
so that hardly any repeats another. Livedoor's own words end after some hundred thousand documents, so words of
katakana are put between the sentences, at the rate at which a growing corpus has new words (Heaps' law): a corpus
that goes on after the N0 tokens of livedoor has, after n more,

    V(n) = K ((N0 + n)^B - N0^B)                                                                              (1)

words that livedoor has not. Word i of them is a function of i. Document d, which begins at n = TOKENS d, has the words
from V(n) to V(n + TOKENS), which are new, and one out of three has an older one, drawn as by Zipf's law: its number is
V(n)^u with u uniform in [0, 1). So document d is a function of seed and d: the same seed gives the same documents, in
any number of parts, and a smaller number of them gives the first ones.
"""

import argparse
import csv
import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

from textnb import read_corpus
from textnb.corpus import corpus_path

K, B, N0 = 12.0, 0.6, 2_000_000
TOKENS = 50
"""Tokens of a document on average, as janome cuts them."""
SHORTEST, LONGEST = 10, 60
"""Characters of a sentence."""
SYLLABLES = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモ"
    "ヤユヨラリルレロワガギグゲゴザズゼゾダデドバビブベボパピプペポ"
)
REPEATED = 1 / 3
"""Proportion of the documents with an older made-up word."""


def main() -> None:
    """Run a subcommand."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = arguments.add_subparsers(dest="verb", required=True)
    make = verbs.add_parser("make", help="write a corpus")
    make.add_argument("folder", type=Path)
    make.add_argument("--documents", type=int, required=True)
    make.add_argument("--parts", type=int, default=1)
    make.add_argument("--format", choices=WRITERS, default="csv")
    make.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    write_parts(given.folder, given.documents, given.parts, given.format, given.seed)


def write_parts(folder: Path, n_documents: int, n_parts: int = 1, form: str = "csv", seed: int = 0) -> None:
    """Write documents to files of a folder, part-0000.csv and so on, all of about the same number of documents."""
    folder.mkdir(parents=True, exist_ok=True)
    sentences = sentences_by_class()
    for part in range(n_parts):
        first, end = (n_documents * place // n_parts for place in (part, part + 1))
        path = folder / f"part-{part:04}.{form}"
        WRITERS[form](path, documents(sentences, first, end, seed))
        print(f"{path}: {end - first:,} documents, {path.stat().st_size / 1e6:,.1f} MB", file=sys.stderr)


def sentences_by_class() -> dict[str, list[str]]:
    """Distinct sentences of each class of livedoor, in the order of the corpus."""
    found: dict[str, dict[str, None]] = {}
    for article in read_corpus(corpus_path("livedoor")):
        cut = (text.strip() for text in re.split("[。\n]", article.text))
        mine = found.setdefault(article.label or "", {})
        mine |= dict.fromkeys(text for text in cut if SHORTEST <= len(text) <= LONGEST)
    return {label: list(texts) for label, texts in sorted(found.items())}


def documents(
    sentences: dict[str, list[str]], first: int = 0, end: int | None = None, seed: int = 0
) -> Iterator[tuple[str, str]]:
    """Yield text and label of documents from a number on; without an end they never end."""
    labels = list(sentences)
    number = first
    while end is None or number < end:
        random = Random(f"{seed} {number}")
        label = random.choice(labels)
        texts = random.choices(sentences[label], k=random.choice((2, 3)))
        low, high = (int(n_made_words(TOKENS * place)) for place in (number, number + 1))
        words = [made_word(i) for i in range(low, high)]
        if random.random() < REPEATED and low:
            words.append(made_word(int(low ** random.random()) - 1))
        for word in words:
            place = random.randrange(len(texts))
            texts[place] = f"{word}の{texts[place]}"
        yield "。".join(texts) + "。", label
        number += 1


def n_made_words(n_tokens: int) -> float:
    """V(n) of eq. (1)."""
    return K * ((N0 + n_tokens) ** B - N0**B)


def made_word(number: int) -> str:
    """Made-up word of a number: four to seven syllables, another for each number."""
    mixed = number * 2_654_435_761 % (1 << 32)  # a bijection, so that neighbours do not look alike
    syllables = []
    while mixed or len(syllables) < 4:
        mixed, place = divmod(mixed, len(SYLLABLES))
        syllables.append(SYLLABLES[place])
    return "".join(syllables)


def write_csv(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """Write a CSV table."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["text", "label"])
        table.writerows(rows)


def write_jsonl(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    """Write a record per line."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        for text, label in rows:
            stream.write(json.dumps({"text": text, "label": label}, ensure_ascii=False) + "\n")


def write_parquet(path: Path, rows: Iterator[tuple[str, str]], rows_per_group: int = 10_000) -> None:
    """Write a Parquet file with row groups of this size; it needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("text", pa.string()), ("label", pa.string())])
    with pq.ParquetWriter(path, schema) as writer:
        while group := list(islice(rows, rows_per_group)):
            columns = dict(zip(schema.names, zip(*group, strict=True), strict=True))
            writer.write_table(pa.table(columns, schema))


WRITERS: dict[str, Callable[[Path, Iterator[tuple[str, str]]], None]] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
}


if __name__ == "__main__":
    main()

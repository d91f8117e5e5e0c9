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

    .venv/bin/python scripts/bench/scale.py train FOLDER... [--terms words] [--budget N] [--jobs 1,2] [--rounds N]
    .venv/bin/python scripts/bench/scale.py count FOLDER [--terms words,chars] [--rounds N]

``train`` runs `textnb train --model multinomial --term-budget` on folders that ``make`` has written: peak memory, and
time per document. ``count`` counts the documents of a folder, each way in a process of its own, in turn: textnb in one
thread and in two, to a matrix (``counted``) and to statistics (``LearntSum``); scikit-learn's CountVectorizer with
textnb's analyzer, so with the same tokens; and its HashingVectorizer. Texts are read before; memory is the largest
resident size less that before counting. Times are the least of the rounds, of the wall clock and of processors.
"""

import argparse
import csv
import json
import math
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

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
    train = verbs.add_parser("train", help="train on corpora, and print memory and time")
    train.add_argument("folders", type=Path, nargs="+")
    train.add_argument("--terms", default="words")
    train.add_argument("--budget", type=int, default=200_000)
    train.add_argument("--jobs", default="1")
    train.add_argument("--rounds", type=int, default=1)
    count = verbs.add_parser("count", help="count a corpus in several ways")
    count.add_argument("folder", type=Path)
    count.add_argument("--terms", default="words,chars")
    count.add_argument("--rounds", type=int, default=3)
    count.add_argument("--way", choices=WAYS, help="count in this way only, in this process")
    given = arguments.parse_args()
    if given.verb == "train":
        print_training(given.folders, given.terms, given.budget, given.jobs.split(","), given.rounds)
    elif given.verb == "count":
        print(json.dumps(counted_by(given.way, given.folder, given.terms))) if given.way else print_counting(given)
    else:
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

OURS = ("textnb, matrix, 1 thread", "textnb, matrix, 2 threads", "textnb, sums, 2 threads")
WAYS = (*OURS, "CountVectorizer", "HashingVectorizer")


def print_training(folders: list[Path], terms: str, budget: int, jobs: list[str], rounds: int) -> None:
    """Train on each folder with each number of jobs; print the least of the rounds."""
    print(f"{'':<28}{'documents':>12}{'peak MB':>9}{'wall s':>9}{'processor s':>13}{'us/document':>13}")
    for folder in folders:
        n_documents = sum(1 for _ in read_corpus(folder))
        found: dict[str, list[tuple[float, float, float]]] = {n_jobs: [] for n_jobs in jobs}
        for _ in range(rounds):
            for n_jobs in jobs:
                with TemporaryDirectory() as scratch:
                    options = f"--model multinomial --terms {terms} --term-budget {budget} -q -j {n_jobs}".split()
                    output = str(Path(scratch, "m"))
                    command = [sys.executable, "-m", "textnb", "train", str(folder), *options, "-o", output]
                    found[n_jobs].append(resources_of(command))
        for n_jobs, runs in found.items():
            wall, processor, peak = (min(each) for each in zip(*runs, strict=True))
            name = f"{folder.name}, {n_jobs} worker{'s' * (n_jobs != '1')}"
            each = processor / n_documents * 1e6
            print(f"{name:<28}{n_documents:>12,}{peak:>9.0f}{wall:>9.1f}{processor:>13.1f}{each:>13.1f}", flush=True)


def resources_of(command: list[str]) -> tuple[float, float, float]:
    """Wall and processor seconds and peak megabytes of a command."""
    begun = time.monotonic()
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed")
    return time.monotonic() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6


def print_counting(given: argparse.Namespace) -> None:
    """Count in every way, in turn; print the least of the rounds and the ratios to the fastest way of textnb."""
    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for _ in range(given.rounds):
        for way in WAYS:
            command = [sys.executable, __file__, "count", str(given.folder), "--terms", given.terms, "--way", way]
            found[way].append(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
    least = {way: {name: min(run[name] for run in runs) for name in runs[0]} for way, runs in found.items()}
    print(f"{'':<28}{'documents':>10}{'terms':>10}{'wall s':>8}{'processor s':>13}{'memory MB':>11}")
    for way, run in least.items():
        numbers = f"{run['documents']:>10,}{run['terms']:>10,}{run['wall']:>8.1f}{run['processor']:>13.1f}"
        print(f"{way:<28}{numbers}{run['memory']:>11.0f}")
    theirs = least["CountVectorizer"]
    for way in OURS:
        mine = least[way]
        wall, processor, memory = (theirs[name] / mine[name] for name in ("wall", "processor", "memory"))
        ratios = f"{wall:.1f} times the wall time, {processor:.1f} of processors, {memory:.1f} times the memory"
        print(f"CountVectorizer takes {ratios} of {way}")


def counted_by(way: str, folder: Path, terms: str) -> dict[str, float]:
    """Count the documents of a folder in one way; seconds, and megabytes beyond those before."""
    from textnb import tokenizer
    from textnb.counts import TermsOf, counted
    from textnb.counts.counting import PART_CHARACTERS
    from textnb.counts.learnt import Keeps
    from textnb.counts.summing import LearntSum
    from textnb.counts.weighting import weighting
    from textnb.text import Analyzer

    terms_of = TermsOf(tokenizer("janome"), Analyzer(terms=tuple(terms.split(","))))
    corpus = list(read_corpus(folder))
    texts = [document.text for document in corpus]
    for _ in counted(corpus[:100], terms_of):  # opens the dictionary
        pass
    start, begun, used = peak_megabytes(), time.monotonic(), time.process_time()
    if way == "textnb, sums, 2 threads":
        total = LearntSum(weighting("raw"), Keeps())
        for part in counted(corpus, terms_of, jobs=2, entries=math.inf, characters=PART_CHARACTERS):
            total.add(part)
        n_terms = total.learnt().counts.n_terms
    elif way.startswith("textnb"):
        (part,) = counted(corpus, terms_of, jobs=2 if "2" in way else 1, entries=math.inf)
        n_terms = len(part.vocabulary)
    else:
        from sklearn.feature_extraction import text as sklearn_text

        def analyzer(text: str) -> list[str]:
            return list(terms_of.analyzer.stream(text, terms_of.tokenizer))

        n_terms = getattr(sklearn_text, way)(analyzer=analyzer).fit_transform(texts).shape[1]
    seconds, processor = time.monotonic() - begun, time.process_time() - used
    memory = peak_megabytes() - start
    return {"documents": len(texts), "terms": n_terms, "wall": seconds, "processor": processor, "memory": memory}


def peak_megabytes() -> float:
    """Largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


if __name__ == "__main__":
    main()

"""Times tokenizing and counting of Japanese: the engines of `janome`, other tokenizers, and files to a matrix.

    .venv/bin/python scripts/bench/japanese.py [CORPUS] [--rounds N] [--sample N]

CORPUS is a folder with one subfolder per class; without it, livedoor as `textnb corpus get livedoor` finds it. All are
timed on the same sample of documents, a new one each round; the fast ones repeat it, so that all run for about as long.
They run in turn, round after round, because machines are shared and noisy; the result is the median of the rounds'
ratios. mecab and sudachi need `pip install 'textnb[mecab,sudachi]'`.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from janome.tokenizer import Tokenizer as JanomeTokenizer
from sklearn.feature_extraction.text import CountVectorizer

from textnb import read_corpus
from textnb.corpus import corpus_path
from textnb.counts import TermsOf, counted
from textnb.estimators import TextVectorizer
from textnb.readers import Document
from textnb.text import Analyzer, tokenizer

Texts = list[str]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpus", nargs="?")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--sample", type=int, default=200)
    arguments.add_argument("--only", choices=["start", "tokenizers", "tokens", "counting", "files"], nargs="*")
    given = arguments.parse_args()
    corpus = Path(given.corpus or corpus_path("livedoor"))
    texts = [document.text for document in read_corpus(corpus)]
    size = f"{len(texts):,} documents, {sum(map(len, texts)):,} characters"
    print(f"{corpus.name}: {size}; medians of {given.rounds} rounds")
    parts: dict[str, Callable[[], None]] = {
        "start": start_up,
        "tokenizers": lambda: compare_tokenizers(texts, given.rounds, given.sample),
        "tokens": lambda: compare_tokens(texts, given.rounds, given.sample),
        "counting": lambda: compare_counting(texts, given.rounds, given.sample),
        "files": lambda: from_files(corpus, texts, given.rounds),
    }
    for name, part in parts.items():
        if given.only is None or name in given.only:
            part()


def start_up() -> None:
    """Print time and memory from the start of Python to the first token."""
    code = """
import time; begun = time.perf_counter()
from textnb.text import tokenizer
tokenizer("janome")("すもももももももものうち")
seconds = time.perf_counter() - begun
peak = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(f"{seconds:.3f} s, {int(peak[0]) / 1024:.0f} MB at most" if peak else f"{seconds:.3f} s")
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    print(f"start-up, import to first token, dictionary in the cache: {done.stdout.strip()}\n")


def compare_tokenizers(texts: Texts, rounds: int, sample: int) -> None:
    janome = JanomeTokenizer(wakati=True)
    tasks: dict[str, tuple[int, Callable[[Texts], object]]] = {
        "Janome": (1, lambda some: [list(janome.tokenize(text)) for text in some]),
        "janome, python": (2, alone("janome", engine="python")),
        "janome, native": (30, alone("janome", engine="native")),
        "janome, native, 2 threads": (30, on_threads("janome", engine="native")),
        "mecab": (8, alone("mecab")),
        "sudachi A": (4, alone("sudachi", mode="A")),
        "sudachi C": (4, alone("sudachi", mode="C")),
        "charclass": (30, alone("charclass")),
        "chars": (20, alone("chars")),
    }
    race("text to a list of terms", tasks, texts, rounds, sample)


def compare_tokens(texts: Texts, rounds: int, sample: int) -> None:
    """Compare tokens, which have part of speech and place, with terms."""
    janome, filtered = tokenizer("janome"), tokenizer("janome", pos=["名詞", "動詞"], form="base")
    tasks: dict[str, tuple[int, Callable[[Texts], object]]] = {
        "janome, terms": (10, lambda some: [len(janome(text)) for text in some]),
        "janome, tokens": (10, lambda some: [len(list(janome.tokens(text))) for text in some]),
        "base forms of nouns and verbs, terms": (10, lambda some: [len(filtered(text)) for text in some]),
        "base forms of nouns and verbs, tokens": (10, lambda some: [len(list(filtered.tokens(text))) for text in some]),
    }
    race("text to tokens, by time of the processor", tasks, texts, rounds, sample, time.process_time)


def compare_counting(texts: Texts, rounds: int, sample: int) -> None:
    janome = JanomeTokenizer(wakati=True)
    vectorizer = CountVectorizer(analyzer=lambda text: list(janome.tokenize(text)))
    tasks: dict[str, tuple[int, Callable[[Texts], object]]] = {
        "CountVectorizer with Janome": (1, vectorizer.fit_transform),
        "CountVectorizer, chars 2-3": (8, CountVectorizer(analyzer="char", ngram_range=(2, 3)).fit_transform),
        "CountVectorizer with textnb's janome": (20, CountVectorizer(analyzer=tokenizer("janome")).fit_transform),
        "TextVectorizer, janome": (30, TextVectorizer("janome").fit_transform),
        "TextVectorizer, janome, 2 threads": (30, TextVectorizer("janome", n_jobs=2).fit_transform),
        "TextVectorizer, janome, tfidf-l2": (30, TextVectorizer("janome", weighting="tfidf-l2").fit_transform),
        "textnb, janome": (30, count("janome")),
        "textnb, janome, 2 threads": (30, count("janome", 2)),
        "textnb, charclass": (30, count("charclass")),
        "textnb, chars": (10, count("chars")),
    }
    race("text to a count matrix", tasks, texts, rounds, sample)


def alone(name: str, **params: str) -> Callable[[Texts], object]:
    cut = tokenizer(name, **params)
    return lambda some: [cut(text) for text in some]


def on_threads(name: str, **params: str) -> Callable[[Texts], object]:
    cut = tokenizer(name, **params)
    pool = ThreadPoolExecutor(2)
    return lambda some: list(pool.map(lambda part: [cut(text) for text in part], (some[::2], some[1::2])))


def count(name: str, jobs: int = 1) -> Callable[[Texts], object]:
    terms_of = TermsOf(tokenizer(name), Analyzer())
    return lambda some: list(counted(map(Document, some), terms_of, jobs=jobs))


def race(
    title: str,
    tasks: dict[str, tuple[int, Callable[[Texts], object]]],
    texts: Texts,
    rounds: int,
    sample: int,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    rates: dict[str, list[float]] = {name: [] for name in tasks}
    for run in range(rounds):
        some = random.Random(run).sample(texts, min(sample, len(texts)))
        for name, (times, task) in tasks.items():
            task(some[:2])
            begun = clock()
            task(some * times)
            rates[name].append(times * sum(map(len, some)) / (clock() - begun))
    first = next(iter(tasks))
    print(f"{title:40s} characters/s   times {first}")
    for name, found in rates.items():
        ratios = [a / b for a, b in zip(found, rates[first], strict=True)]
        print(f"  {name:38s} {statistics.median(found):12,.0f} {statistics.median(ratios):8.2f}", end="")
        print(f"   ({min(ratios):.2f} to {max(ratios):.2f})")
    print()


def from_files(corpus: Path, texts: Texts, rounds: int) -> None:
    """Time the whole corpus from files to matrix, and tokenizing alone."""
    cut, terms_of = tokenizer("janome"), TermsOf(tokenizer("janome"), Analyzer())
    pool = ThreadPoolExecutor(2)
    for jobs in (1, 2):
        seconds: dict[str, list[float]] = {"cut": [], "files to CSR": []}
        for _ in range(rounds):
            begun = time.perf_counter()
            list(pool.map(lambda part: [cut(text) and None for text in part], (texts[k::jobs] for k in range(jobs))))
            seconds["cut"].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            list(counted(read_corpus(corpus), terms_of, jobs=jobs))
            seconds["files to CSR"].append(time.perf_counter() - begun)
        ratios = [b / a for a, b in zip(*seconds.values(), strict=True)]
        medians = ", ".join(f"{name} {statistics.median(found):.2f} s" for name, found in seconds.items())
        print(f"the whole corpus, {jobs} thread(s): {medians}, ratio {statistics.median(ratios):.2f}", end="")
        print(f" ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()

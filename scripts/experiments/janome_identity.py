"""Compares every token of every document of a corpus between all engines and Janome, alone and on two threads.

    .venv/bin/python scripts/experiments/janome_identity.py [CORPUS] [--jobs N]

CORPUS is any that `textnb train` reads; without it, livedoor as `textnb corpus get livedoor` finds it. The standard
is Janome's own `Tokenizer().tokenize(text)`, called once per document in single-threaded processes, without textnb.
Surface, base form, reading, part of speech and position of each token are compared through a digest per document. Then
each engine tokenizes all documents again on two threads that share one tokenizer, and so does Janome's own Tokenizer,
to show the effect of sharing it. Takes about half an hour for livedoor.
"""

import argparse
import hashlib
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

from janome.tokenizer import Tokenizer as JanomeTokenizer

from textnb import read_corpus
from textnb.corpus import corpus_path
from textnb.text import Token, tokenizer
from textnb.text.janome import ENGINES, janome_version
from textnb.text.janome.tokenizer import Janome

_local = threading.local()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpus", nargs="?")
    arguments.add_argument("--jobs", type=int, default=2)
    given = arguments.parse_args()
    texts = [document.text for document in read_corpus(given.corpus or corpus_path("livedoor"))]
    print(f"Janome {janome_version()}; {len(texts):,} documents, {sum(map(len, texts)):,} characters")
    with ProcessPoolExecutor(given.jobs) as pool:
        standard = timed("Janome, one a process", lambda: list(pool.map(by_janome, texts, chunksize=16)))
        print(f"{sum(n for n, _ in standard):,} tokens")
        for engine in ENGINES:
            alone = partial(pool.map, partial(by_engine, tokenizer("janome", engine=engine)), texts, chunksize=16)
            compare(f"{engine}, one a process", lambda alone=alone: list(alone()), standard)
    shared = JanomeTokenizer()
    for engine in ENGINES:
        compare(
            f"{engine}, two threads",
            on_threads(partial(by_engine, tokenizer("janome", engine=engine)), texts),
            standard,
        )
    compare("Janome's own Tokenizer, two threads", on_threads(partial(digest_of_janome, shared), texts), standard)


Cut = tuple[int, bytes]
"""How many tokens, and a digest of them."""


def by_janome(text: str) -> Cut:
    if not hasattr(_local, "janome"):
        _local.janome = JanomeTokenizer()
    return digest_of_janome(_local.janome, text)


def digest_of_janome(janome: JanomeTokenizer, text: str) -> Cut:
    start, tokens = len(text) - len(text.lstrip()), []
    try:
        for t in janome.tokenize(text):
            words, end = (t.surface, t.base_form, t.reading, t.part_of_speech), start + len(t.surface)
            more = t.infl_type, t.infl_form, t.phonetic, t.node_type == "UNKNOWN"
            tokens.append(Token(*words, start, end, *more))
            start = end
    except Exception as error:  # what a shared Janome may raise
        return -1, repr(error).encode()
    return digest(tokens)


def by_engine(cut: Janome, text: str) -> Cut:
    return digest(cut.tokens(text))


def digest(tokens: Iterable[Token]) -> Cut:
    all_tokens = list(tokens)
    return len(all_tokens), hashlib.sha256(repr(list(map(tuple, all_tokens))).encode()).digest()


def on_threads(cut: Callable[[str], Cut], texts: list[str]) -> Callable[[], list[Cut]]:
    def run() -> list[Cut]:
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(cut, texts))

    return run


def timed(name: str, run: Callable[[], list[Cut]]) -> list[Cut]:
    begun = time.perf_counter()
    result = run()
    print(f"{name}: {time.perf_counter() - begun:.0f} s", flush=True)
    return result


def compare(name: str, run: Callable[[], list[Cut]], standard: list[Cut]) -> None:
    found = timed(name, run)
    same = sum(a == b for a, b in zip(found, standard, strict=True))
    print(f"  the same tokens in {same:,} of {len(standard):,} documents", flush=True)


if __name__ == "__main__":
    main()

"""Times counting of words, pairs and characters, side by side, and measures the size of files.

    .venv/bin/python scripts/bench/terms.py CORPUS... [--rounds N] [--tokenizer NAME]

CORPUS: what `textnb train` reads. Kinds of terms are counted in turn, round after round, in one process, and medians
of its processor time are compared, because machines are shared and noisy; documents are read before. The sizes are
those of the model (`textnb train --no-calibrate`) and of the count file.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from textnb import read_corpus
from textnb.counts import TermsOf, counted
from textnb.text import Analyzer, tokenizer

KINDS = ("words", "words,pairs", "words,chars", "words,pairs,chars", "chars")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpus", type=Path, nargs="+")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--tokenizer", default="auto")
    given = arguments.parse_args()
    for corpus in given.corpus:
        documents = list(read_corpus(corpus))
        characters = sum(len(document.text) for document in documents)
        print(f"\n{corpus.name}: {len(documents):,} documents, {characters:,} characters, tokenizer {given.tokenizer}")
        seconds: dict[str, list[float]] = {kinds: [] for kinds in KINDS}
        shapes = {}
        for _ in range(given.rounds):
            for kinds in KINDS:
                terms_of = TermsOf(tokenizer(given.tokenizer), Analyzer(terms=tuple(kinds.split(","))))
                begun = time.process_time()
                (part,) = counted(documents, terms_of, entries=float("inf"))
                seconds[kinds].append(time.process_time() - begun)
                shapes[kinds] = len(part.vocabulary), part.X.nnz
        words = statistics.median(seconds["words"])
        for kinds in KINDS:
            median, (n_terms, n_entries) = statistics.median(seconds[kinds]), shapes[kinds]
            model, counts = sizes(corpus, kinds, given.tokenizer)
            print(
                f"  {kinds:18} {median:7.2f} s {median / words:6.2f} times words  {n_terms:>10,} terms "
                f"{n_entries:>11,} entries  model {model:6.1f} MB  counts {counts:6.1f} MB",
                flush=True,
            )


def sizes(corpus: Path, kinds: str, name: str) -> tuple[float, float]:
    """Return the size of the model file and that of the count file, in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        options = [str(corpus), "--terms", kinds, "--tokenizer", name, "-q", "-j", "1"]
        files = [Path(folder, "m.textnb"), Path(folder, "c.counts")]
        for words in (["train", *options, "--no-calibrate"], ["count", *options]):
            file = files[words[0] == "count"]
            subprocess.run([sys.executable, "-m", "textnb", *words, "-o", str(file)], check=True)
        model, counts = (file.stat().st_size / 1e6 for file in files)
    return model, counts


if __name__ == "__main__":
    main()

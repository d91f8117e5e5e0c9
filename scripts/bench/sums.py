"""Sums of statistics: processor time and peak memory of a sum of parts, and of one addition of two large values.

    .venv/bin/python scripts/bench/sums.py FOLDER [--terms words,chars]

FOLDER is a corpus that `scripts/bench/scale.py make` has written. It is counted in parts before; measured are
``LearntSum`` over the parts, then ``+`` of the statistics of the first and of the second half of them, each without
and with histograms or a sample. Memory is the largest resident size less that before (Linux). Each is measured in a
process of its own.
"""

import argparse
import ctypes
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from textnb import read_corpus, tokenizer
from textnb.counts import TermsOf, counted
from textnb.counts.counting import PART_CHARACTERS, Counted
from textnb.counts.learnt import Keeps, Learnt
from textnb.counts.summing import LearntSum
from textnb.counts.weighting import weighting
from textnb.text import Analyzer

WAYS = ("sum", "sum, histograms", "sum, sample", "addition", "addition, histograms", "counting and sum")


def main() -> None:
    """Measure each way in a process of its own, or one here."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--terms", default="words,chars")
    arguments.add_argument("--way", choices=WAYS)
    given = arguments.parse_args()
    if given.way:
        print(json.dumps(measured(given.folder, given.terms, given.way)))
        return
    print(f"{'':<24}{'parts':>7}{'terms':>11}{'processor s':>13}{'us/term':>9}{'memory MB':>11}")
    for way in WAYS:
        command = [sys.executable, __file__, str(given.folder), "--terms", given.terms, "--way", way]
        run = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        each = run["processor"] / run["added"] * 1e6
        numbers = f"{run['parts']:>7}{run['terms']:>11,}{run['processor']:>13.2f}{each:>9.2f}{run['memory']:>11.0f}"
        print(f"{way:<24}{numbers}", flush=True)


def measured(folder: Path, terms: str, way: str) -> dict[str, float]:
    """Return numbers of parts and of terms, terms of all summands, processor seconds and megabytes of one way."""
    terms_of = TermsOf(tokenizer("janome"), Analyzer(terms=tuple(terms.split(","))))
    keeps = Keeps(histograms="histograms" in way, sample=10_000 if "sample" in way else 0)
    stream = partial(counted, read_corpus(folder), terms_of, entries=math.inf, characters=PART_CHARACTERS)
    if way == "counting and sum":
        return of_run(lambda: sum_of(stream(), keeps), 0, 0)
    parts = list(stream())
    if way.startswith("sum"):
        return of_run(lambda: sum_of(parts, keeps), len(parts), sum(len(part.vocabulary) for part in parts))
    half = len(parts) // 2
    a, b = sum_of(parts[:half], keeps), sum_of(parts[half:], keeps)
    parts.clear()
    return of_run(lambda: a + b, 2, a.counts.n_terms + b.counts.n_terms)


def sum_of(parts: Any, keeps: Keeps) -> Learnt:
    """Sum of counted parts."""
    total = LearntSum(weighting("raw"), keeps)
    part: Counted
    for part in parts:
        total.add(part)
    return total.learnt()


def of_run(run: Callable[[], Learnt], n_parts: int, n_added: int) -> dict[str, float]:
    """Measure one run; the peak of memory begins anew, which Linux can do, and freed memory is given back before."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before, used = megabytes("VmRSS"), time.process_time()
    learnt = run()
    processor, memory = time.process_time() - used, megabytes("VmHWM") - before
    n_terms = learnt.counts.n_terms
    found = {"parts": n_parts, "terms": n_terms, "added": n_added or n_terms}
    return {**found, "processor": processor, "memory": memory}


def megabytes(name: str) -> float:
    """Resident size of this process, or its peak."""
    return int(Path("/proc/self/status").read_text().split(f"{name}:")[1].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    main()

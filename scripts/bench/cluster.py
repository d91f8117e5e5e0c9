"""`textnb train` in one process, and with `--dask local` on two: time, processor time, memory, equal bytes.

    TEXTNB_CORPORA=... python scripts/bench/cluster.py [--files 16] [--megabytes 40,240] [--rounds 2]

Sentences of livedoor, drawn anew into documents of about 500 characters, in CSV files. Both commands train multinomial
with the tokenizer janome, on words, and are measured as a whole, from the start of Python to the written model; first
on one document per file, which is what starting takes. One round runs the one, then the other. The processor time of
the cluster is that of its busiest process and the driver's: what the time would be if nothing else ran on the machine.
"""

import argparse
import csv
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

from textnb import TextClassifier

SENTENCE = re.compile(r"[^。\n]+。?")
WAYS = {"one process": ["-j", "1"], "--dask local": ["--dask", "local", "-j", "2"]}


class Taken(NamedTuple):
    """Seconds of the wall clock, seconds of processors, and the largest sum of resident memory in MB."""

    seconds: float
    processor: float
    megabytes: float


def write_corpus(folder: Path, files: int, megabytes: float) -> str:
    archive = Path(os.environ["TEXTNB_CORPORA"], "livedoor.tar.xz")
    sentences: dict[str, list[str]] = {}
    with tarfile.open(archive) as packed:
        for member in packed:
            if member.isfile() and member.name.endswith(".txt") and "LICENSE" not in member.name:
                stream = packed.extractfile(member)
                assert stream is not None
                found = SENTENCE.findall(stream.read().decode("utf-8", "replace"))[2:]
                sentences.setdefault(Path(member.name).parent.name, []).extend(found)
    folder.mkdir()
    draw, labels = random.Random(0), sorted(sentences)
    for i in range(files):
        written = 0
        with (folder / f"{i:03}.csv").open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream)
            table.writerow(["text", "label"])
            while not written or written < megabytes * 1e6 / files:
                label = draw.choice(labels)
                text = "".join(draw.choices(sentences[label], k=10))
                table.writerow([text, label])
                written += len(text.encode())
    return str(folder / "*.csv")


def trained(paths: str, way: list[str], output: Path) -> Taken:
    """Run the command, and look at its processes ten times a second."""
    options = ["--model", "multinomial", "--tokenizer", "janome", "--terms", "words", "--quiet"]
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "textnb", "train", paths, "-o", output, *options, *way])
    seconds: dict[int, float] = {}
    most = 0.0
    while process.poll() is None:
        resident = 0.0
        for each in [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]:
            try:
                times, resident = each.cpu_times(), resident + each.memory_info().rss
                seconds[each.pid] = times.user + times.system
            except psutil.Error:
                continue
        most = max(most, resident)
        time.sleep(0.1)
    assert process.returncode == 0, "textnb failed"
    workers = [each for pid, each in seconds.items() if pid != process.pid]
    processor = seconds[process.pid] + max(workers, default=0)
    return Taken(time.perf_counter() - started, processor, most / 1e6)


def compare_once(paths: str, folder: Path) -> dict[str, Taken]:
    found = {name: trained(paths, way, folder / name) for name, way in WAYS.items()}
    one, many = ((folder / name).read_bytes() for name in WAYS)
    assert one == many, "the models differ"
    for name, each in found.items():
        print(f"  {name}: {each.seconds:.1f} s, processor {each.processor:.1f} s, {each.megabytes:,.0f} MB", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--megabytes", default="40,240")
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        TextClassifier("multinomial", tokenizer="janome").fit(["犬", "雨"], ["a", "b"])  # compiles the dictionary
        print("start, on one document per file:")
        compare_once(write_corpus(folder / "start", asked.files, 0), folder)
        for megabytes in asked.megabytes.split(","):
            paths = write_corpus(folder / megabytes, asked.files, float(megabytes))
            print(f"{megabytes} MB in {asked.files} files:")
            rounds = [compare_once(paths, folder) for _ in range(asked.rounds)]
            one, many = (Taken(*map(min, *(each[way] for each in rounds), (1e9,) * 3)) for way in WAYS)
            print(f"  least of {asked.rounds}: time {one.seconds:.1f} s and {many.seconds:.1f} s, ", end="")
            print(f"ratio {one.seconds / many.seconds:.2f}; processor {one.processor:.1f} s and ", end="")
            print(f"{many.processor:.1f} s, ratio {one.processor / many.processor:.2f}; equal bytes", flush=True)


if __name__ == "__main__":
    main()

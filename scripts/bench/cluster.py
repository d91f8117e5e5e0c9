"""Training on one process and on a Dask cluster of two processes on this machine: time, processor time, equal bytes.

    TEXTNB_CORPORA=... python scripts/bench/cluster.py [--files 16] [--megabytes 40] [--rounds 3]

Sentences of livedoor, drawn anew into documents of about 500 characters, in CSV files. Both train multinomial with the
tokenizer janome, on words. The cluster is there before (its start is shown apart). Its processor time is that of the
busiest process, the driver's part included: what the time would be if nothing else ran on the machine.
"""

import argparse
import csv
import logging
import os
import random
import re
import tarfile
import tempfile
import time
from pathlib import Path

from distributed import Client, LocalCluster

from textnb import Analyzer, TextClassifier
from textnb.distributed import fit
from textnb.readers import read_corpus

SENTENCE = re.compile(r"[^。\n]+。?")


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
    draw, labels = random.Random(0), sorted(sentences)
    for i in range(files):
        written = 0
        with (folder / f"{i:03}.csv").open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream)
            table.writerow(["text", "label"])
            while written < megabytes * 1e6 / files:
                label = draw.choice(labels)
                text = "".join(draw.choices(sentences[label], k=10))
                table.writerow([text, label])
                written += len(text.encode())
    return str(folder / "*.csv")


def saved(model: TextClassifier, folder: Path) -> bytes:
    model.save(folder / "model.textnb")
    return (folder / "model.textnb").read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--megabytes", type=float, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_corpus(folder, asked.files, asked.megabytes)
        TextClassifier("multinomial", tokenizer="janome", analyzer=Analyzer()).fit(
            ["犬", "雨"], ["a", "b"]
        )  # the dictionary is compiled
        started = time.perf_counter()
        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
            ) as cluster,
            Client(cluster) as client,
        ):
            print(f"start of two processes: {time.perf_counter() - started:.1f} s", flush=True)
            client.run(__import__, "textnb.classifier")
            rounds = [compare_once(client, paths, folder) for _ in range(asked.rounds)]
    one, many, one_cpu, many_cpu = (min(column) for column in zip(*rounds, strict=True))
    print(f"least of {asked.rounds}: one {one:.1f} s, two {many:.1f} s, ratio {one / many:.2f}; ", end="")
    print(f"processor: one {one_cpu:.1f} s, busiest of two {many_cpu:.1f} s, ratio {one_cpu / many_cpu:.2f}")


def compare_once(client: Client, paths: str, folder: Path) -> tuple[float, float, float, float]:
    started, cpu = time.perf_counter(), time.process_time()
    one = TextClassifier("multinomial", tokenizer="janome", analyzer=Analyzer()).fit(read_corpus(paths), jobs=1)
    one_seconds, one_cpu = time.perf_counter() - started, time.process_time() - cpu
    before = client.run(time.process_time)
    started, cpu = time.perf_counter(), time.process_time()
    many = fit(client, TextClassifier("multinomial", tokenizer="janome", analyzer=Analyzer()), paths)
    many_seconds, driver = time.perf_counter() - started, time.process_time() - cpu
    workers = [after - before[address] for address, after in client.run(time.process_time).items()]
    assert saved(one, folder) == saved(many, folder)
    print(
        f"one {one_seconds:.1f} s, two {many_seconds:.1f} s; processor: one {one_cpu:.1f} s, "
        f"workers {', '.join(f'{each:.1f}' for each in workers)} s, driver {driver:.1f} s; equal bytes",
        flush=True,
    )
    return one_seconds, many_seconds, one_cpu, max(workers) + driver


if __name__ == "__main__":
    main()

"""A worker of a real cluster is killed in the middle of count, fit, predict and cross_validate: the results stay equal.

    python scripts/experiments/cluster_kills.py [--files 24] [--documents 1000] [--times 3]

A ``distributed.LocalCluster`` of three processes. Each verb runs once undisturbed, to know how long it takes, and then
--times times, while one worker gets SIGKILL after a third, a half ... of that time, at work on a task. Every result is
compared with that of one process: the joined count files, the model file, the answers, all numbers of the comparison
but times. One more run of fit retires a worker in the middle, and one has a worker stopped (SIGSTOP) for some seconds.
"""

import argparse
import csv
import logging
import os
import platform
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from textnb import Analyzer, TextClassifier, __version__
from textnb.comparison import TokenizedDocuments, compare
from textnb.counts import counted
from textnb.distributed import count, cross_validate, fit, predict
from textnb.files.count_file import read_counts
from textnb.files.count_joining import merge_counts
from textnb.readers import read_corpus

AT_WORK = {"fit of documents": 0.4}
"""Proportion of the time in which workers have tasks, where it is not all of it: the driver fits the model."""
CLASSES = ("food", "rain", "sport")


def write_corpus(folder: Path, files: int, documents: int) -> str:
    rng = np.random.default_rng(0)
    words = np.array(["".join(map(chr, rng.integers(0x3042, 0x3093, 3))) for _ in range(5_000)])
    for i in range(files):
        with (folder / f"{i:03}.csv").open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream)
            table.writerow(["text", "label"])
            for _ in range(documents):
                k = rng.integers(len(CLASSES))
                ranks = (rng.zipf(1.3, 40) * (1 + k)) % len(words)
                table.writerow([" ".join(words[ranks]), CLASSES[k]])
    return str(folder / "*.csv")


def without_times(comparison: Any) -> Any:
    found = comparison.json
    del found["advice"]
    rows = [{key: value for key, value in row.items() if "seconds" not in key} for row in found["recipes"]]
    return found | {"recipes": rows}


def saved(model: TextClassifier, folder: Path) -> bytes:
    model.save(folder / "model.textnb")
    return (folder / "model.textnb").read_bytes()


def rows_of(tables: list[Path]) -> list[list[str]]:
    return [row for table in tables for row in csv.reader(table.read_text(encoding="utf-8").splitlines()[1:])]


def joined(files: list[Path], folder: Path) -> tuple[int, bytes]:
    """Number of documents, and the bytes of the learnt statistics that the joined counts give."""
    merge_counts(files, folder / "joined.counts")
    whole, _ = read_counts(folder / "joined.counts")
    return len(whole), saved(classifier().fit([whole]), folder)


def classifier() -> TextClassifier:
    return TextClassifier("multinomial", tokenizer="words", analyzer=Analyzer())


def linear() -> TextClassifier:
    return TextClassifier("logistic", tokenizer="words", analyzer=Analyzer())


def disturb(client: Client, pids: dict[str, int], how: str, delay: float, told: list[str]) -> None:
    """Wait, then until some worker executes a task, and kill, retire or stop that worker."""
    time.sleep(delay)
    for _ in range(2_000):
        busy = {address: keys for address, keys in client.processing().items() if keys}
        if busy:
            break
        time.sleep(0.005)
    else:
        told.append("no worker was busy")
        return
    address = min(busy)
    if how == "retired":
        client.retire_workers([address])
    else:
        pid = pids[address]
        os.kill(pid, signal.SIGKILL if how == "killed" else signal.SIGSTOP)
        if how == "stopped":
            time.sleep(4)
            os.kill(pid, signal.SIGCONT)
    told.append(f"{how} after {delay:.2f} s at {len(busy[address])} of its tasks")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=24)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--verbs", default="count,fit,fit of documents,predict,cross_validate")
    asked = parser.parse_args()
    print(f"textnb {__version__}, Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}")
    print(f"{asked.files} files of {asked.documents} documents; three worker processes, {asked.times} kills per verb\n")
    folder = Path(tempfile.mkdtemp(prefix="cluster-kills-"))
    try:
        paths = write_corpus(folder, asked.files, asked.documents)
        run_all(paths, folder, asked.times, asked.verbs.split(","))
    finally:
        shutil.rmtree(folder)


def run_all(paths: str, folder: Path, times: int, chosen: list[str]) -> None:
    recipes = {"multinomial": classifier(), "auto": TextClassifier("auto", tokenizer="words", analyzer=Analyzer())}
    model = classifier().fit(read_corpus(paths))
    whole = list(counted(read_corpus(paths), classifier().asked.terms_of, entries=float("inf")))
    made = {name: each.recipe for name, each in recipes.items()}
    documents = TokenizedDocuments.from_documents(made.values(), list(read_corpus(paths)))
    texts = [document.text for document in read_corpus(paths)]
    labels = model.predict(texts).tolist()
    one: dict[str, Any] = {
        "count": (len(whole[0]), saved(classifier().fit(whole), folder)),
        "fit": saved(model, folder),
        "fit of documents": saved(linear().fit(read_corpus(paths)), folder),
        "predict": list(zip(texts, labels, strict=True)),
        "cross_validate": without_times(compare(made, documents, folds=3)),
    }

    def fresh(name: str) -> Path:
        shutil.rmtree(folder / name, ignore_errors=True)
        return folder / name

    verbs: dict[str, Callable[[Client], Any]] = {
        "count": lambda client: joined(count(client, classifier(), paths, fresh("parts")), folder),
        "fit": lambda client: saved(fit(client, classifier(), paths), folder),
        "fit of documents": lambda client: saved(fit(client, linear(), paths, parts=fresh("parts")), folder),
        "predict": lambda client: [
            (row[0], row[2]) for row in rows_of(predict(client, model, paths, fresh("answers"), form="csv"))
        ],
        "cross_validate": lambda client: without_times(cross_validate(client, recipes, paths, folds=3)),
    }
    for name in chosen:
        verb = verbs[name]
        for number in range(times + 1):
            when = AT_WORK.get(name, 1.0) * number / (times + 1)
            run_one(name, verb, one[name], [] if not number else [("killed", when)])
    for how in ("retired", "stopped") if "fit" in chosen else ():
        run_one("fit", verbs["fit"], one["fit"], [(how, 0.5)])


SECONDS: dict[str, float] = {}


def run_one(name: str, verb: Callable[[Client], Any], expected: Any, disturbances: list[tuple[str, float]]) -> None:
    """Run a verb on a new cluster, disturbed or not, and say whether the result is that of one process."""
    with (
        LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(__import__, "textnb.classifier")  # so that imports are not what is disturbed
        told: list[str] = []
        pids = client.run(os.getpid)
        threads = [
            threading.Thread(target=disturb, args=(client, pids, how, part * SECONDS[name], told))
            for how, part in disturbances
        ]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        found = verb(client)
        seconds = time.perf_counter() - started
        for thread in threads:
            thread.join()
    if not disturbances:
        SECONDS[name] = seconds
    verdict = "equal" if found == expected else "DIFFERENT"
    print(f"{name:<16} {seconds:6.2f} s  {verdict}  {'; '.join(told) or 'undisturbed'}", flush=True)
    if found != expected:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

"""Times training and answering on many short texts against few long ones with the same characters.

    .venv/bin/python scripts/bench/short_texts.py CORPUS [--python OTHER/.venv/bin/python ...] [--sentences N]

CORPUS is a folder of articles by class, such as livedoor. Its articles, and their sentences (split after 。 and at line
ends; N of them, from as many articles), are learnt and classified by multinomial naive Bayes over words with alpha = 1,
on one thread. The difference of both times, divided by the difference in documents, is the overhead per document: what
does not depend on the length of the text. With --python the installations of textnb at these Pythons are timed in turn;
each process times each task once per round. All figures are processor time, the least of all rounds: this machine is
shared, and other work only adds to it.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
TASKS = ("predict", "textnb predict", "fit", "textnb train")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpus", type=Path)
    arguments.add_argument("--python", action="append", help="Python with a textnb to be timed; may be repeated")
    arguments.add_argument("--sentences", type=int, default=200_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--tasks", default=",".join(TASKS))
    arguments.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.worker:
        print(json.dumps(times(given.worker, given.tasks.split(","))))
        return
    pythons = given.python or [sys.executable]
    with tempfile.TemporaryDirectory() as folder:
        sizes = write_texts(given.corpus, Path(folder), given.sentences)
        found: dict[str, dict[str, list[float]]] = {python: {} for python in pythons}
        for _ in range(given.rounds):
            for python in pythons:
                command = [python, __file__, str(given.corpus), "--worker", folder, "--tasks", given.tasks]
                output = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, **ONE_THREAD})
                for task, seconds in json.loads(output.stdout).items():
                    found[python].setdefault(task, []).append(seconds)
    report(sizes, found)


def write_texts(corpus: Path, folder: Path, n_sentences: int) -> dict[str, tuple[int, int]]:
    """Write articles and their sentences as tables of labels and texts; return the documents and characters of both."""
    files = [path for path in sorted(corpus.glob("*/*.txt")) if path.name != "LICENSE.txt"]
    articles = [(path.parent.name, " ".join(path.read_text("utf-8").split())) for path in files]
    pieces = {path: re.split(r"(?<=。)|\n", path.read_text("utf-8")) for path in files}
    sentences = [(path.parent.name, " ".join(text.split())) for path in files for text in pieces[path] if text.strip()]
    step = max(1.0, len(sentences) / n_sentences)
    chosen = [sentences[int(i * step)] for i in range(min(n_sentences, len(sentences)))]
    articles = [articles[int(i * step)] for i in range(int(len(articles) / step))]
    sizes = {}
    for name, texts in (("articles", articles), ("sentences", chosen)):
        lines = [f"{label}\t{text}\n" for label, text in texts if '"' not in text]
        (folder / f"{name}.tsv").write_text("label\ttext\n" + "".join(lines), "utf-8")
        (folder / f"{name}.txt").write_text("".join(line.partition("\t")[2] for line in lines), "utf-8")
        sizes[name] = len(lines), sum(len(line.partition("\t")[2]) - 1 for line in lines)
    return sizes


def times(folder: Path, tasks: list[str]) -> dict[str, float]:
    """Return the seconds of each task on each kind of texts."""
    from textnb import TextClassifier
    from textnb.text import Analyzer

    def classifier() -> TextClassifier:
        return TextClassifier("multinomial", alpha=1.0, weighting="raw", analyzer=Analyzer())

    model, out, seconds = (
        folder / "model.textnb",
        folder / f"out-{os.getpid()}.textnb",
        {},
    )  # 0.1.0 replaces only its own
    options = ["--model", "multinomial", "--alpha", "1", "--weighting", "raw", "--ngram", "1-1", "--jobs", "1", "-o"]
    texts, labels = columns(folder / "articles.tsv")
    classifier().fit(texts[::10], labels[::10]).save(model)
    fitted = TextClassifier.load(model)
    fitted.predict(texts[:10])
    for name in ("articles", "sentences"):
        texts, labels = columns(folder / f"{name}.tsv")
        lines, table = folder / f"{name}.txt", str(folder / f"{name}.tsv")
        runs: dict[str, Callable[[], object]] = {
            "predict": lambda texts=texts: fitted.predict(texts),
            "textnb predict": lambda lines=lines: command(["predict", str(model), "--jobs", "1"], lines),
            "fit": lambda texts=texts, labels=labels: classifier().fit(texts, labels),
            "textnb train": lambda table=table: command(["train", table, *options, str(out)]),
        }
        for task in tasks:
            seconds[f"{task}, {name}"] = processor_time(runs[task])
    return seconds


def columns(path: Path) -> tuple[list[str], list[str]]:
    lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    return [text for _, text in lines], [label for label, _ in lines]


def command(arguments: list[str], lines: Path = Path(os.devnull)) -> None:
    with lines.open("rb") as stream:
        options = {"stdin": stream, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-m", "textnb", *arguments], check=True, **options)


def processor_time(run: Callable[[], object]) -> float:
    """Return the processor time of this process and of those that it has started."""

    def now() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    begun = now()
    run()
    return now() - begun


def report(sizes: dict[str, tuple[int, int]], found: dict[str, dict[str, list[float]]]) -> None:
    for name, (documents, characters) in sizes.items():
        print(f"{documents:,} {name} of {characters / documents:.0f} characters")
    n = sizes["sentences"][0] - sizes["articles"][0]
    for python, seconds in found.items():
        print(f"\n{python}")
        for task in TASKS:
            if f"{task}, articles" in seconds:
                few, many = min(seconds[f"{task}, articles"]), min(seconds[f"{task}, sentences"])
                each = f"overhead {1e6 * (many - few) / n:5.1f} microseconds per document"
                print(f"  {task:16} {few:6.2f} s articles {many:6.2f} s sentences   {each}")


if __name__ == "__main__":
    main()

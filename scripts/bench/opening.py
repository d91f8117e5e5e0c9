"""Measures opening a model file and one answer: processor time, page faults and memory for files of 1 to 500 MB.

    .venv/bin/python scripts/bench/opening.py [--sizes MB ...] [--rounds N]

The models are small ones, enlarged with made-up terms, random weights and random bytes in place of what only learning
needs, a third of the file. Each command is a process of its own, in turn with `python -c "import numpy"`, round after
round; the least processor time of each counts, because the machine is shared. Faults are pages that were mapped, not
read from disk; the files have just been written. Memory is the largest resident size, which includes mapped pages that
were touched.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MEGABYTE = 1_000_000
LEARNING = 1 / 3
"""Proportion of a file that only learning reads."""
MAIL = b"From: someone <someone@example.com>\nSubject: good offer\n\nbuy cheap pills, see you at lunch in the office\n"
TEXT = b"buy cheap pills, see you at lunch in the office\n"
TASKS = {
    "multinomial": ["predict"],
    "nb-logistic": ["predict"],
    "ensemble": ["predict"],
    "mail": ["filter", "--spam", "spam"],
}
"""Models, and the command that asks each."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sizes", type=int, nargs="+", default=[1, 10, 100, 500], help="megabytes")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--make", nargs=3, metavar=("MODEL", "MB", "FILE"), help="only write such a model")
    given = arguments.parse_args()
    if given.make:
        make(given.make[0], int(given.make[1]) * MEGABYTE, Path(given.make[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, command in TASKS.items():
            measure(Path(folder), name, command, given.sizes, given.rounds)


def measure(folder: Path, name: str, command: list[str], sizes: list[int], rounds: int) -> None:
    """Measure a model of all sizes; another process makes it, since a child's memory is at least its parent's."""
    paths = [folder / f"{size}.textnb" for size in sizes]
    for size, path in zip(sizes, paths, strict=True):
        subprocess.run([sys.executable, __file__, "--make", name, str(size), str(path)], check=True)
    textnb = str(Path(sys.executable).parent / "textnb")
    tasks = {"import numpy": [sys.executable, "-c", "import numpy"]}
    tasks |= {path.name: [textnb, command[0], str(path), *command[1:]] for path in paths}
    found: dict[str, list[tuple[float, int, int]]] = {task: [] for task in tasks}
    for _ in range(rounds):
        for task, line in tasks.items():
            found[task].append(run(line, MAIL if name == "mail" else TEXT))
    print(f"\n{command[0]}, {name}\n  {'':<14}{'file MB':>9}{'CPU ms':>9}{'x numpy':>9}{'faults':>9}{'memory MB':>11}")
    least = min(cpu for cpu, _, _ in found["import numpy"])
    for task in tasks:
        size = (folder / task).stat().st_size / MEGABYTE if task.endswith(".textnb") else 0
        cpu, faults, memory = (min(each) for each in zip(*found[task], strict=True))
        print(
            f"  {task:<14}{size:>9.1f}{cpu * 1e3:>9.0f}{cpu / least:>9.2f}{faults:>9,}{memory / 1024:>11.0f}",
            flush=True,
        )
    for path in paths:
        path.unlink()


def run(command: list[str], stdin: bytes) -> tuple[float, int, int]:
    """Processor seconds, page faults and largest resident KB of a command."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(stdin)
        process.stdin.close()
        complaint = process.stderr.read()
        _, process.returncode, used = os.wait4(process.pid, 0)
    assert process.returncode == 0, (command, complaint)
    return used.ru_utime + used.ru_stime, used.ru_minflt + used.ru_majflt, used.ru_maxrss


def make(name: str, size: int, path: Path) -> None:
    """Write a model of about ``size`` bytes that knows the terms of a small one, and many that were made up."""
    import numpy as np

    from textnb.files.bundle import open_bundle, write_bundle

    small_model(name).save(path)
    rng = np.random.default_rng(0)
    bundle = open_bundle(path, "model")
    header, answering = bundle.header, dict(bundle.answering)
    del header["sections"]
    before = len(answering["terms_used.starts"]) - 1
    by_term = {each: array for each, array in answering.items() if array.ndim and len(array) == before}
    bytes_per_term = sum(array.nbytes for array in by_term.values()) // before + 9 + 4 + 12
    n_new = max(1, int((1 - LEARNING) * size) // bytes_per_term)
    for each, array in by_term.items():
        new = rng.normal(size=(n_new, *array.shape[1:])) - 10
        answering[each] = np.concatenate([array, new.astype(array.dtype)])
    answering |= {f"terms_used.{part}": array for part, array in with_made_up_terms(answering, n_new).items()}
    learning = {"made_up": rng.integers(0, 256, int(LEARNING * size), np.uint8)}
    write_bundle(path, "model", header, answering, learning)


def small_model(name: str) -> Any:
    """A model of a few texts or mails."""
    from textnb import Document, TextClassifier

    texts = ["buy cheap pills now", "see you at lunch", "cheap offer, buy", "the office is closed", "good offer now"]
    labels = ["spam", "ham", "spam", "ham", "spam"]
    if name == "mail":
        fields = [{"subject": text.split()} for text in texts]
        return TextClassifier(name, tokenizer="words").fit(
            [Document(text, label, fields=own) for text, label, own in zip(texts, labels, fields, strict=True)]
        )
    return TextClassifier(name, tokenizer="words").fit(texts, labels)


def with_made_up_terms(answering: dict[str, Any], n_new: int) -> dict[str, Any]:
    """Packed terms followed by ``n_new`` terms that sort after all of them."""
    import numpy as np

    from textnb.counts.packed_vocabulary import packed_table

    data, starts = answering["terms_used.bytes"], answering["terms_used.starts"]
    digits = np.arange(n_new)[:, np.newaxis] // 10 ** np.arange(7, -1, -1) % 10 + ord("0")
    new = np.column_stack([np.full(n_new, ord("~")), digits]).astype(np.uint8)
    data = np.concatenate([data, new.reshape(-1)])
    starts = np.concatenate([starts, starts[-1] + 9 * np.arange(1, n_new + 1)]).astype(np.uint32)
    return {"bytes": data, "starts": starts, "table": packed_table(data, starts)}


if __name__ == "__main__":
    main()

"""Kills runs with a checkpoint by SIGKILL at random moments, starts them again, and compares what they write.

    .venv/bin/python scripts/experiments/checkpoint_kills.py [--kills 50] [--documents 6000] [--seed 0]

The corpus is made by scripts/bench/scale.py (livedoor must be there: `textnb corpus get livedoor`). Parts are made
small, so that a run has many checkpoints. Each of the runs

    textnb train CORPUS --checkpoint FILE --checkpoint-every 1 -o MODEL         with and without --term-budget
    textnb count CORPUS --checkpoint FOLDER -o COUNTS

is killed after a random time, up to what an uninterrupted run takes, and started again, until it ends by itself. Then
the next one begins, until there were so many kills. Every file that was written must be the one of a run without a
checkpoint, byte for byte, and no checkpoint may be left.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from scale import write_parts

PART = 20_000
"""Characters of a part, in place of PART_CHARACTERS."""
RUN = (
    "import sys, textnb.classifier.recipe as a, textnb.cli.count as b; from textnb.__main__ import main; "
    f"a.PART_CHARACTERS = b.PART_CHARACTERS = {PART}; main()"
)


def main() -> None:
    """Kill runs, and print what came of them."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--kills", type=int, default=50)
    arguments.add_argument("--documents", type=int, default=6000)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    random = Random(given.seed)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_parts(folder / "corpus", given.documents, 3, "csv", given.seed)
        train = ["train", str(folder / "corpus"), "--model", "multinomial", "--terms", "words", "-q"]
        verbs = {
            "train": [*train, "--checkpoint-every", "1"],
            "train --term-budget 3000": [*train, "--term-budget", "3000", "--checkpoint-every", "1"],
            "count": ["count", str(folder / "corpus"), "-q"],
        }
        kills, at_checkpoints, runs = 0, 0, 0
        expected = {title: uninterrupted(words, folder) for title, words in verbs.items()}
        while kills < given.kills:
            for title, words in verbs.items():
                data, seconds = expected[title]
                n_kills, n_resumed = until_it_ends(words, folder, seconds, random)
                kills, at_checkpoints, runs = kills + n_kills, at_checkpoints + n_resumed, runs + 1
                same = (folder / "out").read_bytes() == data
                print(f"{title}: killed {n_kills} times, same bytes: {same}", flush=True)
                assert same
                assert not (folder / "checkpoint").exists()
    print(f"{kills} kills in {runs} runs, {at_checkpoints} of them with a checkpoint to go on from: all bytes the same")


def uninterrupted(words: list[str], folder: Path) -> tuple[bytes, float]:
    """What a run without a checkpoint writes, and the seconds it takes with one."""
    subprocess.run([sys.executable, "-c", RUN, *_without_checkpoint(words), "-o", str(folder / "out")], check=True)
    data = (folder / "out").read_bytes()
    begun = time.monotonic()
    subprocess.run(_command(words, folder), check=True)
    seconds = time.monotonic() - begun
    assert (folder / "out").read_bytes() == data, "with a checkpoint other bytes"
    return data, seconds


def _without_checkpoint(words: list[str]) -> list[str]:
    return words[: words.index("--checkpoint-every")] if "--checkpoint-every" in words else words


def _command(words: list[str], folder: Path) -> list[str]:
    files = ["--checkpoint", str(folder / "checkpoint"), "-o", str(folder / "out")]
    return [sys.executable, "-c", RUN, *words, *files]


def until_it_ends(words: list[str], folder: Path, seconds: float, random: Random) -> tuple[int, int]:
    """Start a run again until it ends by itself; return the number of kills, and of those that left a checkpoint."""
    (folder / "out").unlink()
    kills = resumed = 0
    while True:
        process = subprocess.Popen(_command(words, folder))
        try:
            if process.wait(random.uniform(0.3, 1.0) * seconds) == 0:
                return kills, resumed
            raise SystemExit("the run failed")
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
            resumed += (folder / "checkpoint").exists()


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()

"""Kill -9 at random moments while 4 processes learn, update, unlearn and refit: is what was acknowledged there once?

Each round starts 4 processes that correct one model file, each with its own mails. A process writes a line to a pipe
when a correction has returned. Each is killed at its own random moment, while others go on. Then the model must open,
and every acknowledged correction must be in it exactly once. Of what was not acknowledged, at most the last correction
of each process may be there: it may have been on disk when the process was killed. One model lives through all rounds;
at the end it is refitted and must equal, in bytes, a model that is trained on its documents at once. Then the older
half of the mails is forgotten by date, and it must equal a training on the others.

    python scripts/experiments/journal_kills.py [ROUNDS [MODEL]]
"""

import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from textnb import Analyzer, Document, TextClassifier
from textnb.counts.examples import labelled_digest
from textnb.mail.corrections import add_to_file, change_file, learn, refit_file, unlearn

N_PROCESSES = 4
TEXTS = [f"w{n % 7} v{n % 5} n{n % 3} of" for n in range(400)]
LABELS = ["spam" if n % 3 else "ham" for n in range(400)]


def untrained(kind: str) -> TextClassifier:
    return TextClassifier(kind, alpha="evidence", analyzer=Analyzer(), tokenizer="words")


def mail(number: int) -> Document:
    """Return a mail that no other number has, received in January 2002."""
    received = datetime(2002, 1, 1 + number % 30, tzinfo=UTC)
    return Document(f"mail{number} w{number % 7} v{number % 11} again again", received=received)


def work(path: Path, first: int, acknowledged: TextIO) -> None:
    """Learn mails from a number on, unlearn every third, refit now and then; write what has returned."""
    for number in range(first, first + 100_000):
        if number % 5 == 4:  # as textnb update --journal does
            add_to_file(path, [replace(mail(number), label="spam")])
        else:
            change_file(path, lambda learner, n=number: learn(learner, mail(n), "spam"))
        print("learn", number, file=acknowledged, flush=True)
        if number % 3 == 0:
            change_file(path, lambda learner, n=number: unlearn(learner, mail(n), "spam"))
            print("unlearn", number, file=acknowledged, flush=True)
        if number % 10 == 9:
            refit_file(path)


def started(path: Path, first: int) -> tuple[int, TextIO]:
    """Start a process that works; return its id and what it writes."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        try:
            work(path, first, os.fdopen(writing, "w"))
        finally:
            os._exit(1)
    os.close(writing)
    return process, os.fdopen(reading)


def run_round(path: Path, number: int, rng: random.Random) -> list[list[str]]:
    """Run the processes, kill each at a random moment, and return what each has acknowledged."""
    workers = [started(path, (number * N_PROCESSES + k) * 1_000_000) for k in range(N_PROCESSES)]
    began = [output.readline() for _, output in workers]  # every process has done something
    for process, _ in rng.sample(workers, len(workers)):
        time.sleep(rng.uniform(0, 0.2))
        os.kill(process, signal.SIGKILL)
    rest = [output.read() for _, output in workers]
    for process, output in workers:
        output.close()
        assert os.WTERMSIG(os.waitpid(process, 0)[1]) == signal.SIGKILL, "a process has ended by itself"
    return [(first + more).splitlines() for first, more in zip(began, rest, strict=True)]


def check_round(path: Path, acknowledged: list[list[str]], known: dict[int, int]) -> None:
    """Check the model against what was acknowledged; ``known``: how often each mail is in it."""
    digests = TextClassifier.load(path).learnt.digests
    for lines in acknowledged:
        for line in lines:
            verb, number = line.split()
            known[int(number)] = 1 if verb == "learn" else 0
        verb, number = lines[-1].split()
        last, following = int(number), int(number) + 1
        for each in (last, following):  # the correction in progress may be there or not
            found = digests.times(labelled_digest(mail(each).digest, "spam"))
            in_progress = each == following or (verb == "learn" and last % 3 == 0)
            assert found in ((0, 1) if in_progress else (known[each],)), (each, found)
            known[each] = found
    for number, times in known.items():
        found = digests.times(labelled_digest(mail(number).digest, "spam"))
        assert found == times, f"mail {number} is there {found} times, not {times}"
    assert len(digests) == len(TEXTS) + sum(known.values())


def check_end(path: Path, known: dict[int, int], kind: str) -> None:
    """Check that the refitted model equals one training, and that it does without the older mails."""
    labelled = [Document(text, label) for text, label in zip(TEXTS, LABELS, strict=True)]
    mails = [replace(mail(n), label="spam") for n, times in known.items() if times]
    expected = path.with_name("expected")
    for first in (datetime(2002, 1, 1, tzinfo=UTC), datetime(2002, 1, 16, tzinfo=UTC)):
        refit_file(path, forget_before=first.date())
        rest = [each for each in mails if each.received is not None and each.received >= first]
        untrained(kind).fit([*labelled, *rest]).save(expected)
        assert path.read_bytes() == expected.read_bytes()


def main(rounds: int, kind: str) -> None:
    """Run the rounds in a temporary folder."""
    rng, known = random.Random(1), dict[int, int]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.textnb"
        untrained(kind).fit(TEXTS, LABELS).save(path)
        acknowledged = 0
        for number in range(rounds):
            lines = run_round(path, number, rng)
            check_round(path, lines, known)
            acknowledged += sum(map(len, lines))
        check_end(path, known, kind)
    print(f"{rounds * N_PROCESSES} kills in {rounds} rounds; {acknowledged} acknowledged corrections, each there once")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50, sys.argv[2] if len(sys.argv) > 2 else "multinomial")

"""Time of one correction, whatever the size of the model, and of judging while 1,000 corrections are pending.

    python scripts/bench/learning.py [DOCUMENTS ...]

Models are trained on made documents of 60 words of 50,000 (Zipf), half spam. Each line has the best and the median of
several runs: wall time and processor time of ``textnb learn`` and ``textnb filter`` as commands, also in units of
``python -c "import numpy"``; and the time of one correction and of one answer by ``textnb filterd``, asked through its
socket.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path

from textnb import Document, TextClassifier
from textnb.mail.corrections import CorrectedFile, learn_all
from textnb.mail.protocol import Lesson, Reply, ask_service, ask_to_correct

SIZES = (1_000, 10_000, 100_000)
N_PENDING = 1_000
RUNS = 9
WORDS = [f"word{n}" for n in range(50_000)]
SUMS = list(accumulate(1 / (n + 10) for n in range(len(WORDS))))


def text(number: int) -> str:
    """Return the words of a made document."""
    return " ".join(random.Random(number).choices(WORDS, cum_weights=SUMS, k=60))


def mail(number: int) -> bytes:
    """Return a made message."""
    return f"Subject: {number}\n\n{text(number)}\n".encode()


def spent(command: list[str], given: bytes = b"") -> tuple[float, float]:
    """Wall time and processor time of a command, in ms."""
    before, began = os.times(), time.perf_counter()
    subprocess.run(command, input=given, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - began, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return 1e3 * wall, 1e3 * used


def best_and_median(times: list[float]) -> str:
    """Best and median of times, in words."""
    return f"{min(times):7.1f} {statistics.median(times):7.1f}"


def command_line(name: str, runs: list[tuple[float, float]], unit: tuple[float, float]) -> None:
    """Print the times of a command."""
    walls, used = ([run[k] for run in runs] for k in (0, 1))
    times = min(walls) / unit[0], min(used) / unit[1]
    shown = f"wall {best_and_median(walls)} ms, processor {best_and_median(used)} ms"
    print(f"  {name:<28} {shown}; {times[0]:.1f} and {times[1]:.1f} times import numpy", flush=True)


def timed(action: Callable[[], object]) -> float:
    """Time of a call, in ms."""
    began = time.perf_counter()
    action()
    return 1e3 * (time.perf_counter() - began)


def measure(size: int, folder: Path, unit: tuple[float, float]) -> None:
    """Print the lines of one size."""
    path, program = folder / "m.textnb", [sys.executable, "-m", "textnb"]
    documents = (Document(text(n), "spam" if n % 2 else "ham") for n in range(size))
    TextClassifier(tokenizer="words", sample=3000).fit(documents).save(path)
    print(f"{size:,} documents, {path.stat().st_size / 1e6:.1f} MB", flush=True)
    next_mail = iter(range(1_000_000, 2_000_000))
    filtering = [*program, "filter", str(path), "--spam", "spam"]
    command_line("filter, nothing pending", [spent(filtering, mail(7)) for _ in range(RUNS)], unit)
    learning = [*program, "learn", str(path), "--as", "spam", "--quiet"]
    command_line("learn", [spent(learning, mail(next(next_mail))) for _ in range(RUNS)], unit)
    measure_service(path, folder, next_mail, "few pending")
    if 0.05 * size <= N_PENDING and size < 20 * N_PENDING:
        return  # the journal would have been folded
    lessons = [(Document(text(next(next_mail))), "spam") for _ in range(N_PENDING)]
    CorrectedFile(path).change(lambda learner: next(iter(learn_all(learner, lessons))))
    assert TextClassifier.load(path).state.n_pending >= N_PENDING
    command_line(f"filter, {N_PENDING:,} pending", [spent(filtering, mail(7)) for _ in range(RUNS)], unit)
    measure_service(path, folder, next_mail, f"{N_PENDING:,} pending", learns=False)


def measure_service(path: Path, folder: Path, numbers: Iterator[int], state: str, *, learns: bool = True) -> None:
    """Print the times of the service."""
    socket = str(folder / "s")
    program = [sys.executable, "-m", "textnb", "filterd", str(path), "--spam", "spam", "--socket", socket, "--quiet"]
    service = subprocess.Popen(program)
    try:
        while ask_service(socket, mail(7)).code == 3:
            time.sleep(0.1)
        if learns:
            replies: list[Reply] = []
            requests = [
                partial(ask_to_correct, socket, Lesson("learn", "spam"), mail(next(numbers))) for _ in range(19)
            ]
            times = [timed(lambda ask=ask: replies.append(ask())) for ask in requests]
            assert {reply.reason for reply in replies} == {"learnt"}, replies
            print(f"  {'learn by filterd':<28} {best_and_median(times)} ms", flush=True)
        times = [timed(partial(ask_service, socket, mail(7))) for _ in range(19)]
        print(f"  {'filter by filterd, ' + state:<28} {best_and_median(times)} ms", flush=True)
    finally:
        service.terminate()
        service.wait()


def main() -> None:
    """Measure the sizes that are given, or all."""
    runs = [spent([sys.executable, "-c", "import numpy"]) for _ in range(RUNS)]
    unit = min(wall for wall, _ in runs), min(used for _, used in runs)
    print(f"import numpy: wall {unit[0]:.1f} ms, processor {unit[1]:.1f} ms")
    for size in [int(given) for given in sys.argv[1:]] or SIZES:
        with tempfile.TemporaryDirectory() as folder:
            measure(size, Path(folder), unit)


if __name__ == "__main__":
    main()

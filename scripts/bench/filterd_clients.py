"""Times a normal client of `textnb filterd` beside clients that misbehave, and looks for tracebacks in its log.

    .venv/bin/python scripts/bench/filterd_clients.py [--requests N] [--seconds S]

A model trained on corpora/ja-mail is served. Beside a client that asks one mail after the other are, in turn:

    none        nobody else
    silent      clients that connect and send nothing
    half        clients that send half a mail and wait
    slow        clients that send one byte per second
    greedy      clients that send all but the end of a mail of 30 MB
    deaf        clients that send a mail of 1 MB and do not read the reply

Then N requests are cut off at every stage: before and after connecting, within the mail, after it, within the reply, at
its end, by closing and by resetting. The last line says how many lines of the log belong to a traceback.
"""

import argparse
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from textnb import TextClassifier, read_corpus
from textnb.mail.protocol import FAILED, ask_service

ROOT = Path(__file__).parent.parent.parent
MAIL = b"From: a@example.jp\nSubject: report\n\n" + "来週の会議の資料をお送りします。\n".encode() * 200
Line = socket.socket


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--requests", type=int, default=5000)
    arguments.add_argument("--seconds", type=float, default=4.0)
    given = arguments.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as folder:
        model, place, log = Path(folder) / "mail.textnb", Path(folder) / "s", Path(folder) / "log"
        TextClassifier("mail").fit(read_corpus(ROOT / "corpora" / "ja-mail", reader="mail")).save(model)
        print(f"{'beside':10}{'clients':>8}{'asked':>8}{'failed':>8}{'median':>12}{'longest':>12}{'memory':>12}")
        for name, client in CLIENTS.items():
            for number in (0,) if name == "none" else (32, 64) if name in ("greedy", "deaf") else (32, 1000):
                with service(model, place, log) as process, clients(client, place, number):
                    beside(name, number, place, given.seconds, process.pid)
        with service(model, place, log):
            cut_off(place, given.requests)
        lines = log.read_text(encoding="utf-8").splitlines()
        wrong = [line for line in lines if "Traceback" in line or "never retrieved" in line or "Error:" in line]
        print(
            f"{given.requests:,} requests cut off; of {len(lines):,} lines of the log, {len(wrong)} are of tracebacks"
        )
        print(*sorted(set(wrong)), sep="\n")


@contextmanager
def service(model: Path, place: Path, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The service with 1,024 open files, as a login has them."""
    with log.open("ab") as stream:
        command = f"ulimit -Sn 1024; exec {sys.executable} -m textnb filterd {model} --socket {place}"
        process = subprocess.Popen(["bash", "-c", command], stderr=stream)
        while not place.exists():
            time.sleep(0.1)
        try:
            yield process
        finally:
            process.terminate()
            process.wait()


@contextmanager
def clients(send: Callable[[Line, threading.Event], None], place: Path, number: int) -> Iterator[None]:
    """So many clients that misbehave, half a second after they have begun; who is disconnected comes again."""
    end = threading.Event()

    def client() -> None:
        while not end.is_set():
            try:
                with socket.socket(socket.AF_UNIX) as line:
                    line.connect(str(place))
                    send(line, end)
                    line.settimeout(0.5)
                    while not end.is_set():
                        try:
                            if not line.recv(1):
                                break
                        except TimeoutError:
                            continue
            except OSError:
                end.wait(0.1)

    threading.stack_size(1 << 18)
    threads = [threading.Thread(target=client, daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    time.sleep(2.0 if number else 0)
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join(3)


def silent(line: Line, _end: threading.Event) -> None:
    line.sendall(b"")


def half(line: Line, _end: threading.Event) -> None:
    line.sendall(MAIL[: len(MAIL) // 2])


def slow(line: Line, end: threading.Event) -> None:
    while not end.is_set():
        line.sendall(b"a")
        end.wait(1)


def greedy(line: Line, _end: threading.Event) -> None:
    for _ in range(30):
        line.sendall(b"a" * (1 << 20))


def deaf(line: Line, end: threading.Event) -> None:
    line.sendall(MAIL + b"word " * 200_000)
    line.shutdown(socket.SHUT_WR)
    end.wait()


CLIENTS: dict[str, Callable[[Line, threading.Event], None]] = {
    "none": silent,
    "silent": silent,
    "half": half,
    "slow": slow,
    "greedy": greedy,
    "deaf": deaf,
}


def beside(name: str, number: int, place: Path, seconds: float, process: int) -> None:
    """Ask for so many seconds and print the times."""
    times, failed = [], 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        failed += ask_service(str(place), MAIL, 40.0).code == FAILED
        times.append(1000 * (time.perf_counter() - start))
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    shown = f"{np.median(times):9.1f} ms{max(times):9.1f} ms{int(peak) / 1000:9.0f} MB"
    print(f"{name:10}{number:8,}{len(times):8,}{failed:8,}{shown}", flush=True)


def cut_off(place: Path, requests: int) -> None:
    """Requests that end at a random stage, from eight threads."""

    def some(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(requests // 8):
            mail = MAIL * chance.choice([1, 1, 30])
            with socket.socket(socket.AF_UNIX) as line:
                try:
                    line.connect(str(place))
                    time.sleep(chance.choice([0, 0, 0.002]))
                    line.sendall(mail[: chance.choice([0, 1, len(mail) // 2, len(mail)])])
                    if chance.random() < 0.7:
                        line.shutdown(socket.SHUT_WR)
                        time.sleep(chance.choice([0, 0.001, 0.003, 0.01]))
                        line.settimeout(5)
                        line.recv(chance.choice([1, 100, len(mail)]))
                    if chance.random() < 0.3:
                        line.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    threads = [threading.Thread(target=some, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ask_service(str(place), MAIL).code != FAILED


if __name__ == "__main__":
    main()

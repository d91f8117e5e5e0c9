"""Times the mail filter on mails of 10 kB: the service, its client, and the filter alone.

    .venv/bin/python scripts/bench/filterd.py [CORPUS]

The model `mail` is trained on CORPUS, one mail store per class (corpora/ja-mail by default), and `textnb filterd`
started with it. Then, one after the other:

    asked       a message over the socket and its answer, from a client that is already running
    client      `textnb filter --socket`, a process for each mail
    alone       `textnb filter MODEL`, a process for each mail, which loads the model

and, for the first, the processor time of the service, which other work on the machine does not lengthen (Linux). The
mails are Japanese (ISO-2022-JP), HTML (UTF-8) and English, each of 10 kB.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from textnb import TextClassifier, read_corpus
from textnb.mail.protocol import FAILED, ask_service

ROOT = Path(__file__).parent.parent.parent
SIZE, ASKED = 10_000, 500
JAPANESE = "来週の会議の資料をお送りします。ご確認のうえ、金曜日までにご返事をいただけると助かります。\n"
ENGLISH = "Please find the notes of our meeting below, and tell us by Friday whether anything is missing from them.\n"
HEAD = "From: Taro <taro@example.jp>\nTo: hanako@example.com\nDate: Fri, 2 Jan 2026 03:04:05 +0900\nSubject: report\n"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("corpus", nargs="?", type=Path, default=ROOT / "corpora" / "ja-mail")
    corpus = arguments.parse_args().corpus
    with tempfile.TemporaryDirectory() as folder:
        model, place = Path(folder) / "mail.textnb", Path(folder) / "s"
        classifier = TextClassifier("mail").fit(read_corpus(corpus, reader="mail"))
        classifier.save(model)
        print(f"{classifier!r}, {model.stat().st_size / 1e6:.1f} MB, from {corpus.name}")
        textnb = [sys.executable, "-m", "textnb"]
        service = subprocess.Popen([*textnb, "filterd", str(model), "--socket", str(place)], stderr=subprocess.PIPE)
        try:
            assert service.stderr is not None
            service.stderr.readline()
            print(f"{'mail':10}{'':10}{'mails':>7}{'median':>12}{'95 %':>12}")
            for name, mail in mails().items():
                before = processor_seconds(service.pid)
                show(name, "asked", ASKED, lambda mail=mail: ask(place, mail))
                used = 1000 * (processor_seconds(service.pid) - before) / ASKED
                print(f"{name:10}{'service':10}{ASKED:7}{used:9.2f} ms of processor time a mail", flush=True)
                show(name, "client", 20, lambda mail=mail: run([*textnb, "filter", "--socket", str(place)], mail))
                show(name, "alone", 5, lambda mail=mail: run([*textnb, "filter", str(model)], mail))
        finally:
            service.terminate()
            service.communicate()


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def mails() -> dict[str, bytes]:
    """Return mails of SIZE bytes, up to one line."""
    japanese = HEAD + "Content-Type: text/plain; charset=iso-2022-jp\n\n"
    html = HEAD + "Content-Type: text/html; charset=utf-8\n\n"
    return {
        "Japanese": filled(japanese, JAPANESE, "iso-2022-jp"),
        "HTML": filled(
            html, f"<p style='color: #333'><a href='http://example.com/a'>{JAPANESE.strip()}</a></p>\n", "utf-8"
        ),
        "English": filled(HEAD + "\n", ENGLISH, "ascii"),
    }


def filled(head: str, line: str, charset: str) -> bytes:
    return head.encode() + line.encode(charset) * (SIZE // len(line.encode(charset)))


def ask(place: Path, mail: bytes) -> None:
    assert ask_service(str(place), mail).code != FAILED


def run(command: list[str], mail: bytes) -> None:
    done = subprocess.run(command, input=mail, capture_output=True, check=True)
    assert len(done.stdout) > len(mail)


def show(name: str, way: str, times: int, work: Callable[[], None]) -> None:
    """Print the median and the 95 % quantile of n runs, in milliseconds."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - begun))
    print(f"{name:10}{way:10}{times:7}{np.median(taken):9.2f} ms{np.quantile(taken, 0.95):9.2f} ms", flush=True)


if __name__ == "__main__":
    main()

"""Processor time of learning one mail, by textnb and by bogofilter, with all of the SpamAssassin corpus learnt thrice.

    python scripts/bench/learning_mail.py [--model NAME] [--copies N]

Each copy of the corpus has other words: of those with five letters or more, every third gets the number of the copy.
All is learnt by ``textnb train`` and by ``bogofilter``; then both learn single mails of a further copy, each mail in a
process of its own, in turns. ``import numpy`` is the unit of textnb's own limit. The service is asked through its
socket by a client that starts anew for each mail, and by one that stays.
"""

import argparse
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from textnb.corpus.catalogue import corpus_path
from textnb.mail.protocol import Lesson, ask_service, ask_to_correct

N_MAILS = 25
_WORD = re.compile(rb"[a-z]{5,}", re.IGNORECASE)


def altered(raw: bytes, copy: int) -> bytes:
    """Return a message with the words of a copy; the header stays."""
    head, blank, body = raw.partition(b"\n\n")
    number = str(copy).encode()
    words = _WORD.sub(lambda found: found[0] + number if sum(found[0]) % 3 == 0 else found[0], body)
    return head + blank + (words if copy else body)


def spent(command: Sequence[object], given: bytes = b"") -> float:
    """Processor time of a command, in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*map(str, command)], input=given, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def write_copies(folder: Path, copies: int) -> int:
    """Write the copies of the corpus as two folders of messages; return their number."""
    files = [path for path in sorted(corpus_path("spamassassin").glob("*/*")) if path.is_file()]
    for path in files:
        label = "spam" if "spam" in path.parent.name else "ham"
        (folder / label).mkdir(parents=True, exist_ok=True)
        for copy in range(copies):
            name = f"{path.parent.name}-{path.name}-{copy}.eml"
            (folder / label / name).write_bytes(altered(path.read_bytes(), copy))
    return copies * len(files)


def show(name: str, times: list[float]) -> None:
    """Print the best and the median of some times."""
    print(f"  {name:<44}{min(times):9.2f}{statistics.median(times):9.2f}", flush=True)


def main() -> None:
    """Learn the copies with both programs, then measure."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--model", default="multinomial")
    arguments.add_argument("--copies", type=int, default=3)
    given = arguments.parse_args()
    textnb = [sys.executable, "-m", "textnb"]
    with tempfile.TemporaryDirectory() as name:
        folder, model, words = Path(name) / "mail", Path(name) / "m.textnb", Path(name) / "words"
        number = write_copies(folder, given.copies)
        words.mkdir()
        bogofilter = ["bogofilter", "-d", words, "-C"]
        training = [*textnb, "train", folder, "--model", given.model, "-o", model, "--quiet"]
        seconds = [spent(training) / 1e3, 0.0]
        for flag, label in (("-s", "spam"), ("-n", "ham")):
            names = "\n".join(map(str, sorted((folder / label).iterdir()))).encode()
            seconds[1] += spent([*bogofilter, flag, "-b"], names) / 1e3
        sizes = model.stat().st_size / 1e6, sum(path.stat().st_size for path in words.iterdir()) / 1e6
        print(f"{number:,} mails, model {given.model}; textnb train {seconds[0]:.0f} s, {sizes[0]:.1f} MB; ", end="")
        print(f"bogofilter {seconds[1]:.0f} s, {sizes[1]:.1f} MB")
        measure(textnb, bogofilter, model, sorted((folder / "spam").iterdir())[:: number // (8 * N_MAILS)][:N_MAILS])


def measure(textnb: list[str], bogofilter: list[object], model: Path, files: list[Path]) -> None:
    """Print the times of learning single mails."""
    mails = [altered(path.read_bytes(), 9) for path in files]
    times: dict[str, list[float]] = {"import numpy": [], "textnb learn": [], "bogofilter -s": []}
    for mail in mails:
        times["import numpy"].append(spent([sys.executable, "-c", "import numpy"]))
        times["textnb learn"].append(spent([*textnb, "learn", model, "--as", "spam", "--quiet"], mail))
        times["bogofilter -s"].append(spent([*bogofilter, "-s"], mail))
    print(f"{'processor time in ms of':<46}{'best':>9}{'median':>9}")
    for each, found in times.items():
        show(each, found)
    show_service(textnb, model, [altered(mail, 8) for mail in mails])


def show_service(textnb: list[str], model: Path, mails: list[bytes]) -> None:
    """Print the times of learning by textnb filterd."""
    socket = str(model.with_name("s"))
    service = subprocess.Popen([*textnb, "filterd", str(model), "--spam", "spam", "--socket", socket, "--quiet"])
    try:
        while ask_service(socket, mails[0]).code == 3:
            time.sleep(0.1)
        half = len(mails) // 2
        learning = [*textnb, "learn", "--socket", socket, "--as", "spam", "--quiet"]
        show("textnb learn --socket, its client", [spent(learning, mail) for mail in mails[:half]])
        times = []
        for mail in mails[half:]:
            began = time.perf_counter()
            assert ask_to_correct(socket, Lesson("learn", "spam"), mail).reason == "learnt"
            times.append(1e3 * (time.perf_counter() - began))
        show("one request to filterd (wall time)", times)
    finally:
        service.terminate()
        service.wait()


if __name__ == "__main__":
    main()

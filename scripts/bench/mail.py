"""Times reading and classifying the mail of the SpamAssassin corpus, against the standard library and bogofilter.

    TEXTNB_CORPORA=FOLDER .venv/bin/python scripts/bench/mail.py [--rounds N] [--every N] [--copies N]

Two tables, each measured in alternating rounds. No message may raise.

reading     from bytes in memory: the standard library's parser (compat32, which decodes nothing), its modern policy up
            to the text of the body, textnb's walk over the parts, read_message without and with all groups of tokens,
            and with the set of terms. Processor time, so that other work on the machine counts little.
verdicts    from files to verdicts, each program a process of its own: `textnb predict` by the model `mail`, with one
            process and with two, and `bogofilter -b`. Both learn every second message and classify all, each
            --copies times, so that the start weighs as little as in a mailbox. "start" is the time of textnb for
            a single message; "less start" is the rest. Processor time is the sum over all processes.

Medians; the ratios are the medians of the rounds' ratios. All numbers are from this run.
"""

import argparse
import email
import email.policy
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from textnb import TextClassifier, read_corpus
from textnb.readers import MailFeatures, read_message
from textnb.readers.message.headers import Defects
from textnb.readers.message.parts import Walk


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--every", type=int, default=1, help="take every Nth message")
    arguments.add_argument("--copies", type=int, default=4, help="classify each message so many times")
    given = arguments.parse_args()
    messages = corpus(given.every)
    size = sum(map(len, messages.values()))
    print(f"{len(messages):,} messages, {size / len(messages):,.0f} bytes on average\n\nreading")
    reading(list(messages.values()), given.rounds)
    print(f"\nverdicts on {len(messages) * given.copies:,} files")
    if shutil.which("bogofilter"):
        verdicts(messages, given.rounds, given.copies)
    else:
        print("bogofilter is not installed")


def corpus(every: int) -> dict[str, bytes]:
    """Return the messages by name."""
    with tarfile.open(Path(os.environ["TEXTNB_CORPORA"]) / "spamassassin.tar.xz") as tar:
        found = {member.name: tar.extractfile(member) for member in tar if member.isfile()}
        raws = {name: stream.read() for name, stream in found.items() if stream is not None and "stdlib" not in name}
    return dict(sorted(raws.items())[::every])


# ---- reading ----


def reading(raws: list[bytes], rounds: int) -> None:
    none = MailFeatures(())
    steps: dict[str, Callable[[bytes], object]] = {
        "email, compat32": email.message_from_bytes,
        "email, policy.default, body": body_by_policy,
        "walk over the parts": lambda raw: Walk.of(raw, Defects()),
        "read_message, no groups": lambda raw: read_message(raw, none),
        "read_message": read_message,
    }
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            begun = time.process_time()
            for raw in raws:
                step(raw)
            taken[name].append(time.process_time() - begun)
    for name, seconds in taken.items():
        each = statistics.median(seconds) / len(raws)
        print(f"{name:28} {each * 1e3:7.3f} ms a message  {1 / each:7,.0f} a second")


def body_by_policy(raw: bytes) -> object:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    try:
        body = message.get_body(("plain", "html"))
        return message["subject"], None if body is None else body.get_content()
    except Exception:  # it raises for dozens of these messages
        return None


# ---- verdicts ----


class Taken(NamedTuple):
    """Processor and wall seconds of one run."""

    processor: float
    wall: float


def verdicts(messages: dict[str, bytes], rounds: int, copies: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        names = written(messages, folder, copies)
        learn(folder)
        textnb = [sys.executable, "-m", "textnb", "predict", str(folder / "mail.textnb"), "--quiet"]
        commands = {
            "bogofilter": ["bogofilter", "-C", "-d", str(folder), "-v", "-b"],
            "textnb": [*textnb, str(folder / "all"), "--jobs", "1"],
            "textnb, two processes": [*textnb, str(folder / "all"), "--jobs", "2"],
            "start": [*textnb, str(folder / "one"), "--jobs", "1"],
        }
        taken: dict[str, list[Taken]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                taken[name].append(run(command, names if name == "bogofilter" else []))
    start = Taken(*(statistics.median(values) for values in zip(*taken.pop("start"), strict=True)))
    for name in [name for name in taken if name != "bogofilter"]:
        taken[f"{name}, less start"] = [Taken(p - start.processor, w - start.wall) for p, w in taken[name]]
    print(f"{'':34}{'processor':>16}{'wall':>12}{'a second':>10}   times bogofilter's speed: processor, wall")
    for name, runs in taken.items():
        show(name, runs, taken["bogofilter"], len(names))
    print(f"{'start':34}{start.processor:11.2f} s   {start.wall:9.2f} s")
    for rest in ("", ", less start"):
        pairs = zip(taken[f"textnb{rest}"], taken[f"textnb, two processes{rest}"], strict=True)
        print(f"two processes{rest}: {statistics.median(one.wall / two.wall for one, two in pairs):.2f} times one")


def written(messages: dict[str, bytes], folder: Path, copies: int) -> list[str]:
    """Write the files to learn from (learn/ham, learn/spam) and a single one (one); return those to classify."""
    for name in ("learn/ham", "learn/spam", "all", "one"):
        (folder / name).mkdir(parents=True)
    for i, (name, raw) in enumerate(messages.items()):
        for copy in range(copies):
            (folder / "all" / f"{copy}-{i:05}.eml").write_bytes(raw)
        if i % 2:
            (folder / "learn" / ("spam" if "/spam-" in name else "ham") / f"{i:05}.eml").write_bytes(raw)
    (folder / "one" / "0.eml").write_bytes(next(iter(messages.values())))
    return sorted(map(str, (folder / "all").iterdir()))


def learn(folder: Path) -> None:
    TextClassifier("mail").fit(read_corpus(folder / "learn", reader="mail")).save(folder / "mail.textnb")
    for flag, kind in (("-n", "ham"), ("-s", "spam")):
        run(["bogofilter", "-C", "-d", str(folder), flag, "-b"], sorted(map(str, (folder / "learn" / kind).iterdir())))


def run(command: list[str], lines: list[str]) -> Taken:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    told = "\n".join(lines).encode()
    subprocess.run(command, input=told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def show(name: str, runs: list[Taken], theirs: list[Taken], messages: int) -> None:
    each = [statistics.median(values) / messages for values in zip(*runs, strict=True)]
    speeds = [statistics.median(b[k] / a[k] for a, b in zip(runs, theirs, strict=True)) for k in (0, 1)]
    line = f"{name:34}{each[0] * 1e3:13.3f} ms{each[1] * 1e3:9.3f} ms{1 / each[1]:10,.0f}"
    print(line + ("" if name == "bogofilter" else f"   {speeds[0]:.2f}, {speeds[1]:.2f}"), flush=True)


if __name__ == "__main__":
    main()

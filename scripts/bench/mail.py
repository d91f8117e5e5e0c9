"""Reading mail on the SpamAssassin corpus: every message, and how many a second.

    TEXTNB_CORPORA=FOLDER .venv/bin/python scripts/bench/mail.py [--rounds N] [--every N]

Side by side, in alternating rounds, from bytes in memory: the standard library's parser (compat32, which decodes
nothing), its modern policy up to the text of the body, textnb's walk over the parts, read_message without and with all
groups of tokens, and with the set of terms. Where bogofilter is installed, it classifies the same messages, from files,
with a word list of the same messages. Seconds are of the processor, so that other work on the machine counts little;
medians; all numbers are of this run. No message may raise.
"""

import argparse
import email
import email.policy
import os
import resource
import shutil
import statistics
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from textnb.readers import MailFeatures, read_message, token_set
from textnb.readers.mail.defects import Defects
from textnb.readers.mail.parts import Walk


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--every", type=int, default=1, help="take every Nth message")
    given = arguments.parse_args()
    messages = corpus(given.every)
    size = sum(map(len, messages.values()))
    print(f"{len(messages):,} messages, {size / len(messages):,.0f} bytes on average")
    none = MailFeatures(())
    steps: dict[str, Callable[[bytes], object]] = {
        "email, compat32": email.message_from_bytes,
        "email, policy.default, body": body_by_policy,
        "walk over the parts": lambda raw: Walk.of(raw, Defects()),
        "read_message, no groups": lambda raw: read_message(raw, none),
        "read_message": read_message,
        "read_message and token_set": lambda raw: token_set(read_message(raw)),
    }
    for name, seconds in alternating(steps, list(messages.values()), given.rounds).items():
        show(name, seconds, len(messages))
    if shutil.which("bogofilter"):
        show("bogofilter", bogofilter(messages, given.rounds), len(messages))
    else:
        print("bogofilter is not installed")


def corpus(every: int) -> dict[str, bytes]:
    """The messages by name."""
    with tarfile.open(Path(os.environ["TEXTNB_CORPORA"]) / "spamassassin.tar.xz") as tar:
        found = {member.name: tar.extractfile(member) for member in tar if member.isfile()}
        raws = {name: stream.read() for name, stream in found.items() if stream is not None and "stdlib" not in name}
    return dict(sorted(raws.items())[::every])


def body_by_policy(raw: bytes) -> object:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    try:
        body = message.get_body(("plain", "html"))
        return message["subject"], None if body is None else body.get_content()
    except Exception:  # it raises for dozens of these messages
        return None


def alternating(steps: dict[str, Callable[[bytes], object]], raws: list[bytes], rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            begun = time.process_time()
            for raw in raws:
                step(raw)
            taken[name].append(time.process_time() - begun)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def bogofilter(messages: dict[str, bytes], rounds: int) -> float:
    """Its seconds for all messages."""
    with tempfile.TemporaryDirectory() as folder:
        names: dict[str, list[str]] = {"-n": [], "-s": []}
        for i, (name, raw) in enumerate(messages.items()):
            (Path(folder) / str(i)).write_bytes(raw)
            names["-s" if "/spam-" in name else "-n"].append(f"{folder}/{i}")
        for kind, files in names.items():
            run_bogofilter(folder, [kind], files)
        return statistics.median(run_bogofilter(folder, ["-v"], names["-n"] + names["-s"]) for _ in range(rounds))


def run_bogofilter(folder: str, options: list[str], files: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["bogofilter", "-d", folder, *options, "-b"]
    subprocess.run(command, input="\n".join(files).encode(), stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(name: str, seconds: float, messages: int) -> None:
    print(f"{name:28} {seconds / messages * 1e3:7.3f} ms a message  {messages / seconds:7,.0f} a second")


if __name__ == "__main__":
    main()

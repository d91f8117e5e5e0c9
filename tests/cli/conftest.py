"""The command line as its user runs it: a process with arguments, standard input, and what comes out."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
JA_MINI = ROOT / "corpora" / "ja-mini"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def textnb(*arguments: object, stdin: bytes | str = b"", env: dict[str, str] | None = None) -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        command = [sys.executable, "-c", "from textnb.cli import main; main()", *map(str, arguments)]
        done = subprocess.run(
            command, input=data, capture_output=True, cwd=tmp_path, env={**os.environ, **(env or {})}, check=False
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return textnb


@pytest.fixture
def ja_mini() -> Path:
    return JA_MINI


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    texts = {"pets": ["dog cat dog", "cat bird"], "food": ["egg salt", "salt oil egg", "oil pan"]}
    for label, documents in texts.items():
        (folder / label).mkdir(parents=True)
        for number, text in enumerate(documents):
            (folder / label / f"{number}.txt").write_text(text)
    return folder


@pytest.fixture
def model(run: Run, corpus: Path, tmp_path: Path) -> Path:
    path = tmp_path / "model.textnb"
    assert run("train", corpus, "-o", path, "--quiet").code == 0
    return path

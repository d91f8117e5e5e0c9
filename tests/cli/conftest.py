"""The command line as its user runs it: arguments, standard input, and what comes out."""

import logging
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from on_words import OPTIONS

from textnb import TextClassifier
from textnb.cli import main

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

    @property
    def ok(self) -> "Done":
        """This result, after a check that the command succeeded."""
        assert self.code == 0, self.err
        return self

    @property
    def refusal(self) -> str:
        """The one line of a command that fails with exit code 1 and prints no data."""
        return self._line_of_failure(1)

    @property
    def misuse(self) -> str:
        """The one line of a command that fails with exit code 2, because its options are wrong, and prints no data."""
        return self._line_of_failure(2)

    def _line_of_failure(self, code: int) -> str:
        assert (self.code, self.out, self.err.count("\n")) == (code, "", 1), self
        return self.err


Run = Callable[..., Done]


@contextmanager
def _as_it_was() -> Iterator[None]:
    """What the command sets for its whole process, set back; warnings are shown, as in a process of its own."""
    log = logging.getLogger("textnb")
    level, handlers = log.level, log.handlers
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        try:
            yield
        finally:
            log.setLevel(level)
            log.handlers = handlers


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command in this process: a tenth of the time, for what needs no process of its own."""

    def textnb(*arguments: object, stdin: bytes | str = b"", env: dict[str, str] | None = None) -> Done:
        isolation = CliRunner(env=env).isolation(stdin)
        with pytest.MonkeyPatch.context() as patch, _as_it_was(), isolation as (out, err, *_):
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["textnb", *map(str, arguments)])
            with pytest.raises(SystemExit) as end:
                main()
            sys.stdout.flush()
            sys.stderr.flush()
            return Done(int(end.value.code or 0), out.getvalue().decode(), err.getvalue().decode())

    return textnb


@pytest.fixture
def run_alone(tmp_path: Path) -> Run:
    """The command in a process of its own."""

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
    assert run("train", corpus, *OPTIONS, "-o", path, "--quiet").code == 0
    return path


@pytest.fixture(scope="session")
def trained_on_mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "mail.textnb"
    texts, labels = ["安い薬", "薬 安い 今", "昼食 会議", "会議 の 昼食"], ["迷惑", "迷惑", "ham", "ham"]
    TextClassifier(tokenizer="chars", alpha=0.01, calibrate=False).fit(texts, labels).save(path)
    return path


@pytest.fixture
def mail_model(trained_on_mail: Path, tmp_path: Path) -> Path:
    """A file of the test's own, which it may change."""
    return Path(shutil.copy(trained_on_mail, tmp_path / "mail.textnb"))


@pytest.fixture
def memory() -> Iterator[Any]:
    """Files of memory://, gone after the test."""
    fsspec = pytest.importorskip("fsspec", reason="needs fsspec: pip install 'textnb[remote]'")
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]

"""The shell examples of both READMEs, run as they stand; the Python ones are doctests."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from textnb.text import tokenizer

ROOT = Path(__file__).parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(readme: Path) -> list[tuple[str, str]]:
    blocks = re.findall(r"^```console\n(.*?)^```", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    parts = [part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, expected) for command, _, expected in parts]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command of the English README prints; the Japanese one has the same."""
    folder = tmp_path_factory.mktemp("readme")
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    tokenizer("janome")("犬")  # where the dictionary has not been compiled yet, a command would say that it is
    printed = {}
    for command, _ in examples(ROOT / "README.md"):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert command not in printed
        printed[command] = done.stdout + done.stderr
    return printed


@pytest.mark.parametrize("name", ["README.md", "README.ja.md"])
def test_the_examples_print_what_the_readme_says(name: str, shown: dict[str, str]) -> None:
    checker = doctest.OutputChecker()
    found = examples(ROOT / name)
    assert len(found) > 8
    for command, expected in found:
        assert checker.check_output(expected, shown[command], FLAGS), (
            f"$ {command}\n{shown[command]}\nis not\n{expected}"
        )


def test_both_readmes_have_the_same_examples() -> None:
    english, japanese = ([command for command, _ in examples(ROOT / name)] for name in ("README.md", "README.ja.md"))
    assert english == japanese

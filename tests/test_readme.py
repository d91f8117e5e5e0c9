"""The shell examples of the READMEs and the guides, run as they stand; the Python ones are doctests."""

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


PAGES = ("README.md", "docs/guide.md")
"""English pages; the Japanese ones have the same examples."""


def japanese(page: str) -> str:
    return page.replace(".md", ".ja.md")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What each command of each English page prints, all commands of a page in one folder."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    tokenizer("janome")("犬")  # where the dictionary has not been compiled yet, a command would say that it is
    printed: dict[str, dict[str, str]] = {}
    for page in PAGES:
        folder, of_page = tmp_path_factory.mktemp("page"), printed.setdefault(page, {})
        for command, _ in examples(ROOT / page):
            run = ["bash", "-c", command]
            done = subprocess.run(run, cwd=folder, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            assert command not in of_page
            of_page[command] = done.stdout + done.stderr
    return printed


@pytest.mark.parametrize(("page", "least"), [("README.md", 4), ("docs/guide.md", 9)])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_examples_print_what_the_page_says(
    page: str, least: int, language: str, shown: dict[str, dict[str, str]]
) -> None:
    checker = doctest.OutputChecker()
    found = examples(ROOT / (page if language == "en" else japanese(page)))
    assert len(found) >= least
    for command, expected in found:
        printed = shown[page][command]
        assert checker.check_output(expected, printed, FLAGS), f"$ {command}\n{printed}\nis not\n{expected}"


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_have_the_same_examples(page: str) -> None:
    english, others = ([command for command, _ in examples(ROOT / name)] for name in (page, japanese(page)))
    assert english == others


@pytest.mark.parametrize("name", ["README.md", "README.ja.md"])
def test_a_readme_is_short(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= 150

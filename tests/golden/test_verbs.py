"""The verbs of the command line print what their transcripts say."""

import difflib

import pytest
from golden.transcript import VERBS, commands, prepare, prepare_shared, same_text, transcript


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return prepare_shared(tmp_path_factory.mktemp("shared"))


@pytest.mark.parametrize("name", sorted(path.stem for path in VERBS.glob("*.txt")))
def test_a_transcript_is_what_its_commands_print(name, shared, tmp_path):
    expected = (VERBS / f"{name}.txt").read_text(encoding="utf-8")
    found = transcript(commands(expected), prepare(tmp_path, shared))
    if not same_text(expected, found):
        pytest.fail("\n".join(difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found")))

"""Programs in the patterns of scikit-learn's user guide print the same with its import and with textnb's."""

import contextlib
import io
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(FOLDER.glob("*.py"))
IMPORT = re.compile(r"^from sklearn\.naive_bayes import ", re.MULTILINE)


def output_of(source):
    """What a program prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "program", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_import_is_all_that_a_program_must_change(path):
    source = path.read_text(encoding="utf-8")
    changed, number = IMPORT.subn("from textnb.estimators import ", source)
    assert number == 1
    theirs = output_of(source)
    assert len(theirs.splitlines()) > 1
    assert output_of(changed) == theirs


def test_there_is_a_program_for_every_pattern():
    patterns = "calibration class_prior clone grid_search joblib_file out_of_core permutation pipeline sample_weight"
    assert {path.stem for path in PROGRAMS} == {*patterns.split(), "top_words"}

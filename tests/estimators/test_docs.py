import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.md"


@pytest.mark.skipif(not PAGE.is_file(), reason="needs the documents, which only the sources have")
def test_the_examples_of_the_page_on_scikit_learn_are_right():
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0

"""Model files that an earlier version wrote are read and give the answers that they gave then."""

import json

import pytest
from golden.answers import ANSWERS, answers, differences, model_files

from textnb import TextClassifier

EXPECTED = json.loads(ANSWERS.read_text(encoding="utf-8"))
FILES = model_files()


def test_each_model_file_has_answers_and_each_answer_a_model_file():
    assert sorted(EXPECTED) == sorted(FILES)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_model_answers_as_it_did_when_it_was_written(name, tmp_path):
    loaded = TextClassifier.load(FILES[name])
    assert differences(EXPECTED[name], answers(loaded)) == []
    loaded.save(tmp_path / "again.textnb")
    again = TextClassifier.load(tmp_path / "again.textnb")
    assert differences(EXPECTED[name], answers(again)) == []

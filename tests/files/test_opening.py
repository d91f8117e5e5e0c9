"""Opening a model and answering imports nothing that answers do not need."""

import subprocess
import sys

import pytest

from textnb import TextClassifier

TEXTS = ["good fun day", "a good film", "fun film", "bad sad day", "a sad bad film", "bad rain"]
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg"]
ANSWER = """
import sys
from textnb import TextClassifier
found = TextClassifier.load(sys.argv[1]).predict_proba(["good film", "", "unknown"])
print(found.tolist())
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"scipy", "zipfile", "janome", "click", "rich"}))
"""


@pytest.mark.parametrize(
    "model", ["multinomial", "complement", "bernoulli", "unb", "logistic", "nb-logistic", "mail", "ensemble"]
)
def test_an_answer_needs_neither_scipy_nor_the_reader_of_old_files(tmp_path, model):
    classifier = TextClassifier(model, tokenizer="words").fit(TEXTS, LABELS)
    classifier.save(tmp_path / "model")
    command = [sys.executable, "-c", ANSWER, str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answers, imported = done.stdout.split("\n")[:2]
    assert answers == str(classifier.predict_proba(["good film", "", "unknown"]).tolist())
    assert imported == ""

"""Small corpora made of chance, with copies and groups in them."""

from dataclasses import replace

import numpy as np

from textnb import Analyzer, Document, TextClassifier
from textnb.comparison import TokenizedDocuments

CLASSES = ("x", "y", "z")


def documents(number=36, seed=0):
    """Each class has words of its own liking; one document in nine is a copy, and two pairs share a group."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(number):
        label = CLASSES[i % 3]
        likes = np.ones(24)
        likes[8 * (i % 3) : 8 * (i % 3) + 8] = 3
        words = rng.choice(24, rng.integers(3, 9), p=likes / likes.sum())
        text = made[-6].text if i % 9 == 8 else " ".join(f"w{word}" for word in words)
        made.append(Document(text, label, str(i), group=f"g{i // 12}" if i % 12 in {0, 4} else None))
    return made


def recipe(model="multinomial", alpha=None, calibrate=False, **settings):
    """On words; neither calibrated nor searched for by default: that is most of the time that a small model takes."""
    settings = {"tokenizer": "whitespace", "analyzer": Analyzer(), **settings}
    if alpha is None and model in ("multinomial", "complement") and "-l2" not in settings.get("weighting", ""):
        alpha = "evidence"
    made = TextClassifier(model, alpha=alpha, calibrate=calibrate, **settings).recipe
    return replace(made, options={**made.options, "l2": 1.0}) if "l2" in made.options else made


def tokenised(made, *recipes):
    return TokenizedDocuments.from_documents(recipes or [recipe()], made)

"""What a model answers to fixed texts and messages, as values that JSON can hold."""

import math
import warnings
from pathlib import Path
from typing import Any

from textnb import Document, TextClassifier, read_corpus

HERE = Path(__file__).parent
MODELS = HERE / "models"
ANSWERS = HERE / "answers.json"
FORMAT_1 = HERE.parent / "fixtures" / "format1.textnb"
JA_MAIL = HERE.parent.parent / "corpora" / "ja-mail"

TEXTS = [
    "塩と油で卵を焼く。試合は延長で決まった。",
    "選手が走って、ﾊﾟｿｺﾝの画面に https://example.com/ と ＡＢＣ１２３ が出た。\n二行目は料理の話。",
    "The film was good fun, but the day was sad.",
    "",
    "zzzqqq 鬱蒼 xylograph",
    "鍋に水を入れて火にかけ、選手は球を追い、画面には文字が並んだ。" * 40,
]

RELATIVE = ABSOLUTE = 1e-9


def model_files() -> dict[str, Path]:
    """Each model file by the name that it has in the answers."""
    return {path.stem: path for path in (*sorted(MODELS.glob("*.textnb")), FORMAT_1)}


def messages() -> list[Document]:
    """The first message of each class of ja-mail."""
    first: dict[str | None, Document] = {}
    with warnings.catch_warnings(action="ignore"):  # some messages have defects, on purpose
        for document in read_corpus(JA_MAIL, reader="mail"):
            first.setdefault(document.label, document)
    return list(first.values())


def answers(classifier: TextClassifier) -> dict[str, Any]:
    """Classes, log probabilities, one explanation and the state of the calibration."""
    why = classifier.explain(TEXTS[0])
    return {
        "classes": classifier.classes_.tolist(),
        "calibration_state": classifier.calibration_state,
        "texts": classifier.predict_log_proba(TEXTS).tolist(),
        "messages": classifier.predict_log_proba(messages()).tolist(),
        "explanation": {
            "label": why.label,
            "against": why.against,
            "score": why.score,
            "bias": why.bias,
            "distance": why.distance,
            "contributions": [list(part) for part in why.contributions],
        },
    }


def differences(expected: Any, found: Any, place: str = "") -> list[str]:
    """Return one line per place where two values differ; numbers may differ by 1e-9.

    >>> differences({"a": [1.0, -math.inf]}, {"a": [1.0 + 1e-12, -math.inf]})
    []
    >>> differences({"a": [1.0]}, {"a": [1.1]})
    ['a.0: expected 1.0, found 1.1']
    """
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        pairs = [(key, value, found[key]) for key, value in expected.items()]
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = [(index, *both) for index, both in enumerate(zip(expected, found, strict=True))]
    elif isinstance(expected, float) and isinstance(found, float):
        close = math.isclose(expected, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
        same = close or (math.isnan(expected) and math.isnan(found))
        return [] if same else [f"{place}: expected {expected!r}, found {found!r}"]
    else:
        return [] if expected == found else [f"{place}: expected {expected!r}, found {found!r}"]
    return [line for key, one, other in pairs for line in differences(one, other, f"{place}.{key}".lstrip("."))]

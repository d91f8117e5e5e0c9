"""textnb: text classification with naive Bayes and its kin, Japanese first.

>>> from textnb import TextClassifier
>>> clf = TextClassifier().fit(["卵を焼いて塩をふる", "試合は延長で決まった"], ["cooking", "sport"])
>>> clf.predict(["塩を入れて焼く"]).tolist()
['cooking']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from textnb.version import __version__

if TYPE_CHECKING:
    from textnb.classifier import TextClassifier
    from textnb.explanation import Explanation
    from textnb.readers import Document, read_corpus
    from textnb.text import Analyzer

__all__ = ["Analyzer", "Document", "Explanation", "TextClassifier", "__version__", "read_corpus"]

_HOME = {
    "Analyzer": "textnb.text",
    "Document": "textnb.readers",
    "Explanation": "textnb.explanation",
    "TextClassifier": "textnb.classifier",
    "read_corpus": "textnb.readers",
}


def __getattr__(name: str) -> Any:
    """The public names, each loaded when first used: who only cuts texts need not wait for scipy."""
    if name not in _HOME:
        raise AttributeError(f"module 'textnb' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

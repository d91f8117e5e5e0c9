"""textnb: text classification with naive Bayes and its kin, Japanese first.

>>> from textnb import TextClassifier
>>> clf = TextClassifier().fit(["卵を焼いて塩をふる", "試合は延長で決まった"], ["cooking", "sport"])
>>> clf.predict(["塩を入れて焼く"]).tolist()
['cooking']
"""

from typing import TYPE_CHECKING

from textnb.extension import dir_of, names_of
from textnb.version import __version__

if TYPE_CHECKING:
    from textnb.classifier.explanation import Explanation
    from textnb.classifier.text_classifier import TextClassifier
    from textnb.readers import Document, read_corpus
    from textnb.text import Analyzer, tokenizer

__all__ = ["Analyzer", "Document", "Explanation", "TextClassifier", "__version__", "read_corpus", "tokenizer"]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "Analyzer": "text",
            "Document": "readers",
            "Explanation": "classifier.explanation",
            "TextClassifier": "classifier",
            "read_corpus": "readers",
            "tokenizer": "text",
        },
    )

__dir__ = dir_of(__name__)

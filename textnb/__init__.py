"""textnb: text classification with naive Bayes and its kin, Japanese first.

>>> from textnb import TextClassifier
>>> clf = TextClassifier().fit(["卵を焼いて塩をふる", "試合は延長で決まった"], ["cooking", "sport"])
>>> clf.predict(["塩を入れて焼く"]).tolist()
['cooking']
"""

from textnb.classifier import TextClassifier
from textnb.explanation import Explanation
from textnb.readers import Document, read_corpus
from textnb.text import Analyzer
from textnb.version import __version__

__all__ = ["Analyzer", "Document", "Explanation", "TextClassifier", "__version__", "read_corpus"]

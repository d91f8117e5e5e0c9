"""The classifier of texts: its recipe, what was fitted, and how it explains an answer."""

from textnb.classifier.text_classifier import TextClassifier
from textnb.extension import dir_of

__all__ = ["TextClassifier"]

__dir__ = dir_of(__name__)

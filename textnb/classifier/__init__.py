"""The classifier of texts: its recipe, what was fitted, and how it explains an answer."""

from textnb.classifier.text_classifier import TextClassifier

__all__ = ["TextClassifier"]

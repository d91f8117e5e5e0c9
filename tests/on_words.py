"""Multinomial naive Bayes on words: the recipe of tests that are not about the choice of a recipe."""

from textnb import Analyzer, TextClassifier

MODEL = ("--model", "multinomial", "--alpha", "evidence")
OPTIONS = (*MODEL, "--terms", "words")


def classifier_on_words(**settings):
    return TextClassifier(**{"model": "multinomial", "alpha": "evidence", "analyzer": Analyzer(), **settings})

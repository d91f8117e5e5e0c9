"""Corpora by name: the catalogue, fetching, and a check of any corpus for duplicates, giveaways and damage."""

from textnb.corpus.catalogue import KnownCorpus, catalogue, corpus_parts, corpus_path, data_folder, known_corpus
from textnb.corpus.check import CorpusCheck, DuplicateGroup, Limits, Place, check_corpus
from textnb.corpus.fetch import fetch
from textnb.extension import dir_of

__all__ = [
    "CorpusCheck",
    "DuplicateGroup",
    "KnownCorpus",
    "Limits",
    "Place",
    "catalogue",
    "check_corpus",
    "corpus_parts",
    "corpus_path",
    "data_folder",
    "fetch",
    "known_corpus",
]

__dir__ = dir_of(__name__)

"""Corpora by name: the catalogue and fetching; and a check of any corpus."""

from textnb.corpus.catalogue import Known, catalogue, corpus_parts, corpus_path, data_folder, known
from textnb.corpus.check import CorpusCheck, DuplicateGroup, Limits, Place, check_corpus
from textnb.corpus.fetch import fetch

__all__ = [
    "CorpusCheck",
    "DuplicateGroup",
    "Known",
    "Limits",
    "Place",
    "catalogue",
    "check_corpus",
    "corpus_parts",
    "corpus_path",
    "data_folder",
    "fetch",
    "known",
]

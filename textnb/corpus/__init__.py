"""Corpora by name: the catalogue, fetching, and a first check."""

from textnb.corpus.catalogue import Known, catalogue, corpus_parts, corpus_path, data_folder, known
from textnb.corpus.check import CorpusCheck
from textnb.corpus.fetch import fetch

__all__ = ["CorpusCheck", "Known", "catalogue", "corpus_parts", "corpus_path", "data_folder", "fetch", "known"]

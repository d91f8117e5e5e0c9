from pathlib import Path

import pytest

from textnb import read_corpus
from textnb.corpus import catalogue, corpus_path, data_folder, known_corpus
from textnb.errors import InputError


def test_every_corpus_says_what_it_is_and_where_it_comes_from():
    for corpus in catalogue().values():
        assert corpus.title
        assert corpus.licence
        assert corpus.source
        assert corpus.bundled or corpus.digest or corpus.archive_sha256


def test_the_bundled_corpus_holds_what_its_description_says():
    corpus = known_corpus("ja-mini")
    documents = [document for part in corpus.parts for document in read_corpus(corpus.path / part)]
    found = {label: sum(document.label == label for document in documents) for label in corpus.classes}
    assert found == corpus.classes
    assert len(found) >= 6
    lengths = [len(document.text.strip()) for document in documents]
    assert min(lengths) >= 150
    assert max(lengths) <= 400
    assert len({document.digest for document in documents}) == len(documents)


def test_an_unknown_corpus_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="unknown corpus 'news'; use 20newsgroups, car, ja-mail, ja-mini"):
        known_corpus("news")


def test_a_corpus_that_is_not_here_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(InputError, match="textnb corpus get livedoor"):
        corpus_path("livedoor")


def test_the_data_folder_follows_the_xdg_convention(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "textnb"
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert data_folder() == Path.home() / ".local" / "share" / "textnb"

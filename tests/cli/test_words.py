import json

import pytest
from click.testing import CliRunner
from on_words import classifier_on_words

from textnb import read_corpus
from textnb.cli import app
from textnb.errors import InputError
from textnb.text import Analyzer


@pytest.fixture
def words(corpus, tmp_path):
    """`textnb words` of a small model: what is printed, and the error."""

    def printed(*arguments, **recipe):
        path = tmp_path / "small.textnb"
        classifier_on_words(calibrate=False, **recipe).fit(read_corpus(corpus)).save(path)
        done = CliRunner().invoke(app, ["words", str(path), *map(str, arguments)])
        assert done.exception is None or isinstance(done.exception, InputError), done.output
        return done.stdout, str(done.exception or "")

    return printed


def test_the_terms_of_a_class_are_rows_with_their_counts(words):
    header, *rows = (line.split("\t") for line in words("--class", "pets", "--top", 2)[0].splitlines())
    assert header == ["class", "term", "value", "documents", "documents_elsewhere", "weight", "weight_elsewhere"]
    assert [row[1] for row in rows] == ["cat", "dog"]
    assert [row[3:5] for row in rows] == [["2", "0"], ["1", "0"]]
    assert words("--class", "fish")[1] == "unknown class 'fish'; the model has food, pets"


@pytest.mark.parametrize("by", ["contribution", "log-odds", "chi-squared"])
def test_every_order_has_the_same_words_in_json(words, by):
    result = json.loads(words("--by", by, "--top", 3, "--json")[0])
    assert result["by"] == by
    assert {name: {word["term"] for word in some} for name, some in result["classes"].items()} == {
        "food": {"egg", "salt", "oil"},
        "pets": {"cat", "dog", "bird"},
    }
    values = [word["value"] for word in result["classes"]["pets"]]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("by", ["contribution", "log-odds"])
def test_with_raw_counts_the_weights_are_tokens_of_the_terms_in_use(words, by):
    result = json.loads(words("--by", by, "--json", weighting="raw", analyzer=Analyzer(max_terms=4))[0])
    found = {(name, word["term"]): word for name, some in result["classes"].items() for word in some}
    assert set(found) == {("food", "egg"), ("food", "oil"), ("food", "salt"), ("pets", "cat")}
    cat = found["pets", "cat"]
    assert (cat["documents"], cat["documents_elsewhere"], cat["weight"], cat["weight_elsewhere"]) == (2, 0, 2, 0)


@pytest.mark.parametrize(("model", "weighting"), [("bernoulli", "binary"), ("multinomial", "raw")])
def test_the_values_are_the_mean_of_explanations_of_the_documents_of_the_class(words, corpus, model, weighting):
    result = json.loads(words("--json", "--top", 9, model=model, weighting=weighting, alpha=0.5)[0])
    classifier = classifier_on_words(model=model, weighting=weighting, alpha=0.5, calibrate=False)
    classifier.fit(read_corpus(corpus))
    for label, other in (("pets", "food"), ("food", "pets")):
        documents = [each for each in read_corpus(corpus) if each.label == label]
        totals = {}
        for document in documents:
            for part in classifier.explain(document, label, other).contributions:
                totals[part.term] = totals.get(part.term, 0.0) + part.value / len(documents)
        found = {word["term"]: word["value"] for word in result["classes"][label]}
        assert found == pytest.approx({term: totals[term] for term in found}, abs=1e-6)
        assert set(found) == {term for document in documents for term in document.text.split()}


def test_an_idf_changes_what_the_model_says_and_not_what_was_counted(words):
    plain, weighted = (json.loads(words("--json", weighting=name)[0])["classes"]["pets"] for name in ("log", "tfidf"))
    assert {word["term"]: word["weight"] for word in plain} == {word["term"]: word["weight"] for word in weighted}
    assert {word["term"]: word["value"] for word in plain} != {word["term"]: word["value"] for word in weighted}


def test_an_order_that_is_not_known_is_refused(words):
    assert words("--by", "tfidf")[1] == "--by takes one of contribution, log-odds, chi-squared, not 'tfidf'"

"""Classes that take part in a comparison: rare and excluded ones are left out, and so are those no fold can split."""

import pytest

from textnb import Document, TextClassifier
from textnb.comparison import TokenizedDocuments, choose_classes, compare, learning_curve, tune
from textnb.errors import InputError

RECIPES = {"it": TextClassifier("multinomial", tokenizer="words", calibrate=False).recipe}


def tokenized(**numbers):
    corpus = [Document(f"{label} {i}", label, f"{label}{i}") for label, n in numbers.items() for i in range(n)]
    return TokenizedDocuments.from_documents(RECIPES.values(), corpus)


def test_what_is_left_can_be_split_and_the_rest_is_named():
    found = choose_classes(tokenized(a=9, b=8, c=3, d=1, e=7), min_documents=4, exclude=["a"], folds=None)
    assert (found.excluded, found.rare, found.unsplittable) == ({"a": 9}, {"c": 3, "d": 1}, {})
    assert found.documents.classes == ("b", "e")
    found = choose_classes(tokenized(a=9, b=8, c=3, d=1))
    assert (found.rare, found.unsplittable, found.documents.classes) == ({}, {"d": 1}, ("a", "b", "c"))


@pytest.mark.parametrize("nested", [False, True])
def test_every_number_of_documents_is_split_or_left_out(nested):
    for n in range(1, 8):
        found = choose_classes(tokenized(a=12, b=12, rare=n), folds=3, nested=nested)
        assert ("rare" in found.unsplittable) == ("rare" not in found.documents.classes)
        assert ("rare" in found.unsplittable) == (n < (3 if nested else 2)), n
        if nested:
            tune(RECIPES, found.documents, by="accuracy", folds=3)
        else:
            compare(RECIPES, found.documents, folds=3)
            learning_curve(RECIPES, found.documents, folds=3)


def test_copies_of_one_document_cannot_be_split():
    corpus = [Document(f"{label} {i}", label) for label in "ab" for i in range(6)] + [Document("same", "c")] * 5
    documents = TokenizedDocuments.from_documents(RECIPES.values(), corpus)
    assert choose_classes(documents).unsplittable == {"c": 5}


def test_terms_of_classes_left_out_are_gone():
    found = choose_classes(tokenized(a=6, b=6, c=1)).documents
    assert "c" not in found.of_recipe(RECIPES["it"]).vocabulary.terms
    assert found.ids == tuple(f"{label}{i}" for label in "ab" for i in range(6))
    whole = compare(RECIPES, tokenized(a=6, b=6)).json
    for row in (*whole["recipes"], *(again := compare(RECIPES, found).json)["recipes"]):
        del row["fit_seconds"], row["predict_seconds"]
    assert whole == again


def test_a_wrong_name_and_too_few_classes_are_one_clear_line():
    with pytest.raises(InputError, match=r"no class 'spma' to exclude among ham, spam; did you mean 'spam'\?"):
        choose_classes(tokenized(ham=5, spam=5), exclude=["spma"])
    with pytest.raises(InputError, match="fewer than two classes are left without a"):
        choose_classes(tokenized(a=5, b=5), exclude=["a"])

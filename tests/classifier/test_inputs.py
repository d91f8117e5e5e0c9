import math

import numpy as np
import pytest
from small_models import BY_EVIDENCE

from textnb import Document, TextClassifier
from textnb.classifier.inputs import as_documents, as_labelled
from textnb.errors import InputError

TEXTS, LABELS = ["a b", "c", "a"], ["x", "y", "x"]


class SeriesLike:
    """As a pandas Series that has been filtered: it iterates, and has no row called 0."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        raise KeyError(key)


def fitted(texts=TEXTS, labels=LABELS):
    return TextClassifier(**BY_EVIDENCE, tokenizer="whitespace").fit(texts, labels)


@pytest.mark.parametrize("kind", [list, tuple, np.array, SeriesLike, iter, lambda values: np.array(values, object)])
def test_texts_and_labels_may_come_in_any_iterable(kind):
    classifier = fitted(kind(TEXTS), kind(LABELS))
    assert classifier.learnt == fitted().learnt
    assert classifier.predict(kind(["c c", "a b"])).tolist() == ["y", "x"]


def test_numpy_strings_become_plain_ones():
    (document,) = as_labelled(np.array(["a"]), np.array(["x"]))
    assert type(document.text) is type(document.label) is str
    assert all(type(name) is str for name in fitted(np.array(TEXTS), np.array(LABELS)).classes_)


def test_documents_carry_their_labels_and_those_given_stand_above_them():
    documents = [Document(text, label) for text, label in zip(TEXTS, LABELS, strict=True)]
    assert fitted(documents, None).learnt == fitted().learnt
    assert fitted([Document("a", "wrong")], ["x"]).classes_.tolist() == ["x"]


def test_fields_are_counted_apart_from_the_text():
    mail = [Document("hello", fields={"from": ["hello"]}), Document("bye", fields={"to": ["hello"], "from": ["b"]})]
    classifier = fitted(mail, ["x", "y"])
    assert classifier.learnt.counts.vocabulary.terms == ("bye", "from:b", "from:hello", "hello", "to:hello")
    assert classifier.predict([Document("", fields={"to": ["hello"]})]).tolist() == ["y"]
    assert classifier.forget(mail[1:], ["y"]).learnt == fitted(mail[:1], ["x"]).learnt


@pytest.mark.parametrize(
    ("texts", "named"),
    [("a single text", "single str"), (b"bytes", "single bytes"), (Document("a"), "single Document")],
)
def test_a_single_text_in_place_of_a_list_is_refused(texts, named):
    for call in (fitted, lambda texts: fitted().predict(texts)):
        with pytest.raises(InputError, match=named):
            call(texts)


@pytest.mark.parametrize(
    ("item", "named"),
    [
        (b"bytes", "bytes \"b'bytes'\""),
        (None, "NoneType 'None'"),
        (math.nan, "float 'nan'"),
        (7, "int '7'"),
        (np.float64(0.5), "float64 '0.5'"),
        (["a", "b"], "list"),
        (np.array(["a", "b"]), "ndarray"),
    ],
)
def test_a_text_that_is_none_is_refused_with_its_place(item, named):
    classifier = fitted()
    for call in (lambda: fitted(["a", item], ["x", "y"]), lambda: classifier.predict(["a", item])):
        with pytest.raises(InputError, match=f"text 1 is {named}"):
            call()
    with pytest.raises(InputError, match=f"text 0 is {named}"):
        classifier.explain(item)


@pytest.mark.parametrize("text", [None, b"bytes", 3, math.nan])
def test_a_document_whose_text_is_none_is_refused_with_its_place(text):
    for call in (lambda document: fitted([document], ["x"]), lambda document: fitted().predict([document])):
        with pytest.raises(InputError, match=rf"text 0.*{type(text).__name__}"):
            call(Document(text, id="mail-1"))


@pytest.mark.parametrize("fields", [None, {"to": None}, {"to": [1]}, {"to": "a single string"}, ["to"]])
def test_fields_that_are_no_groups_of_tokens_are_refused(fields):
    with pytest.raises(InputError, match="fields"):
        fitted([Document("a", fields=fields)], ["x"])


@pytest.mark.parametrize(
    ("label", "named"),
    [(1, "int '1'"), (b"x", "bytes"), ("", "str ''"), (True, "bool"), (["x"], "list"), (np.array([1, 2]), "ndarray")],
)
def test_a_label_that_is_none_beside_a_string_is_refused_with_its_place(label, named):
    with pytest.raises(InputError, match=f"label 1 is {named}"):
        fitted(["a", "b"], ["x", label])


def test_a_label_that_cannot_be_written_is_refused():
    with pytest.raises(InputError, match="label 0 cannot be written as UTF-8"):
        fitted(["a"], ["\ud800"])


@pytest.mark.parametrize("labels", [None, ["x", None], ["x", math.nan]])
def test_a_missing_label_is_refused_with_its_place_and_id(labels):
    with pytest.raises(InputError, match=r"text 1 \('second'\) has no label"):
        fitted([Document("a", "x"), Document("b", id="second")], labels)


@pytest.mark.parametrize("wrong", [5, math.nan, np.array("x"), {"x": 1, "y": 2}, {"x", "y"}, frozenset({"x", "y"})])
def test_what_has_no_order_is_neither_texts_nor_labels(wrong):
    kind = type(wrong).__name__
    with pytest.raises(InputError, match=f"labels must be a list of labels, not {kind}"):
        fitted(["a", "b"], wrong)
    for call in (lambda: fitted(wrong, ["x", "y"]), lambda: fitted().predict(wrong)):
        with pytest.raises(InputError, match=f"texts must be a list of strings or Documents, not {kind}"):
            call()


def test_no_texts_and_a_single_string_of_labels_are_refused():
    with pytest.raises(InputError, match="texts must be a list of strings or Documents, not NoneType"):
        fitted().predict(None)
    with pytest.raises(InputError, match="labels must be a list of labels, not a single string"):
        fitted(["a", "b"], "xy")


@pytest.mark.parametrize(
    ("texts", "labels", "complaint"),
    [
        (["a"], ["x", "y"], "more labels than texts: 1 texts"),
        (["a", "b", "c"], ["x"], "more texts than labels: 1 labels"),
        ([], ["x"], "more labels than texts: 0 texts"),
        (["a"], [], "more texts than labels: 0 labels"),
    ],
)
@pytest.mark.parametrize("kind", [list, iter])
def test_as_many_labels_as_texts_are_needed(texts, labels, complaint, kind):
    with pytest.raises(InputError, match=complaint):
        fitted(kind(texts), kind(labels))


def test_texts_are_taken_one_by_one():
    taken = []
    documents = as_documents(taken.append(text) or text for text in "abc")
    assert taken == []
    assert next(documents) == Document("a", id="0")
    assert taken == ["a"]


def test_an_error_in_the_callers_own_generator_arrives_as_itself():
    def texts():
        yield "a"
        raise KeyError("column")

    with pytest.raises(KeyError, match="column"):
        fitted(texts(), ["x", "y"])

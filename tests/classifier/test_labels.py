"""Labels of one kind keep it: in classes_, answers, files and pickles; the command line shows text."""

import pickle

import numpy as np
import pandas as pd
import pytest
from small_models import BY_EVIDENCE

from textnb import Document, TextClassifier
from textnb.classifier.labels import KINDS, LabelSet, label_of
from textnb.errors import InputError, ModelFileError
from textnb.evaluation import Costs
from textnb.files.bundle import open_bundle, write_bundle
from textnb.files.model_file import LABEL_KINDS

TEXTS = ["a b", "c", "a a", "c d", "e", "e f"]


def fitted(labels, **params):
    return TextClassifier(**{**BY_EVIDENCE, "tokenizer": "whitespace", "alpha": 1.0, **params}).fit(TEXTS, labels)


INTEGERS = [10, 9, 10, 9, -1, -1]
AS_TEXT = fitted(["b", "c", "b", "c", "a", "a"])

LABELS = {
    "str": (["x", "y", "x", "y", "z", "z"], ["x", "y", "z"], object),
    "int": (INTEGERS, [-1, 9, 10], np.int64),
    "bool": ([True, False, True, False, False, False], [False, True], np.bool_),
    "whole float": ([float(label) for label in INTEGERS], [-1.0, 9.0, 10.0], np.float64),
    "numpy int8": (np.array(INTEGERS, np.int8), [-1, 9, 10], np.int64),
    "numpy ints in a list": ([np.int64(label) for label in INTEGERS], [-1, 9, 10], np.int64),
    "numpy bool": (np.array([True, False, True, False, False, False]), [False, True], np.bool_),
    "numpy str": (np.array(["x", "y", "x", "y", "z", "z"]), ["x", "y", "z"], object),
    "numpy StringDType": (np.array(list("xyxyzz"), np.dtypes.StringDType()), ["x", "y", "z"], object),
    "pandas Int64": (pd.Series(INTEGERS, dtype="Int64"), [-1, 9, 10], np.int64),
    "pandas boolean": (pd.Series([True, False, True, False, False, False], dtype="boolean"), [False, True], np.bool_),
    "pandas string": (pd.Series(list("xyxyzz"), dtype="string"), ["x", "y", "z"], object),
    "pandas category": (pd.Series(list("xyxyzz"), dtype="category"), ["x", "y", "z"], object),
    "iterator": (iter(INTEGERS), [-1, 9, 10], np.int64),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_keep_their_kind(name, tmp_path):
    labels, classes, dtype = LABELS[name]
    given = list(labels) if name == "iterator" else labels
    classifier = fitted(given)
    classifier.save(tmp_path / "m.textnb")
    for each in (classifier, TextClassifier.load(tmp_path / "m.textnb"), pickle.loads(pickle.dumps(classifier))):
        assert each.classes_.tolist() == classes
        assert each.classes_.dtype == dtype
        answers = each.predict(TEXTS)
        assert answers.dtype == dtype
        assert answers.tolist() == list(given)
        assert each.score(TEXTS, given) == each.evaluate(TEXTS, given).accuracy == 1.0
        assert each.decide(["", TEXTS[0]], unsure=0.7).tolist() == [None, next(iter(given))]
        assert each.decide(TEXTS).tolist() == list(given)


def test_columns_of_probabilities_are_in_the_order_of_the_labels():
    numbers = fitted(INTEGERS)
    assert numbers.classes_.tolist() == [-1, 9, 10]
    assert numbers.fitted.classes == ("-1", "10", "9")
    np.testing.assert_allclose(numbers.predict_proba(TEXTS), AS_TEXT.predict_proba(TEXTS)[:, [0, 2, 1]], atol=1e-12)
    np.testing.assert_array_equal(numbers.predict_proba(TEXTS).argmax(axis=1), [2, 1, 2, 1, 0, 0])
    for given in ({}, {"unsure": 0.7}, {"costs": Costs({"9": {"10": 1e9}})}):
        decided = numbers.rule(**given)(numbers.predict_proba(TEXTS))
        assert numbers.decide(TEXTS, **given).tolist() == [None if k < 0 else [-1, 9, 10][k] for k in decided]
    assert numbers.decide(["a"], costs=Costs({"9": {"10": 1e9}})).tolist() != [10]


def test_explanations_words_and_priors_go_by_label():
    numbers = fitted(INTEGERS, prior={10: 0.5, 9: 0.25, -1: 0.25})
    explained = numbers.explain("a c")
    assert {explained.label, explained.against} == {10, 9}
    assert numbers.explain("a", -1, against=np.int64(9)).label == -1
    assert numbers.words(10, top=1)[0].term == "a"
    np.testing.assert_allclose(numbers.predict_proba([""]), [[0.25, 0.25, 0.5]])
    with pytest.raises(InputError, match="unknown class '3'; the model has -1, 10, 9"):
        numbers.words(3)
    with pytest.raises(InputError, match="need a prior by label"):
        fitted(INTEGERS, prior=[0.5, 0.25, 0.25])
    assert fitted([1, 2, 1, 2, 1, 2], prior=[0.75, 0.25]).predict_proba([""])[0].tolist() == pytest.approx([0.75, 0.25])


def test_more_is_learnt_forgotten_and_merged_in_the_same_kind():
    numbers = fitted(INTEGERS)
    numbers.update(["g"], [100]).forget(["c"], [9])
    assert numbers.classes_.tolist() == [-1, 9, 10, 100]
    assert numbers.merge(fitted([3, 3, 3, 9, 9, 9])).classes_.tolist() == [-1, 3, 9, 10, 100]
    with pytest.raises(InputError, match="label 0 is str 'x', but those learnt before are whole numbers"):
        numbers.update(["g"], ["x"])
    with pytest.raises(InputError, match="labels of the kinds 'integer' and 'text' cannot be merged"):
        numbers.merge(AS_TEXT)
    assert numbers.classes_.tolist() == [-1, 3, 9, 10, 100]
    empty = TextClassifier(**AS_TEXT.get_params())
    assert empty.merge(fitted(INTEGERS)).classes_.tolist() == [-1, 9, 10]
    assert fitted(INTEGERS).fit(TEXTS, LABELS["str"][0]).classes_.tolist() == ["x", "y", "z"]


def test_labels_of_documents_are_names_of_the_classes():
    numbers = fitted(INTEGERS)
    numbers.update([Document("g", "100")])
    assert numbers.classes_.tolist() == [-1, 9, 10, 100]
    with pytest.raises(InputError, match="class 'spam' does not fit: the labels of this model are whole numbers"):
        numbers.update([Document("g", "spam")])


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (["x", 1], "label 1 is int '1', but label 0 is str 'x'; labels must be of one kind"),
        ([1, "x"], "label 1 is str 'x', but label 0 is int '1'"),
        ([True, 1], "label 1 is int '1', but label 0 is bool 'True'"),
        ([1, 2.0], "label 1 is float '2.0', but label 0 is int '1'"),
        ([1.5, 2.5], r"label 0 is 1.5, a fraction and not a class \(Unknown label type: continuous\)"),
        ([1, None], r"text 1 \('1'\) has no label; give it one"),
        ([1.0, np.nan], r"text 1 \('1'\) has no label, but float 'nan'"),
        (pd.Series([1, pd.NA], dtype="Int64"), r"text 1 \('1'\) has no label, but NAType '<NA>'"),
        (pd.Series(["x", None]), r"text 1 \('1'\) has no label"),
        ([b"x", b"y"], "label 0 is bytes .*labels must be strings .*, whole numbers or booleans"),
        ([("x",), ("y",)], "label 0 is tuple"),
        ([1j, 2j], "label 0 is complex"),
        (np.array([["x"], ["y"]]), "labels must have one dimension, not 2; labels.ravel"),
    ],
)
def test_labels_of_several_kinds_and_of_none_are_refused(labels, complaint):
    with pytest.raises(InputError, match=complaint):
        TextClassifier(tokenizer="whitespace").fit(["a", "b"], labels)


def test_large_numbers_keep_their_digits():
    labels = [2**70, 2**53 + 1] * 3
    assert fitted(labels).predict(TEXTS[:2]).tolist() == labels[:2]


def test_a_model_can_answer_in_text_and_keeps_its_kind(tmp_path):
    path = tmp_path / "m.textnb"
    fitted(INTEGERS).save(path)
    text = TextClassifier.load(path, labels="text")
    assert text.classes_.tolist() == ["-1", "10", "9"]
    assert text.predict(["a b"]).tolist() == ["10"]
    text.update(["g"], ["100"]).save(path)
    assert TextClassifier.load(path).classes_.tolist() == [-1, 9, 10, 100]
    with pytest.raises(InputError, match="class 'spam' does not fit"):
        text.update(["g"], ["spam"])
    with pytest.raises(InputError, match=r"unknown labels 'txt' \(did you mean 'text'\?\)"):
        TextClassifier.load(path, labels="txt")


def test_the_header_of_a_file_names_the_kind(tmp_path):
    path = tmp_path / "m.textnb"
    fitted(INTEGERS).save(path)
    bundle = open_bundle(path, "model")
    assert bundle.header["label_kind"] == "integer"
    assert tuple(KINDS) == LABEL_KINDS
    header = {name: value for name, value in bundle.header.items() if name != "sections"}
    write_bundle(path, "model", {**header, "label_kind": "colour"}, dict(bundle.answering), dict(bundle.learning))
    with pytest.raises(ModelFileError, match="of a kind that this textnb does not know; upgrade it"):
        TextClassifier.load(path)


def test_every_label_comes_back_from_its_name():
    for kind, labels in (
        ("boolean", [False, True]),
        ("integer", [-10, 0, 7]),
        ("real", [-1.0, 0.0, 1e20]),
        ("text", ["1"]),
    ):
        names = tuple(sorted(map(str, labels)))
        assert LabelSet(names, kind).array.tolist() == sorted(labels)
        assert [label_of(name, kind) for name in names] == [{str(x): x for x in labels}[name] for name in names]
    for name, kind in (("yes", "boolean"), ("1.0", "integer"), ("01", "integer"), ("x", "real")):
        with pytest.raises(InputError, match="does not fit"):
            label_of(name, kind)

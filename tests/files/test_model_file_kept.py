"""What a model file keeps beside the statistics: hostile samples, examples, histograms and calibrations are refused."""

import math

import numpy as np
import pytest
from small_models import put, rewritten

from textnb import TextClassifier
from textnb.errors import ModelFileError
from textnb.files.bundle import read_bundle

TEXTS = ["a a b", "a b c", "b b c", "d d e", "d e c", "e e d"]
LABELS = ["x", "x", "x", "y", "y", "y"]
MODELS = {
    "sample": {},
    "examples": {"weighting": "log-l2"},
    "histograms": {"model": "compound"},
    "log histograms": {"alpha": "leave-one-out", "weighting": "log"},
    "bernoulli": {"model": "bernoulli"},
    "raw": {"weighting": "raw"},
}


@pytest.fixture
def path_of(tmp_path):
    def saved(kind):
        classifier = TextClassifier(tokenizer="whitespace", **MODELS[kind]).fit(TEXTS, LABELS)
        assert classifier.calibration_state == "calibrated"
        classifier.save(tmp_path / "model.textnb")
        return tmp_path / "model.textnb"

    return saved


def refused(path, change, complaint):
    rewritten(path, "model", change)
    with pytest.raises(ModelFileError, match=rf"model.textnb: .*({complaint})"):
        TextClassifier.load(path)


def without(name):
    return lambda _, arrays: arrays.pop(name)


def of_sample(**facts):
    return lambda header, _: header["kept"]["sample"].update(facts)


def calibrated(**facts):
    return lambda header, _: header["calibration"].update(facts)


@pytest.mark.parametrize(
    ("part", "value", "complaint"),
    [
        ("digests", lambda digests: digests + np.uint8(1), "never learnt|sorted"),
        ("digests", lambda digests: digests[::-1].copy(), "sorted"),
        ("digests", lambda digests: digests[:-1], "not in order"),
        ("digests", lambda digests: np.repeat(digests[:1], 6, axis=0), "never learnt"),
        ("digests", lambda digests: digests[:, :8].copy(), "shape"),
        ("digests", lambda digests: digests.astype(np.int64), "missing or of another kind"),
        ("columns", lambda columns: columns + 1, "not in the vocabulary"),
        ("columns", lambda columns: columns - 1, "not in the vocabulary"),
        ("columns", lambda columns: columns * 0 + 2**62, "not in the vocabulary"),
        ("columns", lambda columns: columns[::-1].copy(), "not in order"),
        ("columns", lambda columns: columns[:-1], "not a sparse matrix"),
        ("columns", lambda columns: columns.astype(float), "missing or of another kind"),
        ("classes", lambda classes: classes + 1, "not those of the model"),
        ("classes", lambda classes: classes - 1, "not those of the model"),
        ("classes", lambda classes: classes[:-1], "not in order"),
        ("data", lambda data: data * 0, "not positive"),
        ("data", lambda data: data[:-1], "not a sparse matrix"),
        ("data", lambda data: data.astype(np.int64) * -1, "missing or of another kind"),
        ("data", lambda data: data * 0 + 255, "large counts"),
        ("large", lambda large: np.append(large, 300), "large counts"),
        ("indices", lambda indices: indices + 1, "not a sparse matrix"),
        ("indices", lambda indices: indices * 0, "out of order"),
        ("indptr", lambda indptr: indptr * 0, "not a sparse matrix"),
        ("indptr", lambda indptr: indptr[:-1], "not a sparse matrix"),
    ],
)
@pytest.mark.parametrize("kind", ["sample", "examples"])
def test_documents_that_were_not_learnt_or_are_none_are_refused(path_of, kind, part, value, complaint):
    refused(path_of(kind), put(f"{kind}.{part}", value), complaint)


@pytest.mark.parametrize("kind", ["sample", "examples"])
@pytest.mark.parametrize("part", ["data", "large", "indices", "indptr", "columns", "classes", "digests"])
def test_an_array_that_is_missing_is_named(path_of, kind, part):
    refused(path_of(kind), without(f"{kind}.{part}"), f"'{kind}.{part}' is missing")


@pytest.mark.parametrize(
    "facts",
    [
        {"levels": {"x": 65}},
        {"levels": {"x": 10**30}},
        {"levels": {"x": 0}},
        {"levels": {"x": -1}},
        {"levels": {"x": 1.5}},
        {"levels": {"x": True}},
        {"levels": {"x": None}},
        {"levels": {"z": 1}},
        {"levels": ["x"]},
        {"levels": None},
        {"most": 0},
        {"most": -1},
        {"most": 2.5},
        {"most": True},
        {"most": "many"},
        {"most": None},
    ],
)
def test_an_absurd_sample_is_refused(path_of, facts):
    refused(path_of("sample"), of_sample(**facts), "does not describe the sample|does not fit together")


@pytest.mark.parametrize("kept", [[], 5, "sample", {"sample": 5}, {"sample": True}, {"sample": ["most"]}, None])
def test_kept_things_described_as_they_are_not_are_refused(path_of, kept):
    refused(path_of("sample"), lambda header, _: header.update(kept=kept), "fit together")


def test_a_level_that_leaves_other_documents_than_there_are_breaks_nothing(path_of):
    path = path_of("sample")
    rewritten(path, "model", of_sample(levels={"x": 64}, most=1))
    classifier = TextClassifier.load(path).update(["a d"], ["x"])
    np.testing.assert_allclose(classifier.predict_proba(TEXTS).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ({"scale": math.nan}, "ranges that a fit can give"),
        ({"scale": -0.5}, "ranges that a fit can give"),
        ({"scale": 0}, "ranges that a fit can give"),
        ({"scale": math.inf}, "ranges that a fit can give"),
        ({"scale": 10**400}, "fit together"),
        ({"scale": "1"}, "fit together"),
        ({"scale": None}, "fit together"),
        ({"scale": [1.0]}, "fit together"),
        ({"terms_power": -1e-9}, "ranges that a fit can give"),
        ({"advantage_power": math.nan}, "ranges that a fit can give"),
        ({"mean_terms": {}}, "fit together"),
        ({"shortening": -1e-9}, "ranges that a fit can give"),
        ({"shortening": math.nan}, "ranges that a fit can give"),
        ({"shortening": {}}, "fit together"),
        ({"bias": [0.0]}, "a finite bias per class"),
        ({"bias": [0.0] * 3}, "a finite bias per class"),
        ({"bias": [0.0, math.inf]}, "a finite bias per class"),
        ({"bias": [[0.0], [0.0]]}, "a finite bias per class"),
        ({"bias": [[0.0], 0.0]}, "fit together"),
        ({"bias": "no"}, "fit together"),
        ({"bias": {"x": 0.0, "y": 0.0}}, "fit together"),
    ],
)
def test_a_calibration_that_no_fit_could_give_is_refused(path_of, facts, complaint):
    refused(path_of("sample"), calibrated(**facts), complaint)


@pytest.mark.parametrize("facts", [[], 5, "calibrated", {}, {"scale": 1.0}])
def test_a_calibration_of_another_shape_is_refused(path_of, facts):
    refused(path_of("sample"), lambda header, _: header.update(calibration=facts), "fit together")


@pytest.mark.parametrize(
    ("part", "value", "complaint"),
    [
        ("times.data", lambda data: -data, "not positive"),
        ("times.data", lambda data: data * 0, "not positive"),
        ("times.data", lambda data: data + 1, "do not agree with the counts"),
        ("times.data", lambda data: data.astype(float) * np.nan, "not positive"),
        ("times.data", lambda data: data[:-1], "not a sparse matrix"),
        ("times.indices", lambda indices: indices + 1, "do not agree with the counts"),
        ("times.indices", lambda indices: indices.astype(np.int64) + 2**40, "do not agree with the counts"),
        ("times.indices", lambda indices: indices * -1 - 1, "not a sparse matrix"),
        ("times.indptr", lambda indptr: indptr[:-1], "not a sparse matrix"),
        ("times.indptr", lambda indptr: np.append(indptr, indptr[-1:]), "not a sparse matrix"),
        ("times.indptr", lambda indptr: np.append(indptr[:1], indptr[:-1]), "not a sparse matrix"),
        ("lengths.data", lambda data: -data, "not positive"),
        ("lengths.data", lambda data: data * 2, "do not agree with the counts"),
        ("lengths.indices", lambda indices: indices.astype(np.int64) + 2**40, "do not agree with the counts"),
        ("lengths.indptr", lambda indptr: indptr[:-1], "not a sparse matrix"),
        ("lengths.indptr", lambda indptr: indptr.astype(float), "missing or of another kind"),
    ],
)
@pytest.mark.parametrize("kind", ["histograms", "log histograms"])
def test_histograms_of_other_documents_or_another_shape_are_refused(path_of, kind, part, value, complaint):
    refused(path_of(kind), put(f"histograms.{part}", value), complaint)


@pytest.mark.parametrize("part", ["times.data", "times.indices", "times.indptr", "lengths.data", "lengths.indptr"])
def test_a_part_of_the_histograms_that_is_missing_is_named(path_of, part):
    refused(path_of("histograms"), without(f"histograms.{part}"), f"'histograms.{part}' is missing")


@pytest.mark.parametrize("kind", ["examples", "histograms", "log histograms"])
def test_what_the_model_cannot_do_without_must_be_there(path_of, kind):
    refused(path_of(kind), lambda header, _: header["kept"].clear(), "needs the (documents|histograms)")


def test_without_its_sample_a_file_answers_as_before_and_cannot_calibrate_anew(path_of):
    path = path_of("sample")
    before = TextClassifier.load(path).predict_proba(TEXTS)
    rewritten(path, "model", lambda header, _: header["kept"].clear())
    loaded = TextClassifier.load(path)
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), before)
    assert loaded.update(["a d"], ["x"]).calibration_state == "stale"


@pytest.mark.parametrize("kind", ["sample", "bernoulli", "raw"])
def test_counts_of_a_sample_that_are_not_those_learnt_break_nothing(path_of, kind):
    path = path_of(kind)

    def change(header, arrays):
        del header["calibration"]
        arrays["sample.data"] = arrays["sample.data"] * 0 + np.uint8(200)
        arrays["sample.classes"] = 1 - arrays["sample.classes"]

    rewritten(path, "model", change)
    np.testing.assert_allclose(TextClassifier.load(path).predict_proba(TEXTS).sum(axis=1), 1)


@pytest.mark.parametrize("kind", MODELS)
def test_huge_counts_take_no_memory(path_of, kind):
    path = path_of(kind)
    rewritten(path, "model", put("terms.data", lambda data: data * 0 + 2**45))
    try:
        classifier = TextClassifier.load(path)
    except ModelFileError:
        return
    np.testing.assert_allclose(classifier.predict_proba(TEXTS).sum(axis=1), 1)


@pytest.mark.parametrize("text", ["word " * 254, "word " * 255, "word " * 256, "word " * 70_000])
def test_counts_of_more_than_a_byte_come_back(tmp_path, text):
    classifier = TextClassifier(tokenizer="whitespace").fit([text, "a word", "b", "a b"], ["x", "x", "y", "y"])
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.learnt == classifier.learnt
    assert read_bundle(tmp_path / "model", "model")[1]["sample.data"].dtype == np.uint8

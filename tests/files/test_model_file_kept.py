"""What a model file keeps beside the statistics: hostile samples, examples, histograms and calibrations are refused."""

import math

import numpy as np
import pytest
from small_models import BY_EVIDENCE, all_numbers, in_format_2, put, put_numbers, read_in_full, rewritten

from textnb import TextClassifier
from textnb.classifier.recipe import SAMPLE
from textnb.errors import InputError, ModelFileError
from textnb.files.numbers import packed_numbers

TEXTS = ["a a b", "a b c", "b b c", "d d e", "d e c", "e e d"]
LABELS = ["x", "x", "x", "y", "y", "y"]
MODELS = {
    "sample": {},
    "examples": {"weighting": "log-l2", "alpha": None},
    "histograms": {"model": "compound"},
    "log histograms": {"alpha": "leave-one-out", "weighting": "log"},
    "bernoulli": {"model": "bernoulli"},
    "raw": {"weighting": "raw"},
}


@pytest.fixture
def path_of(tmp_path):
    def saved(kind):
        classifier = TextClassifier(**{**BY_EVIDENCE, "tokenizer": "whitespace", **MODELS[kind]}).fit(TEXTS, LABELS)
        assert classifier.calibration_state == "calibrated"
        classifier.save(tmp_path / "model.textnb")
        return tmp_path / "model.textnb"

    return saved


def refused(path, change, complaint):
    rewritten(path, "model", change)
    with pytest.raises(ModelFileError, match=rf"model.textnb: .*({complaint})"):
        read_in_full(path)


def without(name):
    return lambda _, arrays: arrays.pop(name)


def without_left_out_answers(_, arrays):
    """Leave out the answers to left-out documents, which files of format 2 do not have."""
    del arrays["left_out.answers"], arrays["left_out.probabilities"]


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
def test_documents_of_format_2_that_were_not_learnt_or_are_none_are_refused(path_of, kind, part, value, complaint):
    refused(in_format_2(path_of(kind)), put(f"{kind}.{part}", value), complaint)


@pytest.mark.parametrize("kind", ["sample", "examples"])
@pytest.mark.parametrize("part", ["data", "large", "indices", "indptr", "columns", "classes", "digests"])
def test_an_array_of_format_2_that_is_missing_is_named(path_of, kind, part):
    named = "kept" if part == "indptr" else part  # without it the arrays are taken for those of format 3
    refused(in_format_2(path_of(kind)), without(f"{kind}.{part}"), f"'{kind}.{named}' is missing")


@pytest.mark.parametrize(
    ("part", "change", "complaint"),
    [
        ("kept", lambda kept: kept + 1, "must be 0 or 1"),
        ("kept", lambda kept: kept[:-1], "not 6 numbers"),
        ("kept", lambda kept: kept * 0, "not 0 numbers"),
        ("kept", lambda kept: np.append(kept[:-1], 0), "not 5 numbers"),
        ("classes", lambda y: y + 1, "not those of the model"),
        ("classes", lambda y: y + 2**61, "not those of the model"),
        ("classes", lambda y: y[:-1], "not 6 numbers"),
        ("lengths", lambda lengths: lengths + 1, "not 20 numbers"),
        ("lengths", lambda lengths: lengths * 0 + 2**61, f"not {6 * 2**61} numbers"),
        ("lengths", lambda lengths: np.append(lengths, 0), "not 6 numbers"),
        ("gaps", lambda gaps: gaps + 1, "columns out of range"),
        ("gaps", lambda gaps: gaps * 0 + 2**61, "columns out of range"),
        ("gaps", lambda gaps: gaps[:-1], "not 14 numbers"),
        ("counts", lambda counts: counts[:-1], "not 14 numbers"),
        ("counts", lambda counts: np.append(counts, 0), "not 14 numbers"),
    ],
)
@pytest.mark.parametrize("kind", ["sample", "examples"])
def test_documents_that_were_not_learnt_or_are_none_are_refused(path_of, kind, part, change, complaint):
    refused(path_of(kind), put_numbers(f"{kind}.{part}", change), complaint)


@pytest.mark.parametrize("kind", ["sample", "examples"])
@pytest.mark.parametrize("part", ["kept", "classes", "lengths", "gaps", "counts"])
def test_an_array_that_is_missing_or_damaged_is_named(path_of, kind, part):
    refused(path_of(kind), without(f"{kind}.{part}"), f"'{kind}.{part}' is missing")
    refused(path_of(kind), put(f"{kind}.{part}", lambda data: data[:-1]), f"'{kind}.{part}' are damaged")
    refused(path_of(kind), put(f"{kind}.{part}", lambda data: data.astype(np.int64)), "of another kind")


@pytest.mark.parametrize("kind", ["sample", "examples"])
def test_counts_of_documents_that_are_not_whole_are_refused(path_of, kind):
    def change(_, arrays):
        arrays[f"{kind}.data"] = np.ones(14)

    refused(path_of(kind), change, "not whole numbers")


def test_documents_that_are_missing_without_a_bound_are_refused(path_of):
    def change(_, arrays):
        numbers = {part: all_numbers(arrays[f"sample.{part}"]) for part in ("classes", "lengths", "gaps", "counts")}
        left = int(numbers["lengths"][:-1].sum())
        ends = {"classes": 5, "lengths": 5, "gaps": left, "counts": left}
        arrays |= {f"sample.{part}": packed_numbers(values[: ends[part]]) for part, values in numbers.items()}
        arrays["sample.kept"] = packed_numbers(np.array([1] * 5 + [0]))

    refused(path_of("sample"), change, "not those that the header describes")


def test_documents_above_their_bound_are_refused(path_of):
    refused(path_of("sample"), of_sample(bounds={"x": "00" * 15 + "01"}), "not those that the header describes")


def test_a_bound_though_no_document_is_missing_is_gone_with_the_next_change(path_of):
    path = path_of("sample")
    rewritten(path, "model", of_sample(bounds={"x": "ff" * 16}))
    assert TextClassifier.load(path).update(["a d"], ["x"]).learnt.sample.bounds == {}


@pytest.mark.parametrize(
    "facts",
    [
        {"bounds": {"x": "00" * 16}},
        {"bounds": {"x": "ff" * 15}},
        {"bounds": {"x": "ff" * 17}},
        {"bounds": {"x": "zz" * 16}},
        {"bounds": {"x": ""}},
        {"bounds": {"x": 5}},
        {"bounds": {"x": None}},
        {"bounds": {"z": "ff" * 16}},
        {"bounds": ["x"]},
        {"bounds": None},
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


@pytest.mark.parametrize("level", [1, 32, 64])
def test_a_level_of_format_2_that_leaves_other_documents_than_there_are_is_refused(path_of, level):
    refused(in_format_2(path_of("sample")), of_sample(levels={"x": level, "y": level}), "that the header describes")


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
def test_histograms_of_format_2_of_other_documents_or_another_shape_are_refused(path_of, kind, part, value, complaint):
    refused(in_format_2(path_of(kind)), put(f"histograms.{part}", value), complaint)


@pytest.mark.parametrize("part", ["times.data", "times.indices", "lengths.data", "lengths.indices"])
def test_a_part_of_the_histograms_of_format_2_that_is_missing_is_named(path_of, part):
    refused(in_format_2(path_of("histograms")), without(f"histograms.{part}"), f"'histograms.{part}' is missing")


@pytest.mark.parametrize(
    ("part", "change", "complaint"),
    [
        ("gaps", lambda gaps: gaps + 1, "do not agree with the counts"),
        ("gaps", lambda gaps: gaps * 0 + 2**57, "do not agree with the counts"),
        ("gaps", lambda gaps: gaps * 0 + 2**61, "columns out of range"),
        ("gaps", lambda gaps: gaps[:-1], "are not [0-9]+ numbers"),
        ("counts", lambda counts: counts + 1, "do not agree with the counts"),
        ("counts", lambda counts: counts[:-1], "are not [0-9]+ numbers"),
    ],
)
@pytest.mark.parametrize("table", ["times", "lengths"])
def test_histograms_of_other_documents_or_another_shape_are_refused(path_of, table, part, change, complaint):
    refused(path_of("histograms"), put_numbers(f"histograms.{table}.{part}", change), complaint)


@pytest.mark.parametrize("part", ["times.lengths", "times.gaps", "times.counts", "lengths.lengths", "lengths.gaps"])
def test_a_part_of_the_histograms_that_is_missing_is_named(path_of, part):
    refused(path_of("histograms"), without(f"histograms.{part}"), f"'histograms.{part}' is missing")


@pytest.mark.parametrize("kind", ["examples", "histograms", "log histograms"])
def test_what_the_model_cannot_do_without_must_be_there(path_of, kind):
    path = path_of(kind)
    rewritten(path, "model", lambda header, _: header["kept"].clear())
    with pytest.raises(InputError, match=r"keeps no documents|needs the histograms"):
        TextClassifier.load(path).refit()


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
        arrays["sample.counts"] = packed_numbers(np.full(14, 200))
        arrays["sample.classes"] = packed_numbers(1 - all_numbers(arrays["sample.classes"]))

    rewritten(path, "model", change)
    np.testing.assert_allclose(TextClassifier.load(path).refit().predict_proba(TEXTS).sum(axis=1), 1)


@pytest.mark.parametrize("kind", MODELS)
def test_huge_counts_take_no_memory(path_of, kind):
    path = path_of(kind)
    number = TextClassifier.load(path).learnt.counts.terms.nnz
    rewritten(path, "model", put("terms.counts", lambda _: packed_numbers(np.full(number, 2**45))))
    try:
        classifier = read_in_full(path).refit()
    except (InputError, ModelFileError):
        return
    np.testing.assert_allclose(classifier.predict_proba(TEXTS).sum(axis=1), 1)


@pytest.mark.parametrize("text", ["word " * 254, "word " * 255, "word " * 256, "word " * 70_000])
def test_counts_of_more_than_a_byte_come_back(tmp_path, text):
    classifier = TextClassifier(tokenizer="whitespace").fit([text, "a word", "b", "a b"], ["x", "x", "y", "y"])
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.learnt == classifier.learnt


@pytest.mark.parametrize("kind", MODELS)
def test_a_file_with_the_arrays_of_format_2_gives_what_a_new_one_gives(path_of, kind):
    new = TextClassifier.load(path_of(kind))
    old = TextClassifier.load(in_format_2(path_of(kind)))
    assert old.learnt == new.learnt
    np.testing.assert_array_equal(old.predict_proba(TEXTS), new.predict_proba(TEXTS))
    again = path_of(kind).with_name("again")
    old.save(again)
    path = path_of(kind)
    rewritten(path, "model", without_left_out_answers)
    assert again.read_bytes() == path.read_bytes()
    for precision in (0.5, 0.9):  # of the old file by scoring its documents once more
        np.testing.assert_array_equal(old.precision_rule(precision).least, new.precision_rule(precision).least)


def test_a_thinned_file_of_format_2_answers_as_before_and_learns_on(tmp_path):
    texts, labels = [f"w{n % 7} n{n % 3} of" for n in range(60)], ["x"] * 50 + ["y"] * 10
    whole = TextClassifier(tokenizer="whitespace").fit(texts, labels)
    whole.save(tmp_path / "m.textnb")
    old = TextClassifier.load(in_format_2(tmp_path / "m.textnb", {"x": 2}))
    np.testing.assert_array_equal(old.predict_proba(texts), whole.predict_proba(texts))
    sample = old.learnt.sample
    assert (old.recipe.sample, sample.most, set(sample.bounds)) == (SAMPLE, SAMPLE, {"x"})
    assert 0 < len(sample.examples) < 60
    assert set(sample.weights().tolist()) == {1, 4}
    old.update(["a new one"], ["z"])
    assert old.learnt.counts == whole.update(["a new one"], ["z"]).learnt.counts
    old.forget(texts[:50], labels[:50])  # nothing is missing any more
    old.save(tmp_path / "old")
    whole.forget(texts[:50], labels[:50]).save(tmp_path / "whole")
    assert (tmp_path / "old").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_file_of_this_format_keeps_its_own_number_of_documents(tmp_path):
    TextClassifier(tokenizer="whitespace", sample=3000).fit(TEXTS, LABELS).save(tmp_path / "m.textnb")
    again = TextClassifier.load(tmp_path / "m.textnb")
    assert again.recipe.sample == again.learnt.sample.most == 3000

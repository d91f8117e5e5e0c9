"""What training says about the quality of answers, cut-offs of a precision, and the model that would be better."""

import json
from dataclasses import replace

import numpy as np
import pytest
from small_models import BY_EVIDENCE, rewritten

from textnb import Document, TextClassifier
from textnb.classifier import alternative, held_out
from textnb.classifier.alternative import MIN_ERRORS, better_model
from textnb.counts import learnt as learnt_module
from textnb.decisions import ClassThresholds, Costs, JudgedAnswers
from textnb.errors import InputError, ModelFileError, ParameterError
from textnb.evaluation.metrics import accuracy_interval
from textnb.files import model_file
from textnb.files.model_file import KIND

WORDS = [f"w{i}" for i in range(30)]


def corpus(n, n_classes=2, seed=0, length=6, purity=0.5):
    """Texts whose words come from the class with a probability, and from all words otherwise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    texts = [
        " ".join(
            WORDS[int(rng.integers(k, len(WORDS), 1)[0] // n_classes * n_classes + k) % len(WORDS)]
            if rng.random() < purity
            else rng.choice(WORDS)
            for _ in range(length)
        )
        for k in y.tolist()
    ]
    return texts, [f"c{k}" for k in y.tolist()]


def trained(texts, labels, **settings):
    given = {**BY_EVIDENCE, "tokenizer": "whitespace", "alpha": 1.0, "weighting": "raw", **settings}
    return TextClassifier(**given).fit(texts, labels)


def quality(classifier):
    return classifier.state.calibrated.quality


def test_the_quality_is_that_of_classifiers_that_have_not_seen_the_document_or_its_copies():
    texts, labels = corpus(30)
    texts, labels = texts + texts[:4] * 3, labels + labels[:4] * 3
    classifier = trained(texts, labels)
    bags = [tuple(sorted(text.split())) for text in texts]
    hits, losses = [], []
    for bag, text, label in zip(bags, texts, labels, strict=True):
        others = [i for i, other in enumerate(bags) if other != bag]
        rest = trained([texts[i] for i in others], [labels[i] for i in others], calibrate=False)
        calibrated = rest.fitted.calibrated(classifier.fitted.calibration)
        ((_, rows),) = calibrated.score_parts([Document(text)])
        hits.append(rest.classes_[rows[0].argmax()] == label)
        losses.append(-rows[0][rest.classes_.tolist().index(label)])
    found = quality(classifier)
    sizes = [bags.count(bag) for bag in set(bags)]
    low, high = accuracy_interval(sum(hits), len(texts), sum(size**2 for size in sizes))
    assert found.documents == len(set(zip(bags, labels, strict=True)))
    assert found.accuracy == pytest.approx((np.mean(hits), low, high))
    assert found.log_loss.value == pytest.approx(np.mean(losses))
    assert found.log_loss.low < found.log_loss.value < found.log_loss.high


@pytest.mark.parametrize("model", ["multinomial", "complement", "bernoulli", "nb-logistic", "logistic"])
def test_without_copies_and_thinning_the_quality_is_that_of_evaluating_left_out_documents(model):
    texts, labels = corpus(80, 3)
    classifier = TextClassifier(model, tokenizer="whitespace").fit(texts, labels)
    expected, found = classifier.evaluate_left_out(), quality(classifier)
    assert len({tuple(sorted(text.split())) for text in texts}) == len(texts)
    assert found.accuracy == pytest.approx((expected.accuracy, *expected.accuracy_interval))
    assert found.log_loss.value == pytest.approx(expected.log_loss)


@pytest.mark.parametrize("sample", [40, 200])
def test_a_thinned_sample_represents_all_documents(sample):
    texts, labels = corpus(900, purity=0.3)
    labels = ["rare" if label == "c1" and i % 4 else "c0" for i, label in enumerate(labels)]
    all_kept, thinned = (quality(trained(texts, labels, sample=number)) for number in (5000, sample))
    assert thinned.documents < all_kept.documents / 2
    assert thinned.accuracy.low <= all_kept.accuracy.value <= thinned.accuracy.high
    assert thinned.accuracy.high - thinned.accuracy.low > all_kept.accuracy.high - all_kept.accuracy.low


def test_left_out_scores_are_computed_once_for_the_calibration_and_the_quality(monkeypatch):
    calls = []
    scored = held_out._one_by_one
    monkeypatch.setattr(held_out, "_one_by_one", lambda *given: calls.append(1) or scored(*given))
    classifier = trained(*corpus(40))
    assert classifier.facts()["left out"] == quality(classifier).json
    assert len(calls) == 1


def test_the_quality_is_kept_in_the_file_and_changes_with_what_is_learnt(tmp_path):
    texts, labels = corpus(60)
    classifier = trained(texts, labels)
    classifier.save(tmp_path / "m.textnb")
    loaded = TextClassifier.load(tmp_path / "m.textnb")
    assert loaded.facts()["left out"] == classifier.facts()["left out"] == json.loads(json.dumps(quality(loaded).json))
    more = corpus(30, seed=1)
    loaded.update(*more)
    assert quality(loaded) == quality(trained(texts + more[0], labels + more[1])) != quality(classifier)
    assert quality(loaded.forget(*more)) == quality(classifier)


def test_without_kept_documents_the_quality_is_that_of_training_and_stays_with_the_calibration():
    texts, labels = corpus(60)
    classifier = trained(texts, labels, sample=0)
    assert quality(classifier) == quality(trained(texts, labels))


@pytest.mark.parametrize("settings", [{"alpha": 0}, {"calibrate": False}])
def test_without_left_out_documents_there_is_no_quality(settings):
    assert trained(*corpus(40), **settings).facts()["left out"] is None


def test_one_class_and_one_document_per_class_have_no_quality():
    assert trained(["a b", "b c"], ["x", "x"]).facts()["left out"] is None
    assert trained(["a b", "b c"], ["x", "y"]).facts()["left out"] is None


def test_documents_that_the_model_was_calibrated_on_afterwards_leave_no_quality():
    assert trained(*corpus(60)).calibrate(*corpus(30, seed=3)).facts()["left out"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"documents": 0},
        {"documents": 1.5},
        {"accuracy": [0.5, 0.6, 0.7]},
        {"accuracy": [0.5, 0.4, 1.1]},
        {"accuracy": [0.5]},
        {"log_loss": [-1, -2, 3]},
        {"log_loss": "abc"},
    ],
)
def test_an_impossible_quality_in_a_file_is_refused(tmp_path, wrong):
    trained(*corpus(40)).save(tmp_path / "m.textnb")
    rewritten(tmp_path / "m.textnb", KIND, lambda header, _: header["calibration"]["left_out"].update(wrong))
    with pytest.raises(ModelFileError):
        TextClassifier.load(tmp_path / "m.textnb")


@pytest.mark.parametrize(
    "settings", [{}, {"prior": "uniform"}, {"prior": {"c0": 0.9, "c1": 0.1}}, {"model": "complement"}]
)
def test_a_promised_precision_decides_by_cutoffs_of_left_out_answers(settings, tmp_path):
    texts, labels = corpus(400, purity=0.4)
    classifier = trained(texts, labels, **settings)
    answers = held_out.left_out_answers(classifier.recipe, classifier.learnt, classifier.fitted)
    y, log_p = held_out.left_out_log_posterior(classifier.recipe, classifier.learnt, classifier.fitted)
    assert answers.predicted.tolist() == log_p.argmax(axis=1).tolist()
    assert [f"c{k}" for k in answers.y] == y
    rule = ClassThresholds.of_precision(
        0.9, JudgedAnswers(answers.predicted, np.exp(log_p.max(axis=1)), answers.correct), 2
    )
    new, _ = corpus(200, seed=1, purity=0.2)
    expected = [None if k < 0 else f"c{k}" for k in rule(classifier.predict_proba(new)).tolist()]
    assert classifier.decide(new, precision=0.9).tolist() == expected
    assert None in expected
    assert set(expected) - {None}
    classifier.save(tmp_path / "m.textnb")
    assert TextClassifier.load(tmp_path / "m.textnb").decide(new, precision=0.9).tolist() == expected


@pytest.mark.parametrize(
    ("settings", "stripped"),
    [
        ({"model": "nb-logistic", "alpha": None, "weighting": None}, False),
        ({"model": "nb-logistic", "alpha": None, "weighting": None}, True),
        ({"model": "least-squares", "alpha": None, "weighting": None}, True),
        ({}, True),
        ({"sample": 0}, False),
    ],
)
def test_a_file_promises_a_precision_without_what_only_learning_needs(settings, stripped, tmp_path, monkeypatch):
    classifier = trained(*corpus(400, purity=0.4), **settings)
    expected = classifier.precision_rule(0.9).least
    assert np.isfinite(expected).any()
    classifier.save(tmp_path / "m.textnb", stripped=stripped)
    monkeypatch.setattr(model_file, "_learnt", None)  # would be called
    loaded = TextClassifier.load(tmp_path / "m.textnb")
    np.testing.assert_array_equal(loaded.precision_rule(0.9).least, expected)


def test_a_sample_promises_by_documents_that_are_all_equally_likely_in_it(monkeypatch):
    monkeypatch.setattr(learnt_module, "MOST_CALIBRATED", 60)
    texts, labels = corpus(400)
    few = [i for i, label in enumerate(labels) if label == "c1"][:30]
    rest = [i for i, label in enumerate(labels) if label == "c0"]
    classifier = trained([texts[i] for i in rest + few], [labels[i] for i in rest + few])
    sample = classifier.learnt.sample.for_calibration(classifier.learnt.documents)
    assert set(sample.bounds) == {"c0"}
    left_out, evened = classifier.state.left_out, sample.evened()
    assert 0 < left_out.is_even.sum() == len(evened.examples) < len(left_out.y)
    assert left_out.is_even[left_out.y == 0].all()


@pytest.mark.parametrize(("name", "wrong"), [("answers", 4), ("answers", -1), ("probabilities", np.nan)])
def test_impossible_answers_in_a_file_are_refused(name, wrong, tmp_path):
    trained(*corpus(40)).save(tmp_path / "m.textnb")

    def damage(_, arrays):
        damaged = arrays[f"left_out.{name}"].copy()
        damaged[0] = wrong
        arrays[f"left_out.{name}"] = damaged

    rewritten(tmp_path / "m.textnb", KIND, damage)
    with pytest.raises(ModelFileError, match="left-out documents"):
        TextClassifier.load(tmp_path / "m.textnb").precision_rule(0.9)
    with pytest.raises(ModelFileError):
        model_file.verify_model(tmp_path / "m.textnb")
    rewritten(tmp_path / "m.textnb", KIND, lambda _, arrays: arrays.update({"left_out.answers": np.zeros(3, np.int32)}))
    with pytest.raises(ModelFileError, match="differ in number"):
        TextClassifier.load(tmp_path / "m.textnb")


def test_a_model_without_a_calibration_promises_by_its_own_probabilities():
    texts, labels = corpus(300)
    classifier = TextClassifier("logistic", tokenizer="whitespace", calibrate=False).fit(texts, labels)
    decided = classifier.decide(corpus(100, seed=1)[0], precision=0.9).tolist()
    assert None in decided
    assert set(decided) - {None}


def test_copies_are_one_document_for_a_promise():
    texts, labels = corpus(40, purity=1.0)
    few, copied = trained(texts, labels), trained(texts * 10, labels * 10)
    for classifier in (few, copied):
        assert classifier.precision_rule(0.95).never_decided(classifier.classes_) == ["c0", "c1"]


@pytest.mark.parametrize("precision", [0.8, 0.9])
def test_new_documents_reach_the_promised_precision(precision):
    missed = total = 0
    for seed in range(12):
        classifier = trained(*corpus(600, seed=seed))
        texts, labels = corpus(3000, seed=1000 + seed)
        decided = classifier.decide(texts, precision=precision)
        for name in classifier.classes_:
            own = np.array(labels)[decided == name]
            total += len(own) > 0
            missed += len(own) > 0 and (own == name).mean() < precision
    assert total >= 12
    assert missed <= 0.15 * total


@pytest.mark.parametrize(
    ("settings", "why"),
    [({"alpha": 0}, "alpha is 0"), ({"calibrate": False}, "no documents")],
)
def test_a_model_without_left_out_documents_refuses_to_promise_with_the_reason(settings, why):
    with pytest.raises(InputError, match=f"cannot be promised without left-out documents: .*{why}"):
        trained(*corpus(40), **settings).decide(["w1"], precision=0.9)


def test_one_class_and_single_documents_refuse_to_promise():
    with pytest.raises(InputError, match="only one class"):
        trained(["a b", "b c"], ["x", "x"]).decide(["a"], precision=0.5)
    with pytest.raises(InputError, match="no class has two different documents"):
        trained(["a b", "b c"], ["x", "y"]).decide(["a"], precision=0.5)


@pytest.mark.parametrize("other", [{"unsure": 0.5}, {"costs": Costs()}])
def test_a_precision_excludes_other_rules(other):
    with pytest.raises(ParameterError, match="cannot be combined"):
        trained(*corpus(40)).decide(["w1"], precision=0.9, **other)


def skewed(n, seed=0):
    """Short texts of many small classes and a large one: complement is better."""
    rng = np.random.default_rng(seed)
    sizes = [n, *[n // 20] * 12]
    rows = []
    for k, size in enumerate(sizes):
        for _ in range(size):
            own = [f"own{k}-{rng.integers(40)}" for _ in range(2)]
            rows.append((" ".join([*own, *(f"w{j}" for j in rng.integers(0, 60, 4))]), f"c{k:02}"))
    return [text for text, _ in rows], [label for _, label in rows]


def test_a_model_that_is_clearly_better_is_named_and_its_quality_is_that_of_training_it():
    texts, labels = skewed(600)
    worse, better = (trained(texts, labels, model=name, alpha=1.0) for name in ("multinomial", "complement"))
    assert quality(better).accuracy.low > quality(worse).accuracy.high  # so it is clear
    assert better_model(worse.recipe, worse.state) == ("complement", quality(better))
    assert better_model(better.recipe, better.state) is None


def test_a_difference_within_noise_names_no_model():
    texts, labels = corpus(200)
    pair = [trained(texts, labels, model=name) for name in ("multinomial", "complement")]
    assert [better_model(each.recipe, each.state) for each in pair] == [None, None]


def test_the_other_model_is_better_by_three_standard_errors_of_paired_answers():
    texts, labels = skewed(600)
    worse, better = (trained(texts, labels, model=name, alpha=1.0) for name in ("multinomial", "complement"))
    d = better.state.left_out.correct.astype(float) - worse.state.left_out.correct
    assert len(set(worse.state.left_out.groups)) == len(d)
    assert d.mean() > MIN_ERRORS * d.std() / np.sqrt(len(d))
    shown = replace(worse.state, left_out=replace(worse.state.left_out, predicted=better.state.left_out.predicted))
    assert better_model(worse.recipe, shown) is None  # as accurate


@pytest.mark.parametrize("settings", [{"sample": 0}, {"model": "bernoulli", "weighting": "binary"}, {"alpha": 0}])
def test_no_better_model_is_looked_for_where_it_cannot_be_found_cheaply(settings):
    classifier = trained(*skewed(100), **settings)
    assert better_model(classifier.recipe, classifier.state) is None


def test_a_loaded_model_names_no_better_one(tmp_path):
    trained(*skewed(600)).save(tmp_path / "m.textnb")
    loaded = TextClassifier.load(tmp_path / "m.textnb")
    assert better_model(loaded.recipe, loaded.state) is None


def test_no_better_model_is_looked_for_among_more_numbers_than_the_limit(monkeypatch):
    classifier = trained(*skewed(600))
    used = classifier.learnt.sample.for_calibration(classifier.learnt.documents)
    assert len(used.examples) < len(classifier.learnt.sample.examples)
    n_numbers = used.examples.X.nnz * len(classifier.classes_)
    monkeypatch.setattr(alternative, "MAX_NUMBERS", n_numbers)
    assert better_model(classifier.recipe, classifier.state) is not None
    monkeypatch.setattr(alternative, "MAX_NUMBERS", n_numbers - 1)
    assert better_model(classifier.recipe, classifier.state) is None

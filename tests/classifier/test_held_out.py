"""Left-out scores against classifiers that were fitted without the documents, and the states of a calibration."""

import logging
import warnings
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from textnb import Analyzer, TextClassifier
from textnb.classifier import choice
from textnb.classifier.held_out import calibrate_left_out, left_out_log_posterior
from textnb.counts import as_counts, count_matrix
from textnb.counts.examples import labelled_digest
from textnb.errors import FitWarning, InputError
from textnb.models.calibration import fit_calibration
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of
from textnb.readers import Document

SPORT = ["goal match team", "team win win goal", "match goal own1", "team team match", "win goal referee team"]
FOOD = ["salt oil egg", "egg pan oil oil", "salt egg own2", "pan pan egg", "oil salt team pan"]
WEATHER = ["rain snow wind", "wind rain rain", "snow wind oil own3", "rain wind snow match"]
CORPUS = [(text, label) for label, texts in (("sport", SPORT), ("food", FOOD), ("weather", WEATHER)) for text in texts]
ONE_BY_ONE = [name for name in MODELS if model_of(name).left_out is not None]
OWN_FOLDS = {"nb-logistic", "mail", "ensemble"}  # the fit comes by such scores itself
REPLACED = {"auto"}  # training replaces it by multinomial or complement, which have scores one by one
BY_FOLDS = [name for name in MODELS if model_of(name).left_out is None and name not in OWN_FOLDS | REPLACED]
EXACT = [(name, weighting) for name in ONE_BY_ONE for weighting in model_of(name).weightings
         if weighting in ("raw", "binary", "log")]  # fmt: skip


def of(model, corpus=CORPUS, **settings):
    texts, labels = zip(*corpus, strict=True)
    return TextClassifier(model, **{"tokenizer": "whitespace", "analyzer": Analyzer(), **settings}).fit(texts, labels)


def with_options(model, corpus=CORPUS, *, options, **settings):
    recipe = replace(of(model, corpus, calibrate=False, **settings).recipe, options=options, calibrate=True)
    texts, labels = zip(*corpus, strict=True)
    documents = (Document(text, label) for text, label in zip(texts, labels, strict=True))
    return TextClassifier.from_recipe(recipe).fit(documents)


@pytest.fixture
def seen(monkeypatch):
    """What calibrations were fitted on, without those of candidates that ``auto`` tries."""
    fitted_on = []
    choose = choice.choose

    def fit(held_out, **settings):
        fitted_on.append(held_out)
        return fit_calibration(held_out, **settings)

    def choose_unseen(*given, **settings):
        before = len(fitted_on)
        chosen = choose(*given, **settings)
        del fitted_on[before:]
        return chosen

    monkeypatch.setattr("textnb.classifier.held_out.fit_calibration", fit)
    monkeypatch.setattr("textnb.classifier.choice.choose", choose_unseen)
    return fitted_on


def in_order(classifier, corpus=CORPUS):
    """The documents in the order of their digests, in which they are kept."""
    learnt = classifier.learnt
    kept = learnt.examples if learnt.sample is None else learnt.sample.examples
    by_digest = {labelled_digest(Document(text).digest, label): (text, label) for text, label in corpus}
    return [by_digest[bytes(digest)] for digest in kept.digests], kept.digests[:, -1] % 5


def scores_of(classifier, text):
    """The scores of a text without the prior, log class frequencies, and the number of its tokens that are known."""
    fitted = classifier.fitted
    tokens = [token for token in text.split() if token in fitted.vocabulary]
    X = np.zeros((1, len(fitted.vocabulary)), int)
    for token in tokens:
        X[0, fitted.vocabulary.columns[token]] += 1
    return fitted.likelihood(fitted.weigher(as_counts(X)))[0], fitted.log_frequencies, len(tokens)


@pytest.mark.parametrize("prior", ["empirical", "uniform", {"food": 0.2, "sport": 0.3, "weather": 0.5}], ids=type)
@pytest.mark.parametrize(("model", "weighting"), EXACT)
def test_one_by_one_is_fitting_without_each_document(model, weighting, prior, seen):
    settings = {"weighting": weighting, "alpha": 0.7, "prior": prior}
    classifier = of(model, **settings)
    (held_out,) = seen
    documents, _ = in_order(classifier)
    assert len(documents) == len(CORPUS) == len(held_out.y)
    for i, document in enumerate(documents):
        rest = of(model, [each for each in CORPUS if each != document], calibrate=False, **settings)
        scores, log_prior, length = scores_of(rest, document[0])
        np.testing.assert_allclose(held_out.scores[i], scores, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(held_out.log_prior[i], log_prior)
        assert held_out.sizes.tokens[i] == length
        assert classifier.classes_[held_out.y[i]] == document[1]
    assert held_out.weights.tolist() == [1] * len(CORPUS)


@pytest.mark.parametrize(
    ("model", "options", "alpha"), [("complement", {"weight_norm": True}, 0.7), ("multinomial", {"estimate": "map"}, 2)]
)
def test_one_by_one_minds_the_options(model, options, alpha, seen):
    with_options(model, options=options, alpha=alpha)
    (held_out,) = seen
    documents, _ = in_order(of(model))
    for i, document in enumerate(documents):
        rest = [each for each in CORPUS if each != document]
        scores, *_ = scores_of(with_options(model, rest, options=options, alpha=alpha), document[0])
        np.testing.assert_allclose(held_out.scores[i], scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("prior", ["empirical", {"food": 0.2, "sport": 0.3, "weather": 0.5}], ids=type)
@pytest.mark.parametrize("model", BY_FOLDS)
def test_by_folds_is_fitting_without_each_fifth(model, prior, seen):
    given = {"l2": 1.0} if model == "logistic" else {}  # where it finds l2, it comes by such scores itself
    classifier = with_options(model, options=given, prior=prior)
    (held_out,) = seen
    documents, folds = in_order(classifier)
    assert len(set(folds)) > 1
    for i, document in enumerate(documents):
        together = {each for each, fold in zip(documents, folds, strict=True) if fold == folds[i]}
        others = [each for each in CORPUS if each not in together]
        settled = {**classifier.recipe.options, **classifier.fitted.fit.found}
        recipe = replace(classifier.recipe, options=settled, calibrate=False)
        rest = TextClassifier.from_recipe(recipe).fit(Document(*each) for each in others)
        scores, log_prior, length = scores_of(rest, document[0])
        np.testing.assert_allclose(held_out.scores[i], scores, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(held_out.log_prior[i], log_prior)
        assert held_out.sizes.tokens[i] == length


@pytest.mark.parametrize("model", MODELS)
def test_no_document_sees_itself(model, seen):
    marked = [(f"{text} mark{i} mark{i}", label) for i, (text, label) in enumerate(CORPUS)]
    classifier = of(model, marked)
    (held_out,) = seen
    documents, _ = in_order(classifier, marked)
    for (text, _), length in zip(documents, held_out.sizes.tokens, strict=True):
        assert 0 < length <= len(text.split()) - 2


@pytest.mark.parametrize("times", [2, 5])
@pytest.mark.parametrize("model", MODELS)
def test_copies_of_every_document_leave_each_scored_once_by_the_others(model, times, seen):
    of(model, CORPUS * times)
    (held_out,) = seen
    assert len(held_out.y) == len(CORPUS)
    assert held_out.weights.sum() == pytest.approx(len(CORPUS))
    marked = [(f"{text} mark{i}", label) for i, (text, label) in enumerate(CORPUS)]
    of(model, marked * times)
    known = dict(zip(*np.unique(seen[-1].sizes.tokens, return_counts=True), strict=True))
    of(model, marked)
    assert known == dict(zip(*np.unique(seen[-1].sizes.tokens, return_counts=True), strict=True))


@pytest.mark.parametrize("model", MODELS)
def test_copies_under_other_labels_are_left_out_too(model, seen):
    copies = [(text, "food") for text in SPORT]  # whoever sees the copy takes sport for food
    classifier = of(model, CORPUS + copies)
    (held_out,) = seen
    assert len(held_out.y) == len(CORPUS) + len(copies)
    classes = classifier.classes_.tolist()
    texts = dict(in_order(classifier, CORPUS + copies)[0])
    assert len(texts) == len(CORPUS)
    rows = {label: held_out.scores[held_out.y == classes.index(label)] for label in ("sport", "food")}
    for score in rows["sport"]:
        assert np.isclose(rows["food"], score).all(axis=1).any()  # the copy has the same left-out scores


@pytest.mark.parametrize(("model", "weighting"), EXACT)
def test_the_left_out_scores_of_copies_are_those_of_a_model_without_them(model, weighting, seen):
    settings = {"weighting": weighting, "alpha": 0.7}
    corpus = [*CORPUS, *CORPUS[:4], (CORPUS[1][0], "weather"), CORPUS[0]]
    classifier = of(model, corpus, **settings)
    (held_out,) = seen
    expected = []
    for text, label in dict.fromkeys(corpus):
        rest = of(model, [each for each in corpus if each[0] != text], calibrate=False, **settings)
        expected.append([*scores_of(rest, text)[0], classifier.classes_.tolist().index(label)])
    found = np.column_stack([held_out.scores, held_out.y])
    assert len(found) == len(expected)
    for row in expected:
        assert np.isclose(found, row, rtol=1e-9, atol=1e-9).all(axis=1).any()
    assert sorted((held_out.weights * len(corpus) / len(CORPUS)).round(6)) == [1] * 11 + [2] * 3 + [3]


@pytest.mark.parametrize(("model", "weighting"), [(m, w) for m in MODELS for w in model_of(m).weightings])
def test_every_model_is_calibrated_on_a_small_corpus(model, weighting):
    classifier = of(model, weighting=weighting)
    assert classifier.calibration_state == "calibrated"
    found, _ = calibrate_left_out(classifier.recipe, classifier.learnt, classifier.fitted)
    assert found.json == classifier.fitted.calibration.json
    assert np.isfinite([*(found.json | {"bias": 0}).values(), *found.bias]).all()


@pytest.mark.parametrize("model", MODELS)
def test_a_class_of_one_document_takes_no_part(model, seen):
    classifier = of(model, [*CORPUS, ("rare bird team", "birds")])
    (held_out,) = seen
    assert classifier.calibration_state == "calibrated"
    birds = classifier.classes_.tolist().index("birds")
    assert birds not in held_out.y
    assert classifier.fitted.calibration.bias[birds] == 0
    assert classifier.predict_proba(["rare bird"])[0, birds] > 0


def test_a_sample_is_weighted_by_what_it_stands_for(seen):
    corpus = [(f"{text} filler{n}", label) for n in range(60) for text, label in CORPUS[:10]]
    classifier = of("multinomial", corpus, sample=100)
    (held_out,) = seen
    assert 40 < len(held_out.y) < 160
    assert set(held_out.weights) == {8.0}
    assert held_out.weights.sum() == pytest.approx(len(corpus), rel=0.3)
    assert classifier.calibration_state == "calibrated"


@pytest.mark.parametrize(
    ("settings", "corpus", "reason"),
    [
        ({"alpha": 0}, CORPUS, "alpha is 0"),
        ({}, [("a b", "x"), ("b c", "x")], "fewer than two classes"),
        ({}, [("a b", "x"), ("b c", "y")], "no class has two different documents or more"),
        ({}, [("a b", "x"), ("b c", "x"), ("c d", "y")], "fewer than two classes"),
        ({}, [("", "x"), ("", "x"), ("", "y"), ("", "y")], "fewer than two classes"),
        ({}, [("a b", "x")] * 9 + [("b c", "y")] * 9, "no class has two different documents or more"),
    ],
)
def test_where_there_is_no_calibrating_it_is_told_why_and_the_probabilities_are_the_models(
    settings, corpus, reason, caplog
):
    caplog.set_level(logging.INFO, "textnb")
    classifier = of("multinomial", corpus, **settings)
    (record,) = caplog.records
    assert record.getMessage().startswith("probabilities are not calibrated: ")
    assert reason in record.getMessage()
    assert classifier.calibration_state == "none"
    plain = of("multinomial", corpus, calibrate=False, **settings)
    texts = [text for text, _ in corpus]
    np.testing.assert_array_equal(classifier.predict_proba(texts), plain.predict_proba(texts))


@pytest.mark.parametrize("prior", ["empirical", {"birds": 0.1, "food": 0.2, "sport": 0.3, "weather": 0.4}], ids=type)
@pytest.mark.parametrize("model", BY_FOLDS)
def test_a_class_within_one_fold_takes_no_part(model, prior, seen):
    classifier = of(model, [*CORPUS, ("bird team", "birds"), ("bird team", "birds")], prior=prior)
    (held_out,) = seen
    assert classifier.calibration_state == "calibrated"
    assert sorted(set(held_out.y)) == [1, 2, 3]
    assert classifier.fitted.calibration.bias[0] == 0


@pytest.mark.parametrize("model", MODELS)
def test_where_all_documents_lie_in_one_fold_there_is_no_calibrating_and_no_failure(model, caplog):
    caplog.set_level(logging.INFO, "textnb")
    classifier = of(model, [("a b", "x"), ("a b", "x")])
    assert classifier.calibration_state == "none"
    assert "no class has two different documents" in caplog.records[-1].getMessage()


def test_without_calibration_nothing_is_kept_and_nothing_said(caplog):
    caplog.set_level(logging.INFO, "textnb")
    classifier = of("multinomial", calibrate=False)
    assert classifier.calibration_state == "none"
    assert classifier.learnt.sample is None
    assert classifier.fitted.calibration is None
    assert not caplog.records


def test_with_no_sample_the_calibration_stays_that_of_the_first_fit(caplog):
    caplog.set_level(logging.INFO, "textnb")
    classifier = of("multinomial", sample=0)
    first = classifier.fitted.calibration.json
    assert classifier.learnt.sample is None
    assert classifier.calibration_state == "calibrated"
    assert first == of("multinomial").fitted.calibration.json
    classifier.update(["goal goal rain"], ["weather"])
    assert classifier.calibration_state == "stale"
    assert classifier.fitted.calibration.json == first
    assert "older than this change" in caplog.records[-1].getMessage()
    classifier.forget(["goal goal rain"], ["weather"])
    assert classifier.calibration_state == "calibrated"
    assert classifier.fitted.calibration.json == first


def test_with_no_sample_other_classes_end_the_calibration_with_a_warning():
    classifier = of("multinomial", sample=0)
    with pytest.warns(FitWarning, match=r"no longer calibrated: the classes changed and no documents are kept"):
        classifier.update(["bird"], ["birds"])
    assert classifier.calibration_state == "none"
    classifier.update(["bird bird"], ["finches"])  # there is no calibration to end
    swapped = of("multinomial", sample=0)
    gone = [Document(text, "weather") for text in WEATHER]
    with pytest.warns(FitWarning, match="no longer calibrated"):
        swapped.revise(add=[Document("bird", "birds")], remove=gone)  # as many classes as before, but others
    assert swapped.classes_.tolist() == ["birds", "food", "sport"]
    assert swapped.calibration_state == "none"


def merged(*parts, **settings):
    total = TextClassifier("multinomial", tokenizer="whitespace", analyzer=Analyzer(), **settings)
    for part in parts:
        total.merge(part)
    return total


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("sample", [0, 100])
def test_merging_does_not_depend_on_the_order_and_says_which_calibrations_end(tmp_path, sample, held_out):
    corpora = [[(f"{text} {end}", label) for text, label in CORPUS] for end in ("", "salt", "rain cloud")]
    parts = [of("multinomial", corpus, sample=sample) for corpus in corpora]
    parts[1].update(["goal goal", "cloud rain"], ["sport", "weather"])
    if held_out:
        for part, text in zip(parts[:2], ("soup wind", "soup soup wind"), strict=True):
            part.calibrate(["goal team", text, "rain soup", text + " rain"], ["sport", "food", "weather", "food"])
    assert {part.calibration_state for part in parts} <= {"calibrated", "held-out", "stale"}
    found = set()
    for order in permutations(parts):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            total = merged(*order, sample=sample)
        total.save(tmp_path / "m.textnb")
        found.add((tmp_path / "m.textnb").read_bytes())
        texts = [str(warning.message) for warning in caught]
        if sample == 0:
            assert ["no longer calibrated: models were merged" in text for text in texts] == [True, True]
        else:
            assert all("held-out documents has ended: models were merged" in text for text in texts)
            assert len(texts) == (2 if held_out and order[2] is not parts[2] else 1 if held_out else 0)
    assert len(found) == 1
    assert total.calibration_state == ("calibrated" if sample else "none")


@pytest.mark.parametrize("sample", [0, 100])
def test_merging_with_a_classifier_that_has_learnt_nothing_changes_nothing(tmp_path, sample):
    held = of("multinomial", sample=sample).calibrate(["goal team", "soup wind"], ["sport", "food"])
    for classifier in (of("multinomial", sample=sample), held):
        classifier.save(tmp_path / "before")
        merged(classifier, sample=sample).save(tmp_path / "right")
        classifier.merge(merged(sample=sample)).save(tmp_path / "left")
        assert (tmp_path / "right").read_bytes() == (tmp_path / "before").read_bytes()
        assert (tmp_path / "left").read_bytes() == (tmp_path / "before").read_bytes()


@pytest.mark.parametrize("model", ["multinomial", "complement", "auto"])
def test_with_no_sample_updating_from_nothing_equals_fitting(tmp_path, model):
    texts, labels = zip(*CORPUS, strict=True)
    settings = {"model": model, "tokenizer": "whitespace", "sample": 0}
    TextClassifier(**settings).update(texts, labels).save(tmp_path / "updated")
    fitted = TextClassifier(**settings).fit(texts, labels)
    fitted.save(tmp_path / "fitted")
    TextClassifier(**settings).save(tmp_path / "untrained")
    TextClassifier.from_recipe(fitted.recipe).save(tmp_path / "of the same recipe")
    TextClassifier.load(tmp_path / "untrained").update(texts, labels).save(tmp_path / "later")
    assert (tmp_path / "updated").read_bytes() == (tmp_path / "fitted").read_bytes()
    assert (tmp_path / "later").read_bytes() == (tmp_path / "fitted").read_bytes()
    TextClassifier.load(tmp_path / "fitted").forget(texts, labels).save(tmp_path / "emptied")
    assert (tmp_path / "emptied").read_bytes() == (tmp_path / "of the same recipe").read_bytes()


def test_a_stale_calibration_stays_stale_in_a_file(tmp_path):
    classifier = of("multinomial", sample=0).update(["goal goal rain"], ["weather"])
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.calibration_state == "stale"
    np.testing.assert_array_equal(loaded.predict_proba(SPORT), classifier.predict_proba(SPORT))


def test_fitting_again_or_forgetting_until_there_is_no_calibrating_leaves_none():
    classifier = of("multinomial", sample=0)
    classifier.fit(["a", "b", "c"], ["food", "sport", "weather"])
    assert classifier.calibration_state == "none"
    assert classifier.fitted.calibration is None
    classifier = of("multinomial", [("a b", "x"), ("a", "x"), ("b", "y"), ("b b", "y")])
    assert classifier.calibration_state == "calibrated"
    classifier.forget(["a", "b"], ["x", "y"])
    assert classifier.calibration_state == "none"


def test_a_change_calibrates_anew():
    classifier = of("multinomial")
    before = classifier.fitted.calibration.json
    classifier.update(["goal rain"], ["weather"])
    assert classifier.calibration_state == "calibrated"
    assert classifier.fitted.calibration.json != before
    classifier.forget(["goal rain"], ["weather"])
    assert classifier.fitted.calibration.json == before


def test_what_cannot_be_calibrated_says_so_once(tmp_path, caplog):
    caplog.set_level("INFO", "textnb")
    classifier = TextClassifier(tokenizer="words").fit(["good fun", "bad day"], ["pos", "neg"])
    assert len(caplog.records) == 1
    classifier.save(tmp_path / "model.textnb")
    again = TextClassifier.load(tmp_path / "model.textnb")
    assert (len(caplog.records), again.calibration_state) == (1, "none")
    again.save(tmp_path / "again.textnb")
    assert (tmp_path / "again.textnb").read_bytes() == (tmp_path / "model.textnb").read_bytes()


@pytest.mark.parametrize("model", [*ONE_BY_ONE[:1], *BY_FOLDS[:1]])
def test_estimates_are_by_classifiers_that_have_not_seen_the_document(model):
    classifier = of(model, **({"alpha": 1.0, "calibrate": True} if model in ONE_BY_ONE else {}))
    labels, log_p = left_out_log_posterior(classifier.recipe, classifier.learnt, classifier.fitted)
    kept, folds = in_order(classifier)
    assert labels == [label for _, label in kept]
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1.0)
    for i, (text, label) in enumerate(kept[:3]):
        mine = {i} if model in ONE_BY_ONE else set(np.flatnonzero(folds == folds[i]))
        others = of(model, [pair for j, pair in enumerate(kept) if j not in mine], alpha=classifier.recipe.alpha)
        expected = others.fitted.calibrated(classifier.fitted.calibration).log_posterior(
            count_matrix([text.split()], others.fitted.vocabulary)[0]
        )
        assert dict(zip(classifier.fitted.classes, log_p[i], strict=True))[label] == pytest.approx(
            dict(zip(others.fitted.classes, expected[0], strict=True))[label], rel=1e-6
        )


def test_estimates_without_a_calibration_are_the_models_own():
    classifier = of("multinomial", alpha=1.0)
    fitted = classifier.fitted.calibrated(None)
    _, log_p = left_out_log_posterior(classifier.recipe, classifier.learnt, fitted)
    (text, _), *rest = in_order(classifier)[0]
    others = of("multinomial", rest, alpha=1.0, calibrate=False)
    np.testing.assert_allclose(log_p[0], others.predict_log_proba([text])[0], rtol=1e-6)


def test_where_no_documents_were_kept_there_are_no_estimates_and_no_calibration():
    classifier = of("multinomial", calibrate=False)
    with pytest.raises(InputError, match="no documents were kept"):
        calibrate_left_out(replace(classifier.recipe, calibrate=True), classifier.learnt, classifier.fitted)
    with pytest.raises(InputError, match="no documents were kept"):
        left_out_log_posterior(classifier.recipe, classifier.learnt, classifier.fitted)


def many_small_classes(n_classes):
    """Three documents per class, of words that many classes share and one that few do."""
    rng = np.random.default_rng(5)
    numbers = [k for k in range(n_classes) for _ in range(3)]
    texts = [f"k{k // 2} w{rng.integers(40)} w{rng.integers(40)} d{rng.integers(9)}" for k in numbers]
    return texts, [f"c{k:04d}" for k in numbers]


@pytest.mark.parametrize("model", ["multinomial", "complement"])
def test_many_classes_are_calibrated_on_some_documents_whatever_the_order_of_learning(model, tmp_path, monkeypatch):
    monkeypatch.setattr("textnb.models.calibration.MAX_CLASSES_WITH_BIAS", 50)
    monkeypatch.setattr("textnb.models.calibration._MAX_CELLS", 6000)
    monkeypatch.setattr("textnb.models.calibration._MIN_DOCUMENTS", 20)
    scored = []

    def fit(held_out, **settings):
        scored.append(len(held_out.y))
        return fit_calibration(held_out, **settings)

    monkeypatch.setattr("textnb.classifier.held_out.fit_calibration", fit)
    texts, labels = many_small_classes(60)

    def saved(classifier):
        classifier.save(tmp_path / "m.textnb")
        return (tmp_path / "m.textnb").read_bytes()

    def trained(part):
        return TextClassifier(model, tokenizer="words").fit(texts[part], labels[part])

    whole = saved(trained(slice(None)))
    assert 80 <= scored[-1] <= 100  # 6000 / 60 distinct documents; a class without a second document is not scored
    assert saved(trained(slice(100)).merge(trained(slice(100, None)))) == whole
    assert saved(trained(slice(None)).update(["a new one"], ["c0001"]).forget(["a new one"], ["c0001"])) == whole


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_calibration_fits_the_model_where_half_of_the_documents_have_no_finite_alpha(seed):
    rng, n_classes, n_terms = np.random.default_rng(seed), 6, 4000
    of_class = np.exp(np.random.default_rng(0).normal(0, 0.5, (n_classes, n_terms)))

    def texts(n):
        for i in range(n):
            p = of_class[i % n_classes] * np.exp(rng.normal(0, 0.9, n_terms)) / np.arange(1, n_terms + 1)
            words = rng.choice(n_terms, int(600 * rng.uniform(0.3, 2)), p=p / p.sum())
            yield " ".join(f"w{word}" for word in words)

    labels = [str(i % n_classes) for i in range(90)]
    learnt, asked = list(texts(90)), list(texts(90))

    def accuracy(calibrate):
        settings = {"tokenizer": "whitespace", "analyzer": Analyzer(), "calibrate": calibrate}
        return TextClassifier("multinomial", alpha="leave-one-out", **settings).fit(learnt, labels).score(asked, labels)

    assert accuracy(calibrate=False) > 0.85
    assert accuracy(calibrate=True) > accuracy(calibrate=False) - 0.05

"""Opening a model file fits nothing and reads nothing that only learning needs, whatever the model."""

import numpy as np
import pytest
from small_models import rewritten

from textnb import Analyzer, TextClassifier
from textnb.classifier import fitted as fitted_module
from textnb.errors import InputError, ModelFileError
from textnb.files import bundle as bundles
from textnb.files.bundle import open_bundle, write_bundle
from textnb.files.model_file import verify_model
from textnb.models.registry import MODELS

TEXTS = [
    "good good fun day",
    "a good film",
    "fun film",
    "bad sad day",
    "a sad bad film",
    "bad rain",
    "rain day sad",
    "fun",
]
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg", "neg", "pos"]
ASKED = ["good film", "sad rain rain", "", "unknown", "fun day fun day a film"]
SETTINGS = [
    *({"model": name} for name in MODELS),
    {"alpha": 0},
    {"alpha": 0.5, "prior": "uniform"},
    {"alpha": "leave-one-out", "weighting": "raw"},
    {"alpha": "evidence-class"},
    {"weighting": "tfidf"},
    {"weighting": "tfidf-l2"},
    {"model": "bernoulli", "alpha": 0},
    {"model": "logistic", "weighting": "tfidf-l2"},
    {"calibrate": False},
    {"sample": 0},
    {"analyzer": Analyzer(min_df=2)},
]


@pytest.fixture(params=SETTINGS, ids=lambda settings: " ".join(map(str, settings.values())))
def classifier(request):
    return TextClassifier(tokenizer="words", **request.param).fit(TEXTS, LABELS)


def forbid_fitting(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("fitted or read for learning")

    for name in MODELS:
        monkeypatch.setattr(fitted_module, "model", lambda name, real=fitted_module.model: _Unfittable(real(name)))
    monkeypatch.setattr(bundles, "_decompressed", refuse)


class _Unfittable:
    """A model without its fit."""

    def __init__(self, model):
        self._model = model

    def __getattr__(self, name):
        if name in ("fit", "left_out", "renew"):
            raise AssertionError("fitted")
        return getattr(self._model, name)


def test_a_loaded_model_answers_to_the_bit_without_fitting_or_learning_data(classifier, tmp_path, monkeypatch):
    classifier.save(tmp_path / "model")
    answers = classifier.predict_log_proba(ASKED)
    explained = [classifier.explain(text) for text in ASKED]
    forbid_fitting(monkeypatch)
    loaded = TextClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_log_proba(ASKED), answers)
    assert [loaded.explain(text) for text in ASKED] == explained
    assert loaded.calibration_state == classifier.calibration_state
    assert not {"terms", "columns"} & loaded.fitted.vocabulary.__dict__.keys()


def test_saving_a_loaded_model_gives_the_same_bytes_before_and_after_refitting(classifier, tmp_path):
    classifier.save(tmp_path / "one")
    verify_model(tmp_path / "one")
    loaded = TextClassifier.load(tmp_path / "one")
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    if classifier.recipe.sample:
        loaded.refit().save(tmp_path / "three")
        assert (tmp_path / "one").read_bytes() == (tmp_path / "three").read_bytes()


def test_facts_and_typical_words_are_those_of_the_saved_model(classifier, tmp_path):
    classifier.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.facts() == classifier.facts()
    assert loaded.words("pos", top=5) == classifier.words("pos", top=5)


def test_a_file_that_was_opened_answers_on_when_another_one_has_its_name(tmp_path):
    first = TextClassifier(tokenizer="words").fit(TEXTS, LABELS)
    answers = first.predict_proba(ASKED)
    first.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    TextClassifier(tokenizer="words").fit(["other"], ["class"]).save(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(ASKED), answers)
    assert loaded.learnt == first.learnt


def damage(path, name):
    """Change a bit of a section for answering."""
    found = open_bundle(path, "model")
    data = bytearray(path.read_bytes())
    data[data.index(found.answering[name].tobytes())] ^= 1
    path.write_bytes(data)


def test_a_flipped_bit_of_the_weights_is_noticed_before_learning_and_by_verifying(tmp_path):
    TextClassifier(tokenizer="words").fit(TEXTS, LABELS).save(tmp_path / "model")
    damage(tmp_path / "model", "scorer.by_term")
    loaded = TextClassifier.load(tmp_path / "model")
    assert np.isfinite(loaded.predict_proba(ASKED)).all()
    for learn in (lambda: loaded.update(["a"], ["pos"]), loaded.refit, lambda: verify_model(tmp_path / "model")):
        with pytest.raises(ModelFileError, match=r"sha256 of the section 'scorer.by_term'"):
            learn()


def rewrite(path, change):
    found = open_bundle(path, "model")
    header, answering = found.header, {name: np.array(array) for name, array in found.answering.items()}
    del header["sections"]
    change(header, answering)
    write_bundle(path, "model", header, answering, dict(found.learning))


@pytest.mark.parametrize("name", ["scorer.by_term", "scorer.bias", "log_prior"])
def test_weights_that_are_not_numbers_are_refused_with_the_first_answer_and_by_verifying(tmp_path, name):
    path = tmp_path / "model"
    TextClassifier(tokenizer="words").fit(TEXTS, LABELS).save(path)
    rewrite(path, lambda _, arrays: arrays[name].fill(np.nan))
    with pytest.raises(ModelFileError, match="not numbers"):
        TextClassifier.load(path).predict(["good film"])
    with pytest.raises(ModelFileError, match="NaN or inf"):
        verify_model(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda _, a: a.update({"scorer.by_term": a["scorer.by_term"][:-1]}), "does not have 8 terms"),
        (lambda _, a: a.update({"scorer.by_term": a["scorer.by_term"][:, :1].copy()}), "does not have 2 classes"),
        (lambda _, a: a.update({"scorer.by_term": a["scorer.by_term"].astype(np.int64)}), "of another kind"),
        (lambda _, a: a.pop("scorer.bias"), "'scorer.bias' is missing"),
        (lambda _, a: a.update({"log_prior": a["log_prior"][:1]}), "not those of 2 classes"),
        (lambda _, a: a.pop("shift"), "'shift' is missing"),
        (lambda _, a: a.pop("terms_used.table"), "terms_used.table"),
        (lambda _, a: a.update({"terms_used.starts": a["terms_used.starts"][:-1]}), "do not fit together"),
        (lambda _, a: a.update(idf=np.ones(3)), "'idf' does not have 8 terms"),
        (lambda _, a: a.update(idf=np.ones(8)), "does not go with the idf"),
        (lambda h, _: h["fit"].update(scorer="pickle"), "does not describe a fitted model"),
        (lambda h, _: h["fit"].update(since=-1), "'since'"),
        (lambda h, _: h["fit"].update(found=[]), "does not describe a fitted model"),
        (lambda h, _: h.pop("fit"), "classes and no fit"),
        (lambda h, _: h.update(fit=5), "fit together"),
        (lambda h, _: h["fit"]["smoothing"].update(alpha="x"), "fit together"),
        (lambda h, _: h["fit"]["smoothing"].update(alpha=-1), "smoothing"),
        (lambda h, _: h.pop("summary"), "fit together"),
        (lambda h, _: h["summary"].update(documents=[1]), "how much was learnt"),
        (lambda h, _: h["summary"].update(n_terms=-1), "how much was learnt"),
        (lambda h, _: h.update(label_kind="numbers"), "upgrade"),
        (lambda h, _: h.update(category_tables={}), "upgrade"),
    ],
)
def test_a_fit_that_does_not_fit_together_is_refused_on_opening(tmp_path, change, complaint):
    path = tmp_path / "model.textnb"
    words = {"tokenizer": "words", "alpha": "evidence", "analyzer": Analyzer()}
    TextClassifier("multinomial", **words).fit(TEXTS, LABELS).save(path)
    rewrite(path, change)
    with pytest.raises(ModelFileError, match=rf"model.textnb: .*{complaint}"):
        TextClassifier.load(path)


@pytest.mark.parametrize("name", MODELS)
def test_damaged_weights_of_any_model_give_an_answer_or_a_clear_error(tmp_path, name):
    rng = np.random.default_rng(6)
    path = tmp_path / "model"
    TextClassifier(name, tokenizer="words").fit(TEXTS, LABELS).save(path)
    original = path.read_bytes()
    found = open_bundle(path, "model")
    places = [original.index(array.tobytes()) + k for array in found.answering.values() for k in range(array.nbytes)]
    for _ in range(40):
        data = bytearray(original)
        for place in rng.choice(places, 8):
            data[place] = rng.integers(256)
        path.write_bytes(data)
        try:
            with np.errstate(all="ignore"):
                loaded = TextClassifier.load(path)
                assert loaded.predict_proba(ASKED).shape == (5, 2)
                loaded.explain(ASKED[0])
        except (ModelFileError, InputError):
            pass


@pytest.mark.parametrize(
    ("model", "place", "value"),
    [
        ("compound", ["class_smoothing"], "abc"),
        ("compound", ["class_smoothing"], [{}]),
        ("compound", ["class_smoothing", 1], 7),
        ("compound", ["class_smoothing", 1, "alpha"], None),
        ("compound", ["class_smoothing", 1, "alpha", "quartiles"], [1.0]),
        ("compound", ["class_smoothing", 1, "alpha", "quartiles", 2], {}),
        ("compound", ["class_smoothing", 1, "trace"], "abc"),
        ("compound", ["class_smoothing", 1, "trace", 0], []),
        ("compound", ["class_smoothing", 1, "outcome"], 3),
        ("nb-logistic", ["found", "l2"], "abc"),
        ("mail", ["facts", "fitted_on"], {}),
    ],
)
def test_facts_about_a_fit_that_info_could_not_show_are_refused(tmp_path, model, place, value):
    path = tmp_path / "m.textnb"
    TextClassifier(model, tokenizer="words").fit(TEXTS, LABELS).save(path)

    def change(header, _):
        facts = header["fit"]
        for name in place[:-1]:
            facts = facts[name]
        facts[place[-1]] = value

    rewritten(path, "model", change)
    with pytest.raises(ModelFileError, match=r"does not describe (the alphas of 2 classes|a fitted model)"):
        TextClassifier.load(path)

"""Calibration by documents that were not learnt."""

import numpy as np
import pytest
from made_corpora import documents
from small_models import rewritten

from textnb import TextClassifier
from textnb.errors import InputError, ModelFileError
from textnb.files.model_file import KIND
from textnb.models.calibration import HeldOut, fit_calibration

LEARNT, HELD_OUT = documents(45), [*documents(30, seed=3), *documents(30, seed=4)]


def trained(**settings):
    return TextClassifier(tokenizer="whitespace", **settings).fit(LEARNT)


def log_loss(classifier, these):
    log_p = classifier.predict_log_proba(these)
    y = [list(classifier.classes_).index(each.label) for each in these]
    return -log_p[np.arange(len(y)), y].mean()


def test_it_is_the_calibration_fitted_to_the_scores_of_these_documents():
    clf = trained(calibrate=False)
    fitted = clf.fitted
    ((part, _),) = fitted.score_parts(HELD_OUT)
    y = np.array([fitted.number_of(each.label) for each in HELD_OUT])
    scores = fitted.scorer.joint_log_scores(fitted.weigher(part.X)) - fitted.scorer.bias
    log_prior = np.tile(fitted.scorer.bias, (len(y), 1))
    lengths = np.asarray(part.X.sum(axis=1), float)
    expected = fit_calibration(HeldOut(scores, log_prior, lengths, y, np.ones(len(y))))
    found = clf.calibrate(HELD_OUT).fitted.calibration
    assert (found.scale, found.shortening) == pytest.approx((expected.scale, expected.shortening), rel=1e-9)
    np.testing.assert_allclose(found.bias, expected.bias, atol=1e-9)


def test_probabilities_of_such_documents_become_better():
    clf = trained(calibrate=False)
    before = log_loss(clf, HELD_OUT)
    assert log_loss(clf.calibrate(HELD_OUT), HELD_OUT) < before


def test_labels_may_be_given_beside_texts():
    texts, labels = [each.text for each in HELD_OUT], [each.label for each in HELD_OUT]
    one, other = trained().calibrate(HELD_OUT), trained().calibrate(texts, labels)
    np.testing.assert_array_equal(one.predict_proba(["w1 w9"]), other.predict_proba(["w1 w9"]))


@pytest.mark.parametrize("calibrate", [True, False])
def test_a_file_keeps_it(tmp_path, calibrate):
    clf = trained(calibrate=calibrate).calibrate(HELD_OUT)
    clf.save(tmp_path / "m.textnb")
    again = TextClassifier.load(tmp_path / "m.textnb")
    assert clf.calibration_state == again.calibration_state == "held-out"
    np.testing.assert_array_equal(clf.predict_proba(HELD_OUT), again.predict_proba(HELD_OUT))
    again.save(tmp_path / "again.textnb")
    assert (tmp_path / "m.textnb").read_bytes() == (tmp_path / "again.textnb").read_bytes()


def test_what_is_learnt_or_forgotten_later_leaves_it_stale():
    clf = trained().calibrate(HELD_OUT)
    calibration = clf.fitted.calibration
    clf.update(["w1 w2 w3"], ["x"])
    assert clf.calibration_state == "stale"
    assert clf.fitted.calibration is calibration
    clf.forget(["w1 w2 w3"], ["x"])
    assert clf.calibration_state == "held-out"
    assert clf.calibrate(HELD_OUT).calibration_state == "held-out"


def test_a_new_class_makes_it_void():
    clf = trained().calibrate(HELD_OUT).update(["new words", "other words"], ["new", "new"])
    assert clf.calibration_state == "calibrated"
    assert len(clf.fitted.calibration.bias) == 4


@pytest.mark.parametrize(
    ("these", "message"),
    [
        ([], "no documents to calibrate with"),
        (LEARNT[:2] + HELD_OUT, "2 of 62 documents have been learnt"),
        ([("w1", "unheard")], "unknown class 'unheard'; the model has x, y, z"),
        ([("w1", "x"), ("w2", "x")], "fewer than two classes"),
    ],
)
def test_what_says_nothing_is_refused_and_nothing_changes(these, message):
    clf = trained()
    state = clf.calibration_state, clf.fitted.calibration
    texts, labels = (
        ([], []) if not these else zip(*these, strict=True) if isinstance(these[0], tuple) else (these, None)
    )
    with pytest.raises(InputError, match=message):
        clf.calibrate(list(texts), labels)
    assert (clf.calibration_state, clf.fitted.calibration) == state


@pytest.mark.parametrize("number", [-1, "many"])
def test_a_file_with_a_senseless_number_of_held_out_documents_is_refused(tmp_path, number):
    trained().calibrate(HELD_OUT).save(tmp_path / "m.textnb")
    rewritten(tmp_path / "m.textnb", KIND, lambda header, _: header["calibration"].update(held_out=number))
    with pytest.raises(ModelFileError, match="held-out documents"):
        TextClassifier.load(tmp_path / "m.textnb")

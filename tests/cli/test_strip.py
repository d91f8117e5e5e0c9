"""textnb strip: a model that only answers; textnb info --verify: a file checked to its last byte."""

import pytest

from textnb import TextClassifier
from textnb.errors import InputError
from textnb.files.bundle import open_bundle
from textnb.models.registry import MODELS

TEXTS = ["good secretword fun day", "a good film", "fun film", "bad sad day", "a sad bad film", "bad rain"]
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg"]
ASKED = ["good film", "sad rain", ""]


@pytest.fixture
def path(tmp_path):
    TextClassifier(tokenizer="words").fit(TEXTS, LABELS).save(tmp_path / "model.textnb")
    return tmp_path / "model.textnb"


@pytest.mark.parametrize("name", MODELS)
def test_a_stripped_model_gives_the_same_answers_and_has_no_section_for_learning(tmp_path, name):
    classifier = TextClassifier(name, tokenizer="words").fit(TEXTS, LABELS)
    classifier.save(tmp_path / "model", stripped=True)
    stripped = TextClassifier.load(tmp_path / "model")
    assert stripped.predict_proba(ASKED).tolist() == classifier.predict_proba(ASKED).tolist()
    assert stripped.explain(ASKED[0]) == classifier.explain(ASKED[0])
    assert len(open_bundle(tmp_path / "model", "model").learning) == 0
    again = {**classifier.facts(), "stripped": True, "documents kept": 0}
    assert stripped.facts() == again


@pytest.mark.parametrize(
    "learn",
    [
        lambda model: model.update(["a"], ["pos"]),
        lambda model: model.forget(TEXTS[:1], LABELS[:1]),
        lambda model: model.merge(TextClassifier(tokenizer="words").fit(TEXTS, LABELS)),
        lambda model: TextClassifier(tokenizer="words").fit(TEXTS, LABELS).merge(model),
        lambda model: model.refit(),
        lambda model: model.calibrate(["good"], ["pos"]),
        lambda model: model.words("pos"),
        lambda model: model.evaluate_left_out(),
    ],
)
def test_what_needs_the_documents_of_a_stripped_model_is_refused(path, learn):
    TextClassifier.load(path).save(path, stripped=True)
    model = TextClassifier.load(path)
    with pytest.raises(InputError, match=r"model\.textnb was stripped: it only answers"):
        learn(model)
    assert model.predict(ASKED[:1]) == ["pos"]


def test_a_stripped_model_keeps_the_cut_offs_of_a_precision(path, tmp_path):
    whole = TextClassifier.load(path)
    whole.save(tmp_path / "stripped", stripped=True)
    stripped = TextClassifier.load(tmp_path / "stripped")
    for precision in (0.5, 0.9, 0.99):
        assert stripped.precision_rule(precision).least.tolist() == whole.precision_rule(precision).least.tolist()
        assert list(stripped.decide(ASKED, precision=precision)) == list(whole.decide(ASKED, precision=precision))


def test_without_left_out_answers_a_stripped_model_refuses_a_precision(path):
    TextClassifier(tokenizer="words", calibrate=False).fit(TEXTS, LABELS).save(path, stripped=True)
    with pytest.raises(InputError, match=r"model\.textnb was stripped: it only answers"):
        TextClassifier.load(path).rule(precision=0.9)


def test_a_stripped_model_stays_stripped_and_equal_when_it_is_saved(path, tmp_path):
    TextClassifier.load(path).save(tmp_path / "one", stripped=True)
    TextClassifier.load(tmp_path / "one").save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_word_that_the_model_does_not_use_is_gone(tmp_path):
    from textnb import Analyzer

    classifier = TextClassifier(tokenizer="words", analyzer=Analyzer(min_df=2)).fit(TEXTS, LABELS)
    classifier.save(tmp_path / "model", stripped=True)
    assert b"secretword" not in (tmp_path / "model").read_bytes()


def test_strip_writes_a_smaller_model_and_leaves_the_other(run, path, tmp_path):
    before = path.read_bytes()
    done = run("strip", path, "-o", tmp_path / "shared.textnb")
    assert done.code == 0
    assert "only answers" in done.err
    assert path.read_bytes() == before
    assert (tmp_path / "shared.textnb").stat().st_size < len(before)
    refused = run("update", tmp_path / "shared.textnb", path)
    assert refused.code == 1


def test_strip_refuses_the_model_itself_and_a_missing_one(run, path, tmp_path):
    assert "is the model itself" in run("strip", path, "-o", path).err
    assert "does not exist" in run("strip", tmp_path / "none", "-o", tmp_path / "out").err


def test_info_verifies_every_section(run, path):
    assert run("info", path, "--verify").code == 0
    data = path.read_bytes()
    found = open_bundle(path, "model")
    damaged = bytearray(data)
    damaged[data.index(found.answering["scorer.by_term"].tobytes())] ^= 1
    path.write_bytes(damaged)
    assert run("info", path).code == 0
    done = run("info", path, "--verify")
    assert done.code == 1
    assert "sha256 of the section 'scorer.by_term'" in done.err


def test_merge_joins_count_files_and_refuses_a_mixture(run, path, tmp_path):
    for name, text in (("a", "good day,pos"), ("b", "bad rain,neg")):
        (tmp_path / f"{name}.csv").write_text(f"text,label\n{text}\n")
        assert run("count", f"{name}.csv", "-o", f"{name}.counts", "--tokenizer", "words").code == 0
    done = run("merge", "a.counts", "b.counts", "-o", "a.counts")
    assert (done.code, done.err) == (0, "merged 2 documents; a.counts has 4 terms\n")
    (tmp_path / "both.csv").write_text("text,label\ngood day,pos\nbad rain,neg\n")
    assert (
        run("train", "a.counts", "-o", "m1").code
        == run("train", "both.csv", "-o", "m2", "--tokenizer", "words").code
        == 0
    )
    assert (tmp_path / "m1").read_bytes() == (tmp_path / "m2").read_bytes()
    mixed = run("merge", "a.counts", path, "-o", "out")
    assert mixed.code == 1
    assert "holds a 'model', not a 'counts'" in mixed.err

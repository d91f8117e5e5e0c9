"""Suspect labels: left-out answers that contradict the label, with excerpt and words."""

import numpy as np
import pytest

from textnb import Document, TextClassifier
from textnb.classifier.suspects import SeenDocuments, excerpt_of
from textnb.errors import InputError
from textnb.text import Analyzer

WORDS = {"pets": "dog cat bird paw tail fur", "food": "egg salt oil pan rice tea"}


def corpus(n=12, flipped=()):
    rng = np.random.default_rng(0)
    documents = []
    for label, words in WORDS.items():
        other = next(each for each in WORDS if each != label)
        for i in range(n):
            name = f"{label}{i}"
            text = " ".join(rng.choice(words.split(), 5))
            documents.append(Document(f"{text} {name}", other if name in flipped else label, name))
    return documents


@pytest.mark.parametrize("model", ["multinomial", "complement", "bernoulli", "nb-logistic", "logistic"])
def test_flipped_labels_come_first(model):
    flipped = {"pets3", "food7"}
    seen = SeenDocuments()
    clf = TextClassifier(model, tokenizer="words", analyzer=Analyzer()).fit(seen.watch(corpus(flipped=flipped)))
    found = clf.suspects(seen, top=2)
    assert {each.id for each in found} == flipped
    for each in found:
        assert (each.label, each.predicted) == (("food", "pets") if each.id == "pets3" else ("pets", "food"))
        assert each.probability >= 0.5 >= each.probability_of_label
        assert {term for term, _ in each.words} <= {*WORDS[each.predicted].split()}
        assert all(value > 0 for _, value in each.words)
        assert each.excerpt.endswith(each.id)


def test_the_answer_is_that_of_a_model_without_the_document():
    documents = corpus(flipped={"pets3"})
    seen = SeenDocuments()
    clf = TextClassifier("multinomial", tokenizer="words", alpha=1.0).fit(seen.watch(documents))
    (first, *_) = clf.suspects(seen)
    without = TextClassifier("multinomial", tokenizer="words", alpha=1.0).fit(
        [d for d in documents if d.id != first.id]
    )
    (document,) = [d for d in documents if d.id == first.id]
    assert without.predict([document.text])[0] == first.predicted != document.label


def test_only_documents_that_were_seen_are_listed_and_without_any_all_are():
    documents = corpus(flipped={"pets3", "food7"})
    clf = TextClassifier("multinomial", tokenizer="words").fit(documents)
    seen = SeenDocuments()
    assert len(list(seen.watch(documents[:12]))) == 12
    assert [each.id for each in clf.suspects(seen)][:1] == ["pets3"]
    assert not {each.id for each in clf.suspects(seen)} & {d.id for d in documents[12:]}
    assert [(each.id, each.label) for each in clf.suspects(top=1)] == [("", clf.suspects(top=1)[0].label)]
    assert clf.suspects(top=0) == []


def test_clean_labels_are_not_suspect_and_nothing_kept_is_said():
    assert TextClassifier("multinomial", tokenizer="words").fit(corpus()).suspects() == []
    with pytest.raises(InputError, match="no documents were kept"):
        TextClassifier("multinomial", tokenizer="words", sample=0, calibrate=False).fit(corpus()).suspects()


def test_a_loaded_model_has_the_same_suspects(tmp_path):
    clf = TextClassifier("complement", tokenizer="words").fit(corpus(flipped={"pets3"}))
    clf.save(tmp_path / "m.textnb")
    assert TextClassifier.load(tmp_path / "m.textnb").suspects() == clf.suspects() != []


def test_the_most_confused_classes_are_those_of_left_out_answers():
    clf = TextClassifier("multinomial", tokenizer="words").fit(corpus(flipped={"pets3"}))
    answers = clf.state.left_out
    true, answer, share = clf.most_confused
    y, predicted = (np.array(clf.fitted.classes)[each] for each in (answers.y, answers.predicted))
    wrong = [(a, b) for a, b in zip(y, predicted, strict=True) if a != b]
    assert (true, answer) == max(sorted(set(wrong)), key=wrong.count)
    assert share == pytest.approx(np.mean(predicted[y == true] == answer))
    assert TextClassifier("multinomial", tokenizer="words").fit(corpus()).most_confused is None


def test_an_excerpt_is_one_short_line():
    assert excerpt_of(" a\r\n b\t") == "a b"
    assert (len(excerpt_of("あ" * 100)), excerpt_of("あ" * 100)[-1]) == (40, "…")

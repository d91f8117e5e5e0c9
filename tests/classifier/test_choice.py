"""auto: naive Bayes that sets itself by left-out documents."""

import random
from dataclasses import replace

import numpy as np
import pytest

from textnb import Document, TextClassifier
from textnb.classifier import choice, held_out
from textnb.classifier.choice import Candidate, Tried, choose, learn
from textnb.classifier.fitted import Fitted
from textnb.comparison import TokenizedDocuments
from textnb.comparison.cross_validation import cross_validated
from textnb.counts import counted
from textnb.errors import InputError, NotLearntError
from textnb.text import Analyzer

WORDS = [f"w{i:03}" for i in range(200)]


def corpus(n=120, n_classes=3, length=8, seed=0):
    """Documents whose class prefers every n-th word."""
    chance = random.Random(seed)
    documents = []
    for i in range(n):
        k = i % n_classes
        own = [word for j, word in enumerate(WORDS) if j % n_classes == k]
        words = [chance.choice(own if chance.random() < 0.5 else WORDS) for _ in range(length)]
        documents.append(Document(" ".join(words), f"c{k}", f"{i}"))
    return documents


def ordered_pairs(n=200, seed=0):
    """Documents whose class is only told by the order of two words."""
    chance = random.Random(seed)
    documents = []
    for i in range(n):
        a, b = chance.sample(WORDS[:6], 2)
        first, second = sorted([a, b]) if i % 2 else sorted([a, b], reverse=True)
        documents.append(Document(f"{first} {second} {i}", "up" if i % 2 else "down", f"{i}"))
    return documents


def auto(**given):
    return TextClassifier(tokenizer="words", **given)


def test_training_by_auto_equals_training_by_the_recipe_that_it_chose(tmp_path):
    documents = corpus()
    chosen = auto().fit(documents)
    assert chosen.recipe.model in ("multinomial", "complement")
    again = TextClassifier.from_recipe(chosen.recipe).fit(documents)
    chosen.save(tmp_path / "a")
    again.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_choice_does_not_depend_on_the_order_of_the_documents():
    documents = corpus()
    shuffled = random.Random(1).sample(documents, len(documents))
    assert auto().fit(documents).recipe == auto().fit(shuffled).recipe


def test_a_file_keeps_the_recipe_and_what_was_tried(tmp_path):
    chosen = auto().fit(corpus())
    chosen.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    assert loaded.recipe == chosen.recipe
    assert loaded.recipe.choice == chosen.recipe.choice
    assert loaded.facts()["choice"][0]["model"] == chosen.recipe.model
    assert len(loaded.facts()["choice"]) == 4


def test_all_kinds_are_tried_only_if_each_kind_lowers_the_log_loss_of_words():
    for documents in (corpus(), ordered_pairs()):
        loss = {each["terms"]: each["log_loss"] for each in auto().fit(documents).recipe.choice if each["alpha"] == 1.0}
        helped = all(loss[terms] < loss["words"] for terms in ("words,pairs", "words,chars"))
        assert ("words,pairs,chars" in loss) == helped


def test_learning_more_and_forgetting_keep_the_recipe_and_are_exact(tmp_path):
    documents, more = corpus(), corpus(60, seed=5)
    classifier = auto().fit(documents)
    recipe = classifier.recipe
    classifier.save(tmp_path / "before")
    classifier.update(more)
    TextClassifier.from_recipe(recipe).fit([*documents, *more]).save(tmp_path / "at once")
    classifier.save(tmp_path / "updated")
    assert (tmp_path / "updated").read_bytes() == (tmp_path / "at once").read_bytes()
    classifier.forget(more).save(tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()
    assert classifier.recipe is recipe


def test_fitting_again_chooses_again():
    classifier = auto().fit(corpus())
    before = classifier.recipe
    classifier.fit(ordered_pairs())
    assert "pairs" in classifier.recipe.analyzer.terms
    assert classifier.recipe != before


def test_update_without_training_chooses_as_fit_does():
    documents = corpus()
    assert auto().update(documents).recipe == auto().fit(documents).recipe


def test_models_with_other_choices_refuse_to_merge_and_say_how_to_train_alike():
    one, other = auto().fit(ordered_pairs()), auto().fit(corpus())
    assert one.recipe != other.recipe
    with pytest.raises(InputError, match=r"the recipes differ in .* --like MODEL"):
        one.merge(other)


def test_models_trained_alike_merge_in_any_order_to_the_same_bytes(tmp_path):
    one = auto().fit(corpus())
    like = TextClassifier.from_recipe(one.recipe).fit(corpus(seed=7))
    replace_choice = TextClassifier.from_recipe(replace(one.recipe, choice=None)).fit(corpus(seed=7))
    for name, other in (("same", like), ("no record", replace_choice)):
        a = TextClassifier.from_recipe(one.recipe).fit(corpus()).merge(other)
        b = TextClassifier.from_recipe(other.recipe).fit(corpus(seed=7)).merge(one)
        a.save(tmp_path / f"{name} a")
        b.save(tmp_path / f"{name} b")
        assert (tmp_path / f"{name} a").read_bytes() == (tmp_path / f"{name} b").read_bytes()


def test_pairs_are_used_where_only_they_tell_the_classes_apart():
    classifier = auto().fit(ordered_pairs())
    assert "pairs" in classifier.recipe.analyzer.terms
    assert np.mean(classifier.predict([d.text for d in ordered_pairs(seed=3)]) == [
        d.label for d in ordered_pairs(seed=3)
    ]) > 0.9  # fmt: skip


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 100.0, "evidence", "leave-one-out"])
def test_a_given_alpha_stays(alpha):
    recipe = auto(alpha=alpha).fit(corpus(60)).recipe
    assert recipe.alpha == alpha
    assert {tried["alpha"] for tried in recipe.choice} == {alpha}


@pytest.mark.parametrize("weighting", ["raw", "binary", "log", "tfidf", "raw-l2", "tfidf-l2"])
def test_a_given_weighting_stays(weighting):
    assert auto(weighting=weighting).fit(corpus(60)).recipe.weighting == weighting


@pytest.mark.parametrize("terms", [["words"], ["chars"], ["words", "pairs"], ["pairs", "chars"]])
def test_given_terms_stay(terms):
    recipe = auto(analyzer=Analyzer(terms=terms)).fit(corpus(60)).recipe
    assert set(recipe.analyzer.terms) == set(terms)
    assert len({tried["terms"] for tried in recipe.choice}) == 1


def test_word_ngrams_of_any_range_stay():
    recipe = auto(analyzer=Analyzer(ngram=(1, 3))).fit(corpus(60)).recipe
    assert recipe.analyzer.ngram == (1, 3)
    assert recipe.choice[0]["terms"] == "n-grams"


@pytest.mark.parametrize(
    "documents",
    [
        [Document("a b", "x")],
        [Document("a b", "x"), Document("c d", "y")],
        [Document("a b", "x"), Document("a b", "x")],
        [Document("", "x"), Document("", "y")],
        [Document("", "x"), Document("", "x"), Document("", "y"), Document("", "y")],
    ],
    ids=["one document", "one per class", "copies only", "empty", "empty copies"],
)
def test_without_documents_to_leave_out_it_is_multinomial_on_words(documents):
    recipe = auto().fit(documents).recipe
    assert (recipe.model, recipe.alpha, recipe.analyzer.terms) == ("multinomial", "evidence", ("words",))
    assert recipe.choice is None


def test_no_documents_are_refused():
    with pytest.raises(InputError, match="no documents"):
        auto().fit([])


def test_long_documents_are_not_counted_by_characters(monkeypatch):
    monkeypatch.setattr(choice, "MAX_TERMS", 20)
    recipe = auto().fit(corpus(60)).recipe
    assert not any("chars" in tried["terms"] for tried in recipe.choice)


def test_terms_with_too_many_weights_are_not_tried(monkeypatch):
    monkeypatch.setattr(choice, "MAX_WEIGHTS", 10)
    assert {tried["terms"] for tried in auto().fit(corpus(60)).recipe.choice} == {"words"}


def test_leave_one_out_is_tried_only_with_small_classes():
    def smoothings(documents):
        return {tried["alpha"] for tried in auto().fit(documents).recipe.choice}

    assert "leave-one-out" in smoothings(corpus(57, n_classes=3))
    assert "leave-one-out" not in smoothings(corpus(60, n_classes=3))


def test_a_tokenizer_whose_words_may_have_spaces_settles_the_terms_before_counting():
    documents = [replace(d, text=f"chars:ab {d.text}") for d in corpus(60)]
    recipe = TextClassifier(tokenizer="whitespace").fit(documents).recipe
    assert recipe.analyzer.terms in (("words", "chars"), ("words", "pairs"), ("words",))
    TextClassifier.from_recipe(recipe).fit(documents)


def losses_of(kinds, values, groups=None):
    n = len(values)
    groups = np.arange(n) if groups is None else groups
    return Tried(Candidate("complement", kinds, 1.0), None, np.asarray(values, float), np.ones(n), groups)


def test_the_simplest_candidate_within_one_standard_error_is_chosen():
    chance = np.random.default_rng(0)
    noise = chance.normal(size=400)
    error = noise.std() / np.sqrt(400)
    best = losses_of(("words", "pairs", "chars"), np.ones(400))
    for gap, expected in ((0.9, 0), (1.1, 1)):
        simple = losses_of(("words",), 1 + noise - noise.mean() + gap * error)
        assert choice._best([simple, best]) == expected


def test_candidates_that_answer_different_documents_are_compared_by_their_means():
    one, best = losses_of(("words",), np.array([1.0, 3.0])), losses_of(("pairs",), np.array([0.0, 0.0, 3.0]))
    errors = [np.sqrt(2 * 1.0) / 2, np.sqrt(1 + 1 + 4) / 3]
    assert choice._worse_by(one, best) == pytest.approx((1.0, np.hypot(*errors)))


def test_documents_that_differ_in_the_order_of_words_alone_can_be_chosen_by():
    texts = ["a b c", "c b a", "b a c", "c a b", "d e f", "f e d", "e d f", "f d e", "a d", "d a"]
    labels = list("xxxxyyyyxy")
    classifier = TextClassifier(tokenizer="whitespace").fit(texts, labels)
    assert classifier.recipe.choice is not None
    assert classifier.predict(["a b", "e f"]).tolist() == ["x", "y"]


def test_copies_widen_the_standard_error():
    d = np.array([0.3, -0.1] * 8)
    alone = choice._worse_by(losses_of(("words",), d), losses_of(("words",), 0 * d))
    groups = np.arange(16) % 2
    copies = choice._worse_by(losses_of(("words",), d, groups=groups), losses_of(("words",), 0 * d, groups=groups))
    assert alone == pytest.approx((0.1, 0.2 / 4))
    assert copies == pytest.approx((0.1, 0.2 * np.sqrt(2) / 2))


def test_of_candidates_with_as_many_kinds_the_one_with_the_least_loss_is_chosen():
    tried = [losses_of(("words", "pairs"), [1.0, 3.0]), losses_of(("words", "chars"), [1.0, 2.9])]
    assert choice._best(tried) == 1


def test_at_most_twelve_candidates_are_tried():
    assert len(auto().fit(corpus(40)).recipe.choice) <= 12


@pytest.mark.parametrize("n", [3, 17, 1000])
def test_at_most_so_many_documents_take_part(n, monkeypatch):
    monkeypatch.setattr(choice, "MAX_DOCUMENTS", n)
    (part,) = counted(corpus(120), auto().recipe.terms_of)
    assert len(choice._sampled(part)) == min(n, 120)


def test_cross_validation_chooses_in_every_fold_by_the_training_documents():
    documents = corpus(60)
    recipe = auto().recipe
    tokenized = TokenizedDocuments.from_documents([recipe], documents)
    folds = np.array([[i % 2 for i in range(60)]])
    (found,) = cross_validated({"auto": recipe}, tokenized, folds)
    for fold in range(2):
        training = [d for i, d in enumerate(documents) if i % 2 != fold]
        test = [d for i, d in enumerate(documents) if i % 2 == fold]
        expected = auto().fit(training).predict_log_proba(test)
        assert found.log_probabilities[0, folds[0] == fold] == pytest.approx(expected)


def test_refit_can_choose_again_with_the_terms_that_the_file_has(tmp_path):
    documents = corpus(100)
    classifier = TextClassifier("multinomial", tokenizer="words", alpha="evidence").fit(documents)
    classifier.refit(choose=True)
    terms = ("words", "chars")
    expected = choose(
        replace(auto().recipe, analyzer=Analyzer(terms=terms), choose_terms=False),
        next(counted(documents, TextClassifier("multinomial", tokenizer="words").recipe.terms_of)),
    )
    assert (classifier.recipe.model, classifier.recipe.alpha) == (expected.model, expected.alpha)
    assert classifier.recipe.analyzer.terms == terms
    fresh = TextClassifier.from_recipe(classifier.recipe).fit(documents)
    classifier.save(tmp_path / "a")
    fresh.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_choosing_again_keeps_nothing_that_the_new_recipe_does_not_need(tmp_path, monkeypatch):
    monkeypatch.setattr(choice, "SMALL_CLASS", 0)  # so that leave-one-out, which keeps histograms, is not chosen
    documents = corpus(100)
    classifier = TextClassifier("multinomial", tokenizer="words").fit(documents)
    assert classifier.learnt.histograms is not None
    classifier.refit(choose=True).save(tmp_path / "again")
    TextClassifier.from_recipe(classifier.recipe).fit(documents).save(tmp_path / "fresh")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "fresh").read_bytes()


@pytest.mark.parametrize("name", ["nb-logistic", "bernoulli", "mail"])
def test_a_model_that_auto_does_not_choose_cannot_become_another(name):
    classifier = TextClassifier(name, tokenizer="words").fit(corpus(40, n_classes=2))
    recipe, state = classifier.recipe, classifier.state
    with pytest.raises(InputError, match=f"model '{name}' cannot become another; --choose is for complement or multin"):
        classifier.refit(choose=True)
    assert (classifier.recipe, classifier.state) == (recipe, state)


def test_an_update_that_learns_nothing_or_fails_leaves_the_choice_open():
    classifier = auto().update([])
    assert classifier.recipe.model == "auto"
    with pytest.raises(NotLearntError):
        classifier.revise(add=corpus(10), remove=[Document("never", "seen")])
    assert classifier.recipe.model == "auto"
    assert classifier.update(corpus(60)).recipe == auto().fit(corpus(60)).recipe


def test_refit_refuses_to_choose_without_kept_documents():
    classifier = auto(sample=0).fit(corpus(60))
    with pytest.raises(InputError, match="no documents were kept"):
        classifier.refit(choose=True)


def test_learning_by_a_named_model_does_not_change_its_recipe():
    recipe = TextClassifier("complement", tokenizer="words").recipe
    assert learn(recipe, corpus(20))[0] is recipe


def test_leave_one_out_alphas_have_not_seen_the_half_that_they_score():
    classifier = TextClassifier("multinomial", alpha="leave-one-out", tokenizer="words", analyzer=Analyzer())
    classifier.fit(corpus(40, length=5))
    recipe, learnt, fitted = classifier.recipe, classifier.learnt, classifier.fitted
    examples = held_out._sample(recipe, learnt).examples
    first = held_out.first_equal_rows(examples.X)
    seen = []
    for alpha, here in held_out._alphas(recipe, learnt, fitted, examples, first):
        half = np.flatnonzero(np.isin(first, np.unique(first)[here]))
        rest = Fitted.of(recipe, learnt.without(examples.rows(half), recipe.weights))
        there, values = rest.vocabulary.columns, rest.fit.smoothing.alpha
        expected = np.array([values[there[t]] if t in there else values.min() for t in fitted.vocabulary.terms])
        assert alpha.sum() == pytest.approx(fitted.fit.smoothing.alpha.sum())
        assert alpha / alpha.sum() == pytest.approx(expected / expected.sum())
        seen += here.tolist()
    assert sorted(seen) == list(range(len(np.unique(first))))


def test_left_out_accuracy_of_leave_one_out_is_not_optimistic():
    """Classes are drawn at random, so nothing can be learnt: left-out accuracy must be near one half."""
    chance = random.Random(0)
    documents = [Document(" ".join(chance.choices(WORDS, k=6)), chance.choice("ab"), str(i)) for i in range(300)]
    classifier = TextClassifier("multinomial", alpha="leave-one-out", tokenizer="words", analyzer=Analyzer())
    low, high = classifier.fit(documents).facts()["left out"]["accuracy"][1:]
    assert low <= 0.5 + 0.05
    assert high < 0.65

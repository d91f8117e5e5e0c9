from datetime import datetime

import numpy as np
import pytest
from small_models import put, rewritten, with_a_changed_byte

from textnb import Document, TextClassifier
from textnb.counts import counted
from textnb.counts.packed_vocabulary import PackedVocabulary
from textnb.errors import InputError, ModelFileError
from textnb.files.arrays import packed_strings
from textnb.files.count_file import read_counts, write_counts
from textnb.files.count_joining import merge_counts

DOCUMENTS = [
    Document("b a b", "x", "1.txt", group="thread", date=datetime(2002, 8, 31)),
    Document("", "y", "2.txt"),
    Document("梅 塩", "料理", "梅.txt", fields={"to": ["me"]}),
    Document("a", None, ""),
]
CLASSIFIER = TextClassifier(tokenizer="whitespace")
RECIPE = CLASSIFIER.recipe.terms_of


def counts_of(documents):
    (part,) = counted(documents, CLASSIFIER.recipe.terms_of)
    return part


@pytest.fixture
def path(tmp_path):
    write_counts(tmp_path / "corpus.counts", counts_of(DOCUMENTS), RECIPE)
    return tmp_path / "corpus.counts"


def test_documents_and_recipe_come_back(path):
    original = counts_of(DOCUMENTS)
    found, recipe = read_counts(path)
    assert recipe == RECIPE
    assert (found.X.toarray() == original.X.toarray()).all()
    for name in ("vocabulary", "labels", "digests", "ids", "groups", "days"):
        assert getattr(found, name) == getattr(original, name)


def test_two_files_of_equal_counts_are_equal_bytes(path, tmp_path):
    found, recipe = read_counts(path)
    write_counts(tmp_path / "again", found, recipe)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("cut", range(5))
def test_merging_files_equals_counting_all_documents_at_once(path, tmp_path, cut):
    parts = [part for part in (DOCUMENTS[:cut], DOCUMENTS[cut:]) if part]
    paths = [tmp_path / f"{i}.counts" for i in range(len(parts))]
    for each, part in zip(paths, parts, strict=True):
        write_counts(each, counts_of(part), RECIPE)
    merge_counts(paths, tmp_path / "whole")
    assert (tmp_path / "whole").read_bytes() == path.read_bytes()


def test_a_file_is_appended_to_by_merging_into_itself(path, tmp_path):
    more = [Document("z a", "x", "new.txt")]
    write_counts(tmp_path / "more", counts_of(more), RECIPE)
    merge_counts([path, tmp_path / "more"], path)
    write_counts(tmp_path / "all", counts_of([*DOCUMENTS, *more]), RECIPE)
    assert path.read_bytes() == (tmp_path / "all").read_bytes()


@pytest.mark.parametrize("budget", [1, 5, 20, 1000])
def test_within_a_term_budget_terms_are_exact_and_others_are_in_few_documents(tmp_path, budget):
    rng = np.random.default_rng(budget)
    made = [
        Document(" ".join(f"w{n}" for n in rng.zipf(1.4, rng.integers(0, 9)) if n < 500), "x", str(i))
        for i in range(200)
    ]
    paths = [tmp_path / f"{i}.counts" for i in range(8)]
    for i, each in enumerate(paths):
        write_counts(each, counts_of(made[i::8]), RECIPE)
    whole, joined = tmp_path / "whole", tmp_path / "joined"
    merge_counts(paths, whole)
    done = merge_counts(paths, joined, term_budget=budget)
    (every, _), (found, _) = read_counts(whole), read_counts(joined)
    assert found.dropped == done.dropped
    assert len(found.vocabulary) == done.n_terms == min(budget, len(every.vocabulary))
    assert (found.X.toarray() == every.on(found.vocabulary).X.toarray()).all()
    assert (found.ids, found.labels, found.digests) == (every.ids, every.labels, every.digests)
    containing = (every.X.toarray() > 0).sum(axis=0)
    absent = containing[found.vocabulary.places_of(every.vocabulary) < 0]
    assert absent.max(initial=0) <= found.dropped.most
    assert found.dropped.pairs == absent.sum()
    assert (whole.read_bytes() == joined.read_bytes()) == (budget == 1000)
    merge_counts([joined, joined], tmp_path / "twice")
    assert read_counts(tmp_path / "twice")[0].dropped == found.dropped.and_then(found.dropped)


def test_what_a_header_says_of_dropped_terms_is_checked(path):
    rewritten(path, "counts", lambda header, _: header.update(dropped=[1, "2", 3]))
    with pytest.raises(ModelFileError, match="the header does not say what was dropped"):
        read_counts(path)


def test_files_that_were_counted_in_different_ways_are_not_merged(path, tmp_path):
    other = TextClassifier(tokenizer="words").recipe.terms_of
    (part,) = counted(DOCUMENTS, other)
    write_counts(tmp_path / "other", part, other)
    with pytest.raises(InputError, match="other was counted with another tokenizer"):
        merge_counts([path, tmp_path / "other"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_documents_without_any_word_come_back(tmp_path):
    write_counts(tmp_path / "empty", counts_of([Document(""), Document("")]), RECIPE)
    found, _ = read_counts(tmp_path / "empty")
    assert found.X.shape == (2, 0)
    assert found.labels == (None, None)


@pytest.mark.parametrize("weighting", ["raw", "binary", "log"])
def test_learning_from_the_file_equals_learning_from_the_texts(tmp_path, weighting):
    labelled = DOCUMENTS[:3]
    write_counts(tmp_path / "labelled", counts_of(labelled), RECIPE)
    recipe = TextClassifier(tokenizer="whitespace", weighting=weighting).recipe
    assert recipe.learnt([read_counts(tmp_path / "labelled")[0]]) == recipe.learnt(labelled)


@pytest.mark.parametrize("weighting", ["raw", "binary", "log"])
@pytest.mark.parametrize("taught", [["a b 梅", "塩 塩 to:me", "c"], ["c", "d", "d d"]])
def test_answers_from_the_file_equal_answers_from_the_texts(path, weighting, taught):
    classifier = TextClassifier(tokenizer="whitespace", weighting=weighting).fit(taught, ["x", "y", "z"])
    found, _ = read_counts(path)
    np.testing.assert_allclose(
        classifier.fitted.log_proba_counted(found), classifier.predict_log_proba(DOCUMENTS), rtol=1e-12
    )


def test_a_file_is_looked_into_and_not_copied(tmp_path):
    write_counts(tmp_path / "c", counts_of([Document("a a b", "x"), Document("b c", "x"), Document("", "y")]), RECIPE)
    found, _ = read_counts(tmp_path / "c")
    assert found.X.data.dtype == np.uint8
    assert not any(array.flags.owndata or array.flags.writeable for array in (found.X.data, found.X.indices))
    assert isinstance(found.vocabulary, PackedVocabulary)
    assert not {"terms", "columns"} & found.vocabulary.__dict__.keys()
    assert found.labels[0] is found.labels[1]


def test_counts_above_a_byte_come_back(tmp_path):
    part = counts_of([Document("a " * 300 + "b", "x"), Document("b", "y")])
    assert part.X.max() == 300
    write_counts(tmp_path / "many", part, RECIPE)
    np.testing.assert_array_equal(read_counts(tmp_path / "many")[0].X.toarray(), part.X.toarray())


def test_files_with_the_name_of_the_label_of_each_document_are_read(path):
    original = counts_of(DOCUMENTS)

    def change(_, arrays):
        for name in ("labels", "groups"):
            del arrays[f"{name}.numbers"]
            arrays.update(packed_strings(name, [each or "" for each in getattr(original, name)]))

    rewritten(path, "counts", change)
    found, _ = read_counts(path)
    assert (found.labels, found.groups) == (original.labels, original.groups)


def test_ids_that_cannot_be_written_do_not_spoil_the_file(tmp_path):
    write_counts(tmp_path / "odd", counts_of([Document("a", id="bad\udcff.txt"), Document("b", id="b")]), RECIPE)
    assert read_counts(tmp_path / "odd")[0].ids == ("bad?.txt", "b")


def test_a_model_is_no_count_file(tmp_path):
    TextClassifier(tokenizer="whitespace").fit(["a"], ["x"]).save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="model holds a 'model', not a 'counts'"):
        read_counts(tmp_path / "model")


def test_any_one_byte_that_changes_is_noticed_or_does_not_matter(path, tmp_path):
    original = counts_of(DOCUMENTS)
    for data in with_a_changed_byte(path.read_bytes(), 150, seed=2):
        (tmp_path / "damaged").write_bytes(data)
        try:
            found, recipe = read_counts(tmp_path / "damaged")
        except ModelFileError:
            continue
        assert recipe == RECIPE
        assert found.digests == original.digests
        assert (found.X.toarray() == original.X.toarray()).all()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (put("counts.data", lambda data: -data.astype(np.int64)), "'counts' has entries out of order or not positive"),
        (put("counts.data", lambda data: data * np.nan), "'counts' has entries out of order or not positive"),
        (put("counts.indices", lambda columns: columns + 9), "'counts' is not a sparse matrix"),
        (put("counts.indptr", lambda ends: ends[:-1]), "'counts' is not a sparse matrix"),
        (put("vocabulary.bytes", lambda letters: letters[::-1].copy()), "vocabulary|UTF-8"),
        (put("vocabulary.ends", lambda ends: ends - 100), "'vocabulary' do not end where they should"),
        (put("labels.ends", lambda ends: ends[[-1]]), "'labels' do not fit together"),
        (put("labels.numbers", lambda numbers: numbers[:2]), "differ in number"),
        (put("ids.bytes", lambda letters: letters | 128), "'ids' are not UTF-8"),
        (put("digests", lambda digests: digests[:, :8].copy()), "differ in number"),
        (put("digests", lambda digests: digests[:2]), "differ in number"),
        (put("digests", lambda digests: digests.reshape(-1)), "'digests' is missing or of another kind"),
        (lambda _, arrays: arrays.pop("groups.ends"), "'groups.ends' is missing"),
        (lambda header, _: header.pop("recipe"), "recipe"),
        (lambda header, _: header.update(recipe="words"), "recipe"),
    ],
)
def test_content_that_does_not_fit_together_is_refused_by_name(path, change, complaint):
    rewritten(path, "counts", change)
    with pytest.raises(ModelFileError, match=rf"corpus.counts: .*({complaint})"):
        read_counts(path)

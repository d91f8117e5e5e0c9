"""A cluster of processes on this machine: the results equal those of one process, whatever happens to the workers."""

import csv

import pytest
from made_corpora import documents
from small_clusters import small_cluster, write_corpus

from textnb import Analyzer, Document, TextClassifier
from textnb.comparison import TokenizedDocuments, compare
from textnb.counts import Learnt, counted
from textnb.errors import InputError
from textnb.files.count_file import read_counts, write_counts
from textnb.files.count_joining import merge_counts
from textnb.readers import read_corpus

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'textnb[dask]'")

from textnb.distributed import count, counting, cross_validate, fit, predict, training  # noqa: E402
from textnb.distributed.workers import TaskResult, added  # noqa: E402

KILLING = {"tokenizer": "cluster_tokenizers:killing_once", "analyzer": Analyzer()}


@pytest.fixture(scope="module")
def client():
    with small_cluster() as connected:
        yield connected


def saved(classifier, path):
    classifier.save(path)
    return path.read_bytes()


def test_a_model_is_the_same_file_if_a_worker_is_killed(client, tmp_path):
    paths = write_corpus(tmp_path / "c", killing=True)
    many = fit(client, TextClassifier("multinomial", **KILLING), paths, split_every=2)
    assert (tmp_path / "c" / "killed").exists()
    one = TextClassifier("multinomial", **KILLING).fit(read_corpus(paths))
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")


@pytest.mark.parametrize(("number", "entries"), [(120, 500), (300, 20_000_000), (300, 2_000)])
def test_auto_chooses_as_on_one_machine_also_by_the_first_documents_of_many(
    client, tmp_path, monkeypatch, number, entries
):
    from textnb.classifier import choice
    from textnb.counts import counting

    monkeypatch.setattr(choice, "ENTRIES", entries)
    monkeypatch.setattr(training, "ENTRIES", entries)
    monkeypatch.setattr(counting, "BATCH_DOCUMENTS", 16)
    paths = write_corpus(tmp_path / "c", number=number)
    many = fit(client, TextClassifier("auto"), paths, parts=tmp_path / "parts")
    one = TextClassifier("auto").fit(read_corpus(paths))
    assert many.recipe.choice
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")


@pytest.mark.parametrize("model", ["logistic", "nb-logistic", "ensemble"])
@pytest.mark.parametrize("stored", [True, False])
def test_a_model_of_documents_is_fitted_to_joined_count_files(client, tmp_path, monkeypatch, model, stored):
    read, parts = [], tmp_path / "parts" if stored else None
    monkeypatch.setattr(counting, "read_counts", lambda *of: read.append(of[0]) or read_counts(*of))
    paths = write_corpus(tmp_path / "c", n_files=3)
    (tmp_path / "c" / "part3.csv").write_text("id,text,label\n")  # a partition without documents
    killed = tmp_path / "parts" / ".textnb.abcdefgh.joined"
    killed.mkdir(parents=True)
    many = fit(client, TextClassifier(model, tokenizer="words"), paths, parts=parts)
    one = TextClassifier(model, tokenizer="words").fit(read_corpus(paths))
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")
    assert [path.name for path in read] == ["whole.counts"]  # nothing else is loaded here
    assert not read[0].exists()
    assert not stored or len([*parts.iterdir()]) == 4  # what a run that was killed left is gone


def test_auto_with_kept_documents_learns_what_it_has_counted_before(client, tmp_path):
    paths = write_corpus(tmp_path / "c")
    many = fit(client, TextClassifier("auto", weighting="tfidf-l2"), paths)
    one = TextClassifier("auto", weighting="tfidf-l2").fit(read_corpus(paths))
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")


def test_a_rerun_with_stored_counts_keeps_the_kind_of_the_labels(client, tmp_path):
    bag = pytest.importorskip("dask.bag", reason="needs Dask")
    pairs = bag.from_sequence([(d.text, ord(d.label)) for d in documents(40)], npartitions=3)
    for model in ("multinomial", "logistic"):
        runs = [fit(client, TextClassifier(model, tokenizer="words"), pairs, parts=tmp_path / model) for _ in range(2)]
        assert runs[0].classes_.dtype.kind == "i"
        assert runs[0].classes_.tolist() == runs[1].classes_.tolist()


def test_auto_chooses_within_a_term_budget_also_for_small_classes(client, tmp_path):
    paths = write_corpus(tmp_path / "c", number=45)
    many = fit(client, TextClassifier(term_budget=1000), paths)
    one = TextClassifier(term_budget=1000).fit(read_corpus(paths))
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")


def test_no_sum_has_more_terms_than_the_budget(client, tmp_path):
    paths = write_corpus(tmp_path / "c", n_files=9)
    many = fit(client, TextClassifier("multinomial", tokenizer="words", term_budget=12), paths, split_every=2)
    exact = TextClassifier("multinomial", tokenizer="words").fit(read_corpus(paths)).learnt.counts
    found, dropped = many.learnt.counts, many.learnt.dropped
    assert found.n_terms == 12
    lost = exact.selected(exact.vocabulary.columns_of(found.vocabulary)).containing.sum(axis=0)
    lost = lost - found.containing.sum(axis=0)
    assert 0 <= lost.min() <= lost.max() <= dropped.most
    absent = exact.containing.sum(axis=0)[found.vocabulary.places_of(exact.vocabulary) < 0]
    assert absent.max() <= dropped.most
    sums = [TaskResult(Learnt.of(next(counted([d], many.recipe.terms_of)), many.recipe.weights, many.recipe.keeps))
            for d in documents(60)]  # fmt: skip
    assert added(sums, 12).value.counts.n_terms == 12


def test_counts_are_written_once_and_joined_like_one_run(client, tmp_path):
    paths = write_corpus(tmp_path / "c")
    classifier = TextClassifier(**KILLING)
    files = count(client, classifier, paths, tmp_path / "parts")
    times = [path.stat().st_mtime_ns for path in files]
    assert count(client, classifier, paths, tmp_path / "parts") == files
    assert [path.stat().st_mtime_ns for path in files] == times
    whole = merge_counts(files, tmp_path / "many", trust=["cluster_tokenizers:killing_once"])
    corpora = sorted((tmp_path / "c").glob("*.csv"))
    one = TokenizedDocuments.from_documents(
        [classifier.recipe],
        [Document(d.text, d.label, f"{path}:{d.id}") for path in corpora for d in read_corpus(path)],
    )
    write_counts(tmp_path / "one", one.of_recipe(classifier.recipe), classifier.recipe.terms_of)
    assert whole.n_documents == 120
    assert (tmp_path / "many").read_bytes() == (tmp_path / "one").read_bytes()
    with (tmp_path / "c" / "part0.csv").open("a") as stream:
        stream.write("new,w1 w2,x\n")
    with pytest.raises(InputError, match=r"parts holds 1 files that are no part of this run, such as part0\.csv-"):
        count(client, classifier, paths, tmp_path / "parts")


@pytest.mark.parametrize("sent", [True, False])
def test_answers_are_those_of_one_machine_and_finished_tables_stay(client, tmp_path, sent):
    paths = write_corpus(tmp_path / "c", n_files=3)
    model = TextClassifier("multinomial", **KILLING).fit(documents(60)) if sent else None
    if model is None:
        model = TextClassifier("multinomial", tokenizer="words").fit(documents(60))
        model.save(tmp_path / "m.textnb")
    tables = predict(client, model if sent else tmp_path / "m.textnb", paths, tmp_path / "answers", form="csv")
    assert len(tables) == 3
    rows = [row for table in tables for row in csv.DictReader(table.read_text().splitlines())]
    texts = [d.text for d in read_corpus(paths)]
    assert [row["text"] for row in rows] == texts
    assert [row["textnb_label"] for row in rows] == model.predict(texts).tolist()
    assert [row["probability"] for row in rows] == [f"{p:.4f}" for p in model.predict_proba(texts).max(axis=1)]
    tables[0].write_text("finished")
    predict(client, model if sent else tmp_path / "m.textnb", paths, tmp_path / "answers", form="csv")
    assert tables[0].read_text() == "finished"


def without_times(comparison):
    found = comparison.json
    del found["advice"]
    return found | {"recipes": [{k: v for k, v in row.items() if "seconds" not in k} for row in found["recipes"]]}


def test_cross_validation_is_that_of_one_machine(client, tmp_path):
    paths = write_corpus(tmp_path / "c", n_files=3)
    asked = {"multinomial": TextClassifier("multinomial", **KILLING), "auto": TextClassifier(**KILLING)}
    many = cross_validate(client, asked, paths, folds=2, repeats=2)
    recipes = {name: each.recipe for name, each in asked.items()}
    one = compare(
        recipes, TokenizedDocuments.from_documents(recipes.values(), [*read_corpus(paths)]), folds=2, repeats=2
    )
    assert without_times(many) == without_times(one)


def test_a_bag_is_learnt_with_labels_of_their_kind(client, tmp_path):
    bag = pytest.importorskip("dask.bag", reason="needs Dask")
    made = documents(40)
    texts, labels = [d.text for d in made], [ord(d.label) for d in made]
    one = TextClassifier("multinomial", tokenizer="words").fit(texts, labels)
    pairs = bag.from_sequence(list(zip(texts, labels, strict=True)), npartitions=3)
    many = fit(client, TextClassifier("multinomial", tokenizer="words"), pairs)
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")


def test_row_groups_of_a_parquet_file_are_partitions(client, tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    from pyarrow import parquet

    from textnb.distributed.partitions import as_source
    from textnb.readers import columnar

    monkeypatch.setattr(columnar, "PART_ROWS", 1)
    made = documents(60)
    table = pyarrow.table({"text": [d.text for d in made], "label": [d.label for d in made]})
    parquet.write_table(table, tmp_path / "c.parquet", row_group_size=16)
    source = as_source(tmp_path / "c.parquet")
    assert len(source.partitions) == 4
    many = fit(client, TextClassifier("complement", tokenizer="words"), source)
    one = TextClassifier("complement", tokenizer="words").fit(read_corpus(tmp_path / "c.parquet"))
    assert saved(many, tmp_path / "many") == saved(one, tmp_path / "one")


@pytest.mark.parametrize(
    ("tokenizer", "text", "match"),
    [
        (
            "failing",
            "FAIL w1",
            r"part1\.csv: document 'd9' cannot be processed: the tokenizer \S+ failed: ZeroDivisionError",
        ),
        ("failing", "", r"part1\.csv, line 62: no label in 'label'"),
    ],
)
def test_a_document_that_always_fails_ends_the_run_with_its_file(client, tmp_path, tokenizer, text, match):
    paths = write_corpus(tmp_path / "c", n_files=2)
    with (tmp_path / "c" / "part1.csv").open("a") as stream:
        stream.write(f"d9,{text},{'x' if text else ''}\n")
    classifier = TextClassifier("multinomial", tokenizer=f"cluster_tokenizers:{tokenizer}", analyzer=Analyzer())
    with pytest.raises(InputError, match=match) as error:
        fit(client, classifier, paths)
    assert "\n" not in str(error.value)


def test_what_could_not_be_read_is_counted_here(client, tmp_path):
    write_corpus(tmp_path / "c", n_files=2)
    folder = tmp_path / "c"
    folder.joinpath("part1.csv").write_bytes(folder.joinpath("part1.csv").read_bytes() + b"b,w1 \xff\xfe w2,x\n")
    with pytest.warns(UserWarning, match=r"part1\.csv: 1 of \d+ documents could not be decoded"):
        fit(client, TextClassifier("multinomial", tokenizer="words"), str(folder / "*.csv"))

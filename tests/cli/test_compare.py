"""compare, curve, tune and calibrate, called where a process each would cost more than what they do."""

import csv
import io
import json
import shlex
import tomllib

import pytest
from click.testing import CliRunner
from made_corpora import documents

from textnb import TextClassifier
from textnb.cli import app
from textnb.comparison.recipes import recipe_of
from textnb.errors import InputError

RECIPES = """
[[recipe]]
name = "plain"
alpha = 0.5
calibrate = false

[[recipe]]
name = "pairs"
ngram = "1-2"
calibrate = false
"""


def asked(*arguments):
    """Standard output of a verb; an error of textnb's own is raised."""
    done = CliRunner().invoke(app, [*map(str, arguments), "--quiet", "--jobs", "1"], env={"COLUMNS": "120"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def written(path, texts):
    """Path of a table with texts and the labels of made-up documents."""
    lines = [{"text": text, "label": each.label} for text, each in zip(texts, documents(40), strict=True)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Table in which four documents repeat others."""
    return written(tmp_path_factory.mktemp("corpus") / "made.jsonl", [each.text for each in documents(40)])


@pytest.fixture
def distinct(tmp_path):
    """Table in which no document repeats another."""
    return written(tmp_path / "distinct.jsonl", [f"{each.text} n{i}" for i, each in enumerate(documents(40))])


@pytest.fixture
def recipes(tmp_path):
    path = tmp_path / "recipes.toml"
    path.write_text(RECIPES)
    return path


def without_seconds(text):
    result = json.loads(text)
    for row in result["recipes"]:
        del row["fit_seconds"], row["predict_seconds"]
    return result


def test_compare_shows_json_and_csv_the_same_numbers(table, recipes):
    common = ("compare", table, "--recipes", recipes, "--folds", "3", "--tokenizer", "words")
    shown, coded, listed = asked(*common), json.loads(asked(*common, "--json")), asked(*common, "--csv")
    rows = list(csv.DictReader(io.StringIO(listed)))
    assert [row["recipe"] for row in rows] == [row["name"] for row in coded["recipes"]]
    for row, its in zip(rows, coded["recipes"], strict=True):
        for name in ("accuracy", "macro_f1", "log_loss", "brier", "ece"):
            ends = [float(row[f"{name}{end}"]) for end in ("", "_low", "_high")]
            assert ends == [its[name][end] for end in ("value", "low", "high")]
            assert f"{its[name]['value']:.4f}" in shown
    assert rows[0]["mcnemar_p"] == "" != rows[1]["mcnemar_p"]
    assert "40 documents in" in shown


def test_compare_is_the_same_from_a_count_file_and_for_the_same_seed(table, tmp_path):
    file = tmp_path / "made.counts"
    asked("count", table, "-o", file, "--tokenizer", "words")
    options = ("--models", "multinomial,bernoulli", "--no-calibrate", "--folds", "3", "--seed", "4", "--json")
    from_texts = without_seconds(asked("compare", table, "--tokenizer", "words", "--terms", "words", *options))
    assert from_texts == without_seconds(asked("compare", file, *options))
    assert from_texts != without_seconds(asked("compare", file, *options[:-2], "5", "--json"))


def test_compare_by_evidence_holds_nothing_out(table, tmp_path):
    path = tmp_path / "alphas.toml"
    path.write_text(
        "".join(f"[[recipe]]\nname = 'a{alpha}'\nmodel = 'multinomial'\nalpha = {alpha}\n" for alpha in (0.01, 1, 100))
    )
    common = ("compare", table, "--tokenizer", "words", "--recipes", path, "--criterion", "evidence")
    coded = json.loads(asked(*common, "--json"))
    values = [row["value"] for row in coded["recipes"]]
    assert values == sorted(values, reverse=True)
    assert coded["recipes"][-1]["name"] == "a0.01"
    assert f"{values[0]:.4f}" in asked(*common)
    assert asked(*common, "--csv").splitlines()[-1].startswith(f"a0.01,multinomial,0.01,{values[-1]}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--models", "multinomial", "--recipes", "r.toml"], "--models and --recipes exclude each other"),
        (["--models", "multinomial,multinomial"], "--models names a model twice"),
        (["--models", "nonsense"], "--models: unknown model 'nonsense'"),
        (["--recipes", "none.toml"], "none.toml: the recipes cannot be read"),
        (["--json", "--csv"], "--json and --csv exclude each other"),
        (["--criterion", "bic", "--models", "multinomial"], "has no bic"),
        (["--folds", "50", "--models", "multinomial"], "cannot fill 50 folds; use fewer folds"),
    ],
)
def test_compare_refuses_what_does_not_go(table, arguments, message):
    with pytest.raises(InputError, match=message):
        asked("compare", table, "--tokenizer", "words", *arguments)


def test_compare_refuses_options_for_text_and_other_ways_of_cutting_with_a_count_file(table, tmp_path, recipes):
    file = tmp_path / "made.counts"
    asked("count", table, "-o", file, "--tokenizer", "words")
    with pytest.raises(InputError, match="is tokenized already; leave out the options for text"):
        asked("compare", file, "--tokenizer", "words")
    with pytest.raises(InputError, match="has no pairs; count the corpus again with --terms words,pairs"):
        asked("compare", file, "--recipes", recipes)


def test_curve_prints_a_table_for_each_recipe(table, recipes):
    common = ("curve", table, "--recipes", recipes, "--tokenizer", "words", "--folds", "2", "--sizes", "6,12")
    shown, coded = asked(*common), json.loads(asked(*common, "--json"))
    assert [each["name"] for each in coded["curves"]] == ["plain", "pairs"]
    for each in coded["curves"]:
        assert [point["documents"] for point in each["points"]] == [6, 12]
        for point in each["points"]:
            assert f"{point['accuracy']['value']:.4f}" in shown
            assert f"{point['log_loss']['low']:.4f} to {point['log_loss']['high']:.4f}" in shown


def test_compare_and_curve_write_pages(table, recipes, tmp_path):
    common = ("--recipes", recipes, "--tokenizer", "words", "--folds", "2")
    page, curves = tmp_path / "c.html", tmp_path / "curves.html"
    coded = json.loads(asked("compare", table, *common, "--html", page, "--lang", "ja", "--json"))
    for row in coded["recipes"]:
        assert f"{row['accuracy']['value']:.4f}" in page.read_text(encoding="utf-8")
    assert "made.jsonl" in page.read_text(encoding="utf-8")
    asked("curve", table, *common, "--sizes", "6,12", "--html", curves)
    assert curves.read_text(encoding="utf-8").count("<svg") == 2


def test_pages_do_not_take_the_place_of_other_files(table, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="not an HTML page"):
        asked("compare", table, "--html", tmp_path / "mine.txt")
    with pytest.raises(InputError, match="--html needs a cross-validation"):
        asked("compare", table, "--html", tmp_path / "new.html", "--criterion", "evidence")


def test_curve_refuses_sizes_that_are_no_numbers(table):
    with pytest.raises(InputError, match="--sizes takes whole numbers separated by commas"):
        asked("curve", table, "--sizes", "1e3")


def test_tune_prints_a_recipe_that_train_takes(distinct, tmp_path):
    options = ["--vary", "alpha=0.1,2", "--vary", "weight-norm=true", "--vary", "min_df=2", "--vary", "ngram=1-2"]
    common = ("tune", distinct, "--tokenizer", "words", "--model", "complement", "--no-calibrate", "--folds", "2")
    coded = json.loads(asked(*common, *options, "--json"))
    shown = asked(*common, *options)
    assert f"{coded['train']} -o MODEL" in shown
    assert coded["toml"] in shown
    assert (coded["by"], len(coded["candidates"])) == ("log_loss", 2)
    asked(*shlex.split(coded["train"])[1:], "-o", tmp_path / "m.textnb")
    trained = TextClassifier.load(tmp_path / "m.textnb").recipe
    assert trained.json == coded["recipe"]
    (parts,) = tomllib.loads(coded["toml"])["recipe"]
    del parts["name"]
    assert recipe_of(parts, TextClassifier().recipe).json == coded["recipe"]


def test_tune_goes_by_evidence_where_there_is_one(table):
    coded = json.loads(asked("tune", table, "--tokenizer", "words", "--vary", "alpha=0.001,evidence", "--json"))
    assert (coded["by"], coded["estimate"]) == ("evidence", None)
    assert coded["train"] == f"textnb train {table} --tokenizer words --model multinomial --alpha evidence"


@pytest.mark.parametrize("given", ["alpha", "=1", "alpha="])
def test_tune_refuses_what_it_cannot_vary(table, given):
    with pytest.raises(InputError, match="--vary takes KEY=VALUES, as in"):
        asked("tune", table, "--tokenizer", "words", "--vary", given)


def test_calibrate_changes_the_model_and_info_says_so(distinct, tmp_path):
    model, other = tmp_path / "m.textnb", tmp_path / "other.textnb"
    asked("train", distinct, "--tokenizer", "words", "-o", model)
    held_out = tmp_path / "held-out.jsonl"
    lines = [{"text": each.text + " new", "label": each.label} for each in documents(30, seed=8)]
    held_out.write_text("\n".join(map(json.dumps, lines)))
    before = model.read_bytes()
    asked("calibrate", model, held_out, "-o", other)
    assert model.read_bytes() == before
    asked("calibrate", model, held_out)
    assert model.read_bytes() == other.read_bytes() != before
    asked("update", model, held_out)
    states = [
        json.loads(CliRunner().invoke(app, ["info", str(path), "--json"]).stdout)["calibration"]["state"]
        for path in (other, model)
    ]
    assert states == ["held-out", "stale"]


def test_calibrate_refuses_documents_that_were_learnt_and_models_that_are_not_there(distinct, tmp_path):
    model = tmp_path / "m.textnb"
    asked("train", distinct, "--tokenizer", "words", "-o", model)
    before = model.read_bytes()
    with pytest.raises(InputError, match="40 of 40 documents have been learnt"):
        asked("calibrate", model, distinct)
    assert model.read_bytes() == before
    with pytest.raises(InputError, match="does not exist; train a model first"):
        asked("calibrate", tmp_path / "none.textnb", distinct)

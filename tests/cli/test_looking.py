import json
import math

import pytest

from textnb import TextClassifier


def test_test_prints_the_numbers_and_json_the_same(run, model, corpus):
    shown, coded = run("test", model, corpus), run("test", model, corpus, "--json")
    assert shown.code == coded.code == 0
    result = json.loads(coded.out)
    assert result["documents"] == 5
    assert result["accuracy"] == 1.0
    assert result["confusion"] == [[3, 0], [0, 2]]
    assert "1.0000" in shown.out
    assert f"{result['log_loss']:.4f}" in shown.out


def test_test_names_classes_that_the_model_does_not_know(run, model, tmp_path):
    for label, text in {"weather": "dog", "pets": "cat"}.items():
        (tmp_path / "new" / label).mkdir(parents=True)
        (tmp_path / "new" / label / "1.txt").write_text(text)
    done = run("test", model, "new", "--json").ok
    result = json.loads(done.out)
    assert result["unknown"] == ["weather"]
    assert result["accuracy"] == 0.5
    assert result["log_loss"] is None
    warning = "1 of 2 documents count as mistakes: the model does not know weather; it has food, pets"
    assert done.err == f"textnb: warning: {warning}\n"


def test_a_test_without_a_label_that_the_model_knows_is_refused(run, model, tmp_path):
    (tmp_path / "new.csv").write_text("text,label\ndog,weather\negg,Food\n")
    for options in ([], ["--json"], ["--html", "page.html"]):
        refused = run("test", model, "new.csv", *options).refusal
        assert "the labels are Food, weather; the classes are food, pets" in refused
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(("learnt", "new"), [(5, 0), (1, 0), (3, 2), (1, 4), (0, 3)])
def test_a_test_says_how_many_of_its_documents_the_model_has_learnt(run, model, corpus, tmp_path, learnt, new, counted):
    known = [(path.read_text(), path.parent.name) for path in sorted(corpus.rglob("*.txt"))][:learnt]
    others = [(f"dog {n}", "pets") for n in range(new)]
    (tmp_path / "t.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in known + others))
    if counted:
        assert run("count", "t.csv", "-o", "t.counts", "-q").ok
    done = run("test", model, "t.counts" if counted else "t.csv", "--json", "--html", "page.html", "--lang", "en").ok
    assert json.loads(done.out)["learnt"] == learnt
    share = f"{learnt:,} of the {learnt + new:,} documents ({learnt / (learnt + new):.1%})"
    page = (tmp_path / "page.html").read_text()
    assert (f"warning: the model has learnt {share}" in done.err) == (learnt > 0)
    assert (f"The model has learnt {share}, which flatters it." in page) == (learnt > 0)


def test_a_learnt_text_under_another_label_is_no_learnt_document(run, model, tmp_path):
    (tmp_path / "t.csv").write_text("text,label\ndog cat dog,food\n")
    done = run("test", model, "t.csv", "--json").ok
    assert (json.loads(done.out)["learnt"], done.err) == (0, "")


def test_explain_values_sum_to_the_score(run, model):
    done = run("explain", model, "--json", stdin="dog egg egg\n")
    result = json.loads(done.out)
    total = result["bias"] + math.fsum(part["value"] for part in result["contributions"])
    assert total == pytest.approx(result["score"], abs=1e-12)
    assert [(part["term"], part["start"], part["end"]) for part in result["contributions"]] == [
        ("dog", 0, 3),
        ("egg", 4, 7),
        ("egg", 8, 11),
    ]
    table = run("explain", model, "--label", "pets", "--against", "food", stdin="dog egg egg\n")
    assert "pets over food" in table.out
    assert "dog" in table.out


def test_explain_refuses_a_class_that_is_not_there(run, model):
    done = run("explain", model, "--label", "fish", stdin="dog\n")
    assert "unknown class 'fish'; the model has food, pets" in done.refusal


def test_info_tells_the_recipe_and_the_classes(run, model):
    result = json.loads(run("info", model, "--json").out)
    assert result["classes"] == {"food": 3, "pets": 2}
    assert result["documents"] == 5
    assert result["alpha"] == TextClassifier.load(model).recipe.alpha
    assert "multinomial" in run("info", model).out


def test_tokenize_prints_terms_or_tokens_with_their_places(run):
    assert run("tokenize", stdin="すもももももももものうち\n").out == "すもも も もも も もも の うち\n"
    assert run("tokenize", "--tokenizer", "chars", "--chars-n", "2", stdin="東京都\n").out == "東京 京都\n"
    done = run("tokenize", "--tokenizer", "janome", "--details", stdin="犬が走った\n")
    assert done.lines[0] == "id\tsurface\tbase\treading\tpos\tstart\tend"
    assert done.lines[3].split("\t")[1:3] == ["走っ", "走る"]


def test_one_input_line_is_one_line_of_terms(run):
    assert run("tokenize", "--tokenizer", "words", stdin="a b\n\nc\n").out == "a b\n\nc\n"


def test_details_show_the_tokens_that_are_counted_at_their_places(run):
    done = run("tokenize", "--details", "--tokenizer", "words", "--normalise", "nfkc,casefold", stdin="ＡＢＣ  Hello\n")
    assert [line.split("\t")[1::4] for line in done.lines[1:]] == [["abc", "0"], ["hello", "5"]]
    assert run("tokenize", "--details", "--ngram", "2", stdin="a\n").code == 2


def test_a_model_of_many_classes_is_tested_without_a_huge_table(run, tmp_path):
    (tmp_path / "many.csv").write_text("text,label\n" + "".join(f"word{i},class{i}\n" for i in range(40)))
    assert run("train", "many.csv", "-o", "many.textnb").code == 0
    done = run("test", "many.textnb", "many.csv").ok
    assert "confusion" not in done.out


def test_the_module_is_the_command(tmp_path):
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "textnb", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("textnb ")

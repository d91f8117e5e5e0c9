import pytest

from textnb import TextClassifier
from textnb.text import tokenizer
from textnb.text.morphemes import PACKAGES


@pytest.fixture
def needs():
    def packages_of(name):
        for package in PACKAGES[name]:
            pytest.importorskip(package, reason=f"needs textnb[{name}]")

    return packages_of


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("mecab", [], "国家 公務員 が 庭 を 走っ た"),
        ("mecab", ["--base-form", "--pos", "名詞", "--pos", "動詞"], "国家 公務員 庭 走る"),
        ("sudachi", [], "国家公務員 が 庭 を 走っ た"),
        ("sudachi", ["--mode", "A"], "国家 公務 員 が 庭 を 走っ た"),
        ("sudachi", ["--mode", "B", "--base-form", "--exclude-pos", "助詞"], "国家 公務員 庭 走る た"),
    ],
)
def test_the_options_of_an_analyser_reach_it(run, needs, name, options, expected):
    needs(name)
    done = run("tokenize", "--tokenizer", name, *options, stdin="国家公務員が庭を走った\n")
    assert (done.out, done.err, done.code) == (expected + "\n", "", 0)


def test_details_show_mecabs_places_behind_white_space(run, needs):
    needs("mecab")
    done = run("tokenize", "--tokenizer", "mecab", "--details", stdin="犬 が  走った\n")
    assert [line.split("\t")[1:] for line in done.lines[1:4]] == [
        ["犬", "犬", "イヌ", "名詞,一般,*,*", "0", "1"],
        ["が", "が", "ガ", "助詞,格助詞,一般,*", "2", "3"],
        ["走っ", "走る", "ハシッ", "動詞,自立,*,*", "5", "7"],
    ]


@pytest.mark.parametrize(("name", "options"), [("mecab", {"form": "base"}), ("sudachi", {"form": "base", "mode": "B"})])
def test_a_model_is_trained_and_asked_with_an_analyser(run, needs, ja_mini, tmp_path, name, options):
    needs(name)
    given = ["--tokenizer", name, "--base-form", *(["--mode", options["mode"]] if "mode" in options else [])]
    assert run("train", ja_mini / "train", "-o", "m.textnb", *given).code == 0
    assert TextClassifier.load(tmp_path / "m.textnb").recipe.tokenizer == tokenizer(name, **options)
    done = run("predict", "m.textnb", stdin="新しいフライパンで卵を焼いた。\n")
    assert "cooking" in done.out

import tracemalloc

import pytest

from textnb.cli import terminal
from textnb.cli.terminal import print_words


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("number", range(9))
def test_words_are_one_line_whatever_the_number_written_at_a_time(capsys, monkeypatch, size, number):
    monkeypatch.setattr(terminal, "_WORDS_AT_A_TIME", size)
    words = [f"語{i}" for i in range(number)]
    print_words(iter(words))
    assert capsys.readouterr().out == " ".join(words) + "\n"


@pytest.mark.parametrize("tokenizer", ["words", "auto", "janome", "chars"])
@pytest.mark.parametrize("ngram", ["1", "1-2"])
def test_a_long_line_is_written_as_several_short_ones_would_be(run, monkeypatch, tokenizer, ngram):
    text = "今日は良い天気です。 It is fine today. "
    options = ("--tokenizer", tokenizer, "--ngram", ngram)
    expected = run("tokenize", *options, stdin=text * 40).ok.out
    monkeypatch.setattr(terminal, "_WORDS_AT_A_TIME", 5)
    assert run("tokenize", *options, stdin=text * 40).ok.out == expected


def test_a_long_line_needs_no_list_of_its_words(tmp_path, monkeypatch):
    words = ("word" for _ in range(2_000_000))
    with (tmp_path / "out").open("w", encoding="utf-8") as out:
        monkeypatch.setattr("sys.stdout", out)
        tracemalloc.start()
        print_words(f"{word}{i}" for i, word in enumerate(words))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (tmp_path / "out").stat().st_size > 10_000_000
    assert peak < 3_000_000

"""What new users do wrong, and the line that helps them, in English and in Japanese."""

import os
import pty
import subprocess
import sys

import pytest

JAPANESE = {"TEXTNB_LANG": "ja"}


@pytest.fixture
def folder(model, tmp_path):
    (tmp_path / "table.csv").write_text("text,label\nthe dog,pets\n")
    whole = (tmp_path / model).read_bytes()
    (tmp_path / "cut.textnb").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "words.csv").write_text("東京スカイツリー\n", encoding="utf-8")
    (tmp_path / "lines.txt").write_text("the dog")
    return tmp_path


CASES = [
    ("predict table.csv {model}", "the model comes first: textnb predict MODEL", "モデルを先に指定してください"),
    ("predict . table.csv", "a folder, not a model", "フォルダーで、モデルではありません"),
    ("predict cut.textnb table.csv", "is incomplete: its end is missing; copy it again", "途中で切れています"),
    (
        "tokenize lines.txt --tokenizer janome --user-dictionary words.csv",
        "three columns, the word, its part of speech and its reading, as in 東京スカイツリー,カスタム名詞,",
        "1 行に 3 列(語、品詞、読み)が必要です。例: 東京スカイツリー,カスタム名詞,",
    ),
    (
        "tokenize lines.txt --tokenizer janome --stop-words none.txt",
        "none.txt does not exist; --stop-words takes a text file",
        "none.txt がありません。--stop-words には",
    ),
]


@pytest.mark.parametrize(("command", "english", "japanese"), CASES)
def test_an_error_says_what_to_do(run, model, folder, command, english, japanese):
    words = command.format(model=model).split()
    assert english in run(*words).refusal
    assert japanese in run(*words, env=JAPANESE).refusal


def test_a_percentage_is_answered_with_its_number(run, model, folder):
    words = ["predict", model, "table.csv", "--unsure", "50%"]
    assert "write 0.5 in place of 50%" in run(*words).err
    assert "50% ではなく 0.5 と書いてください" in run(*words, env=JAPANESE).err
    assert run(*words).code == 2


def test_neither_data_nor_json_depend_on_the_language(run, model, folder):
    for words in (
        ["predict", model, "table.csv", "--unsure", "0.99"],
        ["words", model, "--format", "csv"],
        ["info", model, "--json"],
        ["test", model, "table.csv", "--json"],
        ["explain", model, "table.csv", "--json"],
    ):
        assert run(*words).ok.out == run(*words, env=JAPANESE).ok.out


def test_help_is_japanese_and_no_line_is_wider_than_the_page(run):
    from textnb.cli.verbs import VERBS
    from textnb.language import cells_of

    for name in VERBS:
        page = run(name, "--help", env=JAPANESE | {"COLUMNS": "80"}).ok.out
        assert page.startswith("使い方: textnb")
        examples = [line for line in page.splitlines() if line.startswith("      ")]
        wide = [line for line in page.splitlines() if cells_of(line) > 80 and line not in examples]
        assert wide == []


def test_a_command_that_waits_for_a_terminal_says_so(model, tmp_path):
    terminal, its_end = pty.openpty()
    program = [sys.executable, "-c", "from textnb.__main__ import main; main()", "predict", str(tmp_path / model)]
    process = subprocess.Popen(program, stdin=its_end, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.write(terminal, b"the dog\n\x04")
    _, said = process.communicate(timeout=60)
    os.close(terminal)
    os.close(its_end)
    assert said == b"reading from the terminal; end with Ctrl-D, or name a file\n"


INTERRUPTED_IMPORT = """
import builtins, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
from textnb.__main__ import main
load = builtins.__import__
def interrupted(name, *others, **more):
    if name == MODULE:
        os.kill(os.getpid(), signal.SIGINT)
    return load(name, *others, **more)
builtins.__import__ = interrupted
main()
"""


@pytest.mark.parametrize("module", ["textnb.cli", "click", "numpy"])
def test_an_interrupt_while_modules_are_loaded_is_one_line(tmp_path, module):
    program = INTERRUPTED_IMPORT.replace("MODULE", repr(module))
    command = [sys.executable, "-c", program, "train", str(tmp_path), "-o", str(tmp_path / "m.textnb")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.lstrip()) == (130, "", "textnb: interrupted\n")

"""Control characters in file names, class names and texts: escaped on a terminal, unchanged in a file or a pipe."""

import ast
import io
import os
import sys
import threading
import warnings
from pathlib import Path

import pytest

import textnb.cli
from textnb.cli import main
from textnb.cli.terminal import visible

pty = pytest.importorskip("pty")

TITLE = "\x1b]0;gone\x07"  # sets the title of the window; no program that textnb uses sends it
EVIL = f"e{TITLE}\x9b2J\x7f\u202e"
CONTROLS = [*map(chr, [*range(32), *range(127, 160)]), *"\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"]


class Terminal:
    """A terminal as standard output and standard error of commands in this process."""

    def __init__(self, monkeypatch, folder):
        self._patch, self._folder = monkeypatch, folder

    def __call__(self, *arguments, stdin=""):
        mine, its = pty.openpty()
        shown = bytearray()
        reading = threading.Thread(target=_read_all, args=(mine, shown))
        reading.start()
        with (
            open(its, "w", encoding="utf-8") as stream,  # noqa: PTH123
            self._patch.context() as patch,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("default")
            patch.chdir(self._folder)
            patch.setattr(sys, "argv", ["textnb", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            with warnings.catch_warnings(), pytest.raises(SystemExit):
                warnings.simplefilter("default")  # shown, as in a process of its own
                main()
        reading.join(10)
        os.close(mine)
        return shown.decode()


def _read_all(terminal, shown):
    try:
        while piece := os.read(terminal, 1 << 16):
            shown += piece
    except OSError:  # the other side is closed
        pass


@pytest.fixture
def terminal(monkeypatch, tmp_path):
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal(monkeypatch, tmp_path)


@pytest.fixture
def evil(tmp_path, run):
    """A corpus with control characters in all names and texts, and a model of it."""
    for label in ("a", EVIL):
        (tmp_path / "corpus" / label).mkdir(parents=True)
        for number in range(6):
            (tmp_path / "corpus" / label / f"{number}{EVIL}").write_text(
                f"{label} {EVIL}{number % 3}", encoding="utf-8"
            )
    (tmp_path / "corpus" / EVIL / "twin").write_text(f"a {EVIL}0", encoding="utf-8")
    (tmp_path / f"file{EVIL}").write_text(f"a {EVIL} a", encoding="utf-8")
    (tmp_path / "recipes.toml").write_text(
        f'[[recipe]]\nname = "{visible(EVIL)}"\nmodel = "multinomial"\n', encoding="utf-8"
    )
    for box in ("cur", "new", "tmp"):
        (tmp_path / "Maildir" / box).mkdir(parents=True)
    (tmp_path / "Maildir" / "new" / f"1{EVIL}").write_text(f"Subject: a {EVIL}\n\ne {EVIL}", encoding="utf-8")
    trained = run("train", "corpus", "-o", "m.textnb", "--tokenizer", "chars", "--ngram", "1-4", "-q")
    assert trained.ok
    return tmp_path


COMMANDS = {
    "predict": f"predict m.textnb file{EVIL}",
    "predict a folder": "predict m.textnb corpus --all-scores",
    "predict csv": f"predict m.textnb file{EVIL} --format csv --all-scores",
    "predict jsonl": f"predict m.textnb file{EVIL} --format jsonl",
    "explain": f"explain m.textnb file{EVIL}",
    "explain json": f"explain m.textnb file{EVIL} --json",
    "words": "words m.textnb",
    "words json": "words m.textnb --json",
    "info": "info m.textnb",
    "info json": "info m.textnb --json",
    "test": "test m.textnb corpus",
    "test json": "test m.textnb corpus --json",
    "compare": "compare corpus --recipes recipes.toml --folds 2",
    "curve": "curve corpus --recipes recipes.toml --folds 2",
    "tokenize": f"tokenize file{EVIL} --tokenizer chars",
    "tokenize details": f"tokenize file{EVIL} --tokenizer chars --details",
    "check": "corpus check corpus",
    "check json": "corpus check corpus --json",
    "train": f"train corpus -o out{EVIL} --tokenizer chars",
    "sort": "sort m.textnb Maildir",
    "missing": f"predict m.textnb missing{EVIL}",
    "wrong option": f"predict m.textnb --{EVIL}",
    "wrong value": f"predict m.textnb --unsure {EVIL}",
    "wrong verb": EVIL,
    "wrong label": f"explain m.textnb file{EVIL} --label no{EVIL}",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_verb_sends_control_characters_of_user_data_to_a_terminal(terminal, evil, name):
    shown = terminal(*COMMANDS[name].split(" "))
    assert "\\u001b]" in shown or "\\x1b]" in shown or "\\u009b" in shown, shown
    assert "\x1b]" not in shown
    assert not set(shown) & {"\x07", "\x9b", "\x7f", "\u202e"}


def test_in_a_pipe_rows_and_lines_stay_as_they_are(evil, run):
    for form in ("tsv", "csv", "jsonl"):
        out = run("predict", "m.textnb", f"file{EVIL}", "--format", form).ok.out
        assert (EVIL.replace("\x1b", "\\u001b").replace("\x07", "\\u0007") if form == "jsonl" else EVIL) in out
    assert " \x1b] " in run("tokenize", f"file{EVIL}", "--tokenizer", "chars").ok.out


@pytest.mark.parametrize("control", sorted(set(CONTROLS) - {"\t", "\n"}), ids=lambda c: f"{ord(c):04x}")
def test_each_control_character_is_escaped_as_in_json(control):
    assert visible(f"a{control}b") == f"a\\u{ord(control):04x}b"


def test_text_of_every_script_stays_as_it_is():
    text = "日本語\u3000「が」ｶﾞ é e\u0301 \U0001f469\u200d\U0001f467 \u05d0\u05d1 \u00a0\n\tend"
    assert visible(text) == text


def test_only_the_terminal_module_prints():
    folder = Path(textnb.cli.__file__).parent
    for path in folder.rglob("*.py"):
        calls = [node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        names = {ast.unparse(call) for call in calls} & {"print", "sys.stdout.write", "sys.stderr.write", "click.echo"}
        assert path.name == "terminal.py" or not names, path

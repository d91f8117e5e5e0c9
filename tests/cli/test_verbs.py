import gc
import os
import subprocess
import sys

import click
import pytest
from click.shell_completion import BashComplete, ShellComplete
from click.testing import CliRunner

from textnb.cli import app
from textnb.cli.verbs import VERBS


def command(name):
    return app.get_command(click.Context(app), name)


@pytest.mark.parametrize("name", VERBS)
def test_the_line_of_a_verb_is_the_first_paragraph_of_its_own_help(name):
    first = command(name).help.split("\n\n")[0]
    assert VERBS[name].line == " ".join(first.split())


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_that_is_called_is_the_one_that_was_named(name):
    done = CliRunner().invoke(app, [name, "--help"], prog_name="textnb", terminal_width=100)
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: textnb {name} ")
    assert VERBS[name].line in " ".join(done.output.split())


@pytest.mark.parametrize("name", VERBS)
def test_every_option_has_a_help_text_and_its_name_once(name):
    names = [each for param in command(name).params for each in (*param.opts, *param.secondary_opts)]
    assert len(names) == len(set(names))
    for param in command(name).params:
        assert getattr(param, "hidden", False) or getattr(param, "help", "") or getattr(param, "about", "")


def options_with_values():
    """Options of all verbs that take a value, each with the words that name its verb."""
    for name in VERBS:
        inner = getattr(command(name), "commands", {})
        for verb, words in [(command(name), [name]), *((each, [name, each.name]) for each in inner.values())]:
            for param in verb.params:
                if isinstance(param, click.Option) and not param.is_flag:
                    yield param, words


@pytest.mark.parametrize(
    ("param", "words"),
    [pytest.param(*each, id=" ".join([*each[1], each[0].opts[0]])) for each in options_with_values()],
)
def test_an_option_of_one_value_is_refused_where_it_is_given_twice(param, words):
    given = [word for name in (param.opts * 2)[:2] for word in (name, "1")]
    done = CliRunner().invoke(app, [*words, *given], prog_name="textnb")
    refused = f"Option '{param.opts[0]}' may be given once only; it was given 2 times." in done.output
    assert refused != param.multiple
    assert done.exit_code == 2 or param.multiple


@pytest.mark.parametrize("given", [["--calibrate", "--no-calibrate"], ["--no-calibrate", "--calibrate"]])
def test_yes_and_no_are_refused_together(given):
    done = CliRunner().invoke(app, ["train", "corpus", "-o", "model", *given], prog_name="textnb")
    assert (done.exit_code, "'--calibrate' may be given once only" in done.output) == (2, True)


def test_a_flag_may_be_repeated():
    done = CliRunner().invoke(app, ["corpus", "list", "--json", "--json"], prog_name="textnb")
    assert done.exit_code == 0


def test_the_help_lists_every_verb_in_order_with_its_line():
    done = CliRunner().invoke(app, ["--help"], terminal_width=100)
    shown = done.output.partition("Commands:\n")[2].partition("\n\n")[0]
    assert [" ".join(line.split()) for line in shown.splitlines()] == [f"{name} {v.line}" for name, v in VERBS.items()]


def complete(arguments, incomplete, shell=ShellComplete):
    found = shell(app, {}, "textnb", "_TEXTNB_COMPLETE").get_completions(arguments, incomplete)
    return {item.value: item.help for item in found}


def test_verbs_and_their_options_are_completed():
    assert complete([], "tr") == {"train": VERBS["train"].line}
    assert list(complete([], "")) == list(VERBS)
    assert {"--alpha", "--tokenizer"} <= set(complete(["train"], "--"))
    assert "--estimate" not in complete(["train"], "--")
    assert list(complete(["predict", "--format"], "")) == ["tsv", "csv", "jsonl", "parquet"]
    assert list(complete(["corpus"], "")) == ["check", "get", "list", "path"]
    assert complete(["nosuch"], "") == complete([], "")


def test_the_shells_own_script_is_printed_and_asks_the_command_line(run_alone):
    script = run_alone(env={"_TEXTNB_COMPLETE": "bash_source"})
    assert script.code == 0 and "_TEXTNB_COMPLETE=bash_complete" in script.out
    asked = {"_TEXTNB_COMPLETE": "bash_complete", "COMP_WORDS": "textnb pre", "COMP_CWORD": "1"}
    assert run_alone(env=asked).out == "plain,predict\n"
    assert BashComplete.name == "bash"
    assert "bash_source textnb" in CliRunner().invoke(app, ["--help"]).output


@pytest.mark.parametrize(("words", "heavy"), [("textnb pre", ["numpy"]), ("textnb train --al", ["janome", "rich"])])
def test_completion_loads_no_heavy_module(words, heavy):
    code = "import sys, atexit; from textnb.cli import main; atexit.register(lambda: print(*sys.modules)); main()"
    env = {"_TEXTNB_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **env}
    )
    answer, modules = done.stdout.splitlines()
    assert answer in ("plain,predict", "plain,--alpha")
    assert not {*heavy, "janome", "rich", "selectolax", "sklearn"} & set(modules.split())


def test_a_verb_that_is_not_known_is_refused_and_the_nearest_named(run):
    done = run("predic", env={"COLUMNS": "100"})
    assert (done.code, done.out) == (2, "")
    assert "No such command 'predic'. Did you mean 'predict'?" in done.err


@pytest.mark.parametrize("asked", ["--version", "--help", "nosuch"])
def test_what_needs_no_verb_loads_none(asked):
    code = "import sys, atexit; from textnb.cli import main; atexit.register(lambda: print(*sys.modules)); main()"
    done = subprocess.run([sys.executable, "-c", code, asked], capture_output=True, text=True, check=False)
    loaded_modules = set(done.stdout.splitlines()[-1].split())
    assert "textnb.cli.verbs" in loaded_modules
    assert not loaded_modules & {
        "numpy",
        "scipy",
        "textnb.cli.options.inputs",
        "textnb.cli.predict",
        "textnb.classifier.text_classifier",
    }


def test_garbage_is_not_looked_for_while_a_verb_is_loaded_and_is_again_when_it_runs():
    code = """
import atexit, gc, sys
collected = []
gc.callbacks.append(lambda phase, _: collected.append("textnb.corpus.fetch" in sys.modules) if phase == "start" else 0)
from textnb.__main__ import main
del collected[:]
atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 0, False in collected))
sys.argv = ["textnb", "corpus", "path", "ja-mini"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True True False"


def test_who_runs_the_command_line_in_a_process_of_their_own_keeps_their_garbage_collector(run):
    frozen = gc.get_freeze_count()
    assert run("corpus", "path", "ja-mini").code == 0
    assert gc.isenabled() and gc.get_freeze_count() == frozen


def test_a_missing_value_shows_the_usage_of_the_verb(run):
    done = run("learn", "m.textnb", "--as")
    assert done.code == 2
    assert done.err.startswith("Usage: textnb learn [OPTIONS] [MODEL]\n")
    assert done.err.endswith("Error: Option '--as' requires an argument.\n")


@pytest.mark.parametrize("columns", [60, 90])
def test_tables_are_as_wide_as_columns_says(run, columns):
    lines = run("corpus", "list", env={"COLUMNS": str(columns)}).lines
    assert {len(line) for line in lines if line.isascii() or "│" not in line} == {columns}


def test_a_tokenizer_of_ones_own_is_named_by_module_and_function(run):
    assert "module:function" in run("tokenize", "--tokenizer", "python", stdin="a b\n").misuse


def test_one_thing_is_counted_in_the_singular(run, tmp_path):
    (tmp_path / "one.csv").write_text("text,label\ndog,pets\n")
    assert "counted 1 document; one.counts has 1 term\n" in run("count", "one.csv", "-o", "one.counts").err
    done = run("train", "one.csv", "-o", "one.textnb")
    assert "learnt 1 document; one.textnb has 1 document, 1 class, 1 term\n" in done.err


def test_a_value_that_was_given_is_not_called_found(run, tmp_path):
    (tmp_path / "c.csv").write_text("text,label\ndog cat,pets\negg,food\n")
    given = run("train", "c.csv", "-o", "m.textnb", "--alpha", 1, "-v").err
    assert "alpha: 1\n" in given and "alpha found" not in given


def test_data_goes_to_standard_output_and_everything_else_to_standard_error(run, corpus, model, tmp_path):
    writing = [
        ["train", corpus, "-o", "chosen.textnb", "-v"],
        ["train", corpus, "--like", model, "-o", "other.textnb", "-v"],
        ["count", corpus, "-o", "other.counts"],
        ["update", model, corpus],
        ["forget", model, corpus],
        ["merge", model, "other.textnb", "-o", "merged.textnb"],
        ["refit", model],
    ]
    (tmp_path / "held-out.csv").write_text("text,label\ncat,pets\n")
    for arguments in writing:
        done = run(*arguments).ok
        assert done.out == "" and done.err, arguments
    for arguments in (
        ["words", model],
        ["info", model],
        ["models"],
        ["test", model, "held-out.csv"],
        ["predict", model, corpus],
    ):
        done = run(*arguments).ok
        assert done.out and done.err == "", arguments

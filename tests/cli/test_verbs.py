import gc
import inspect
import subprocess
import sys

import pytest

from textnb.cli.verbs import VERBS, loaded


@pytest.mark.parametrize("name", VERBS)
def test_the_line_of_a_verb_is_the_first_paragraph_of_its_own_help(name):
    first = inspect.cleandoc(loaded(name).help).split("\n\n")[0]
    assert VERBS[name].line == " ".join(first.split())


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_that_is_called_is_the_one_that_was_named(run, name):
    done = run(name, "--help", env={"COLUMNS": "200"})
    assert done.code == 0
    assert f" {name} " in next(line for line in done.lines if "Usage:" in line)
    assert " ".join(VERBS[name].line.replace("`", "").split()) in " ".join(done.out.split())


def test_the_help_lists_every_verb_in_order_with_its_line(run):
    shown = [line.strip("│ ") for line in run("--help", env={"COLUMNS": "200"}).lines if line.startswith("│")]
    listed = [" ".join(line.split()) for line in shown if not line.startswith("--")]
    assert listed == [f"{name} {verb.line.replace('`', '')}" for name, verb in VERBS.items()]


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

"""The verbs of ``textnb``, each loaded when it is called: the help, the version and a verb wait for no other verb.

A line of the table stands in the help of ``textnb``; it is the first paragraph of the verb's own help.
"""

import gc
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand
from typer.main import get_command

_GARBAGE = 20_000  # objects between two looks for garbage: documents are no garbage, and there are many


class Verb(NamedTuple):
    """Where a verb is written, under its own name, and its line in the help."""

    module: str
    line: str


VERBS = {
    "train": Verb("train", "Learn from a corpus and write a model file."),
    "predict": Verb("predict", "Classify documents: one row each, in their order, none left out."),
    "test": Verb("test", "Classify a labelled corpus and say how well it went."),
    "compare": Verb("compare", "Cross-validate models or recipes on a corpus, side by side."),
    "curve": Verb("compare", "Show how accuracy and log loss change with the number of training documents."),
    "tune": Verb("tune", "Find hyper-parameters of a model, and print the recipe to train with."),
    "calibrate": Verb("update", "Calibrate a model's probabilities on a corpus that it has not learnt."),
    "explain": Verb("explain", "Show what each word of a document adds to the score of its class over the next."),
    "words": Verb("words", "List the terms that speak for each class most."),
    "info": Verb("info", "Show what a model is made of: its recipe, its classes, what it has learnt."),
    "tokenize": Verb("count", "Cut text into terms: a line a document, a space between terms."),
    "update": Verb("update", "Learn more documents; the model is then what training on all of them gives."),
    "forget": Verb(
        "update",
        "Forget documents; the model is then as if it had never seen them. Documents never learnt are refused.",
    ),
    "merge": Verb(
        "update", "Add up models of the same recipe; the result is what training on all their documents gives."
    ),
    "count": Verb(
        "count", "Tokenise a corpus once and keep its counts; train and test take the file in place of the corpus."
    ),
    "filter": Verb("filter", "A mail from standard input to standard output, with a field that tells what it is:"),
    "learn": Verb("learn", "Learn one mail from standard input; one that is known already is not counted again."),
    "unlearn": Verb("learn", "Unlearn one mail from standard input; the model is then as if it had never seen it."),
    "refit": Verb("learn", "Fit a model anew to all that it has learnt, as after many corrections."),
    "filterd": Verb(
        "filter",
        "Filter mails for `textnb filter --socket PATH` until told to stop (SIGTERM), which is far quicker a mail.",
    ),
    "imap": Verb(
        "imap",
        "Move or flag the messages of an IMAP folder by their class; without `--apply` it is only said what would be "
        "done.",
    ),
    "sort": Verb(
        "sort",
        "Move or tag the messages of a Maildir by their class; without `--apply` it is only said what would be done.",
    ),
    "corpus": Verb("corpus", "Corpora by name: list, get, path, check."),
}


def add_verbs(app: typer.Typer) -> None:
    """All verbs in their order, none of them loaded yet."""
    for name, verb in VERBS.items():
        app.command(name, cls=_Unloaded, help=verb.line)(_never_called)


def loaded(name: str) -> Any:
    """The command of a verb."""
    from textnb.cli.options.inputs import grouped

    verb = getattr(import_module(f"textnb.cli.{VERBS[name].module}"), name)
    if isinstance(verb, typer.Typer):
        return get_command(verb)
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    alone.command(name)(grouped(verb))
    return get_command(alone)


class _Unloaded(TyperCommand):
    """A verb of which the help of ``textnb`` shows the line; whoever calls it, or completes it, gets the verb."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """A context of the verb itself, which parses its arguments and runs it."""
        context = loaded(str(self.name)).make_context(info_name, args, parent, **extra)
        if not gc.isenabled():  # by ``textnb.__main__``
            gc.freeze()
            gc.set_threshold(_GARBAGE)
            gc.enable()
        return context


def _never_called() -> None:
    """In place of a verb that is not loaded."""

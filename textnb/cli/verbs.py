"""Verbs of ``textnb``, each imported when it is called: help, version and completion import none of them.

`LazyGroup` is the lazily loading group of click's documentation. The line of a verb in the table below is its line in
``textnb --help`` and the first paragraph of its own help.
"""

import difflib
import gc
from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from textnb.cli.help_pages import SpokenGroup
from textnb.language import spoken

MAX_NEW_OBJECTS = 20_000
"""New objects before the garbage collector runs; documents are many and are not garbage."""


class VerbLine(NamedTuple):
    """A verb in the table: the module of `textnb.cli` that has it, under its own name, and its line in the help."""

    module: str
    line: str


VERBS = {
    "train": VerbLine("train", "Learn from a corpus and write a model file."),
    "predict": VerbLine("predict", "Classify documents: one row per document, in their order."),
    "test": VerbLine("test", "Classify a labelled corpus and measure the answers."),
    "compare": VerbLine("compare", "Cross-validate models or recipes on a corpus, side by side."),
    "curve": VerbLine("compare", "Show how accuracy and log loss change with the number of training documents."),
    "tune": VerbLine("tune", "Search hyper-parameters of a model and print the recipe to train with."),
    "calibrate": VerbLine("update", "Calibrate a model's probabilities on a corpus that it has not learnt."),
    "explain": VerbLine("explain", "Show what each word of a document adds to the score of its class."),
    "words": VerbLine("words", "List the terms that are most typical of each class."),
    "info": VerbLine("info", "Show the recipe, the classes and the size of a model file."),
    "models": VerbLine("info", "List the models, or the options of one model."),
    "tokenize": VerbLine("count", "Tokenize text: one line per document, terms separated by spaces."),
    "update": VerbLine("update", "Learn more documents; the result equals training on all of them."),
    "forget": VerbLine("update", "Forget documents; the result equals never having seen them."),
    "merge": VerbLine("update", "Add up models of the same recipe; the result equals training on all documents."),
    "strip": VerbLine("update", "Write a model without what it learnt from, for sharing: it then only answers."),
    "count": VerbLine("count", "Tokenize a corpus once and store its counts, for train, test and compare."),
    "filter": VerbLine("filter", "Read a mail, add a header field with its class, and write it."),
    "filterd": VerbLine("filter", "Filter mails for `textnb filter --socket PATH`, without loading a model per mail."),
    "learn": VerbLine("learn", "Learn one mail from standard input; a known mail is not counted again."),
    "unlearn": VerbLine("learn", "Unlearn one mail from standard input; after refit it is as never seen."),
    "refit": VerbLine("learn", "Fit a model again to all that it has learnt, as after many corrections."),
    "sort": VerbLine("sort", "Move, tag or copy messages of a Maildir or mbox by class; a dry run without --apply."),
    "imap": VerbLine("imap", "Move or flag the messages of an IMAP folder by class; a dry run without --apply."),
    "corpus": VerbLine("corpus", "List, fetch, find and check corpora by name."),
}


class LazyGroup(SpokenGroup):
    """The group of all verbs, which imports a verb when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a verb; None if there is none of that name."""
        if cmd_name not in VERBS:
            return None
        module = import_module(f"textnb.cli.{VERBS[cmd_name].module}")
        command: click.Command = getattr(module, cmd_name)
        _enable_garbage_collection()
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the verb that the arguments name; if there is none, name the nearest."""
        if args[0] not in VERBS and not ctx.resilient_parsing:
            nearest = difflib.get_close_matches(args[0], VERBS, 1)
            ctx.fail(f"No such command {args[0]!r}." + "".join(f" Did you mean {name!r}?" for name in nearest))
        return super().resolve_command(ctx, args)

    def lines(self, ctx: click.Context) -> dict[str, str]:
        """Return the lines of the table."""
        return {name: each.line for name, each in VERBS.items()}

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a verb from the table."""
        language = spoken()
        own = [
            CompletionItem(name, help=language.name(each.line))
            for name, each in VERBS.items()
            if name.startswith(incomplete)
        ]
        return own + click.Command.shell_complete(self, ctx, incomplete)


def _enable_garbage_collection() -> None:
    """Undo the `gc.disable` of `textnb.__main__` once all modules are loaded."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(MAX_NEW_OBJECTS)
        gc.enable()

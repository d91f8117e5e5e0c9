"""textnb learn, unlearn and refit: corrections, one mail at a time."""

from collections.abc import Collection
from pathlib import Path

import click

from textnb.cli.options import inputs
from textnb.cli.options.groups import verb
from textnb.cli.terminal import plural, say
from textnb.errors import InputError
from textnb.mail import corrections
from textnb.mail.decision import mail_document
from textnb.mail.protocol import read_stdin
from textnb.readers import Document

label_option = click.option("--as", "label", metavar="CLASS", required=True, help="Class of the mail.")


@verb
@inputs.model_path
@label_option
@click.option("--was", metavar="CLASS", help="Unlearn the mail from this class, if it was learnt there.")
@click.option("--new", is_flag=True, help="Allow a class that the model does not have yet.")
@inputs.trust
@inputs.quiet
def learn(model: Path, label: str, was: str | None, new: bool, trust: Collection[str], quiet: bool) -> None:
    """Learn one mail from standard input; a known mail is not counted again.

    Several processes may run at once: each waits for its turn.

    Examples:

        textnb learn mail.textnb --as spam < mail
        textnb learn mail.textnb --as ham --was spam < mail
    """
    mail = _mail()
    _changed(model, lambda classifier: corrections.learn(classifier, mail, label, was=was, new=new), trust, quiet)


@verb
@inputs.model_path
@label_option
@inputs.trust
@inputs.quiet
def unlearn(model: Path, label: str, trust: Collection[str], quiet: bool) -> None:
    """Unlearn one mail from standard input; the result equals never having seen it.

    Example:

        textnb unlearn mail.textnb --as spam < mail
    """
    mail = _mail()
    _changed(model, lambda classifier: corrections.unlearn(classifier, mail, label), trust, quiet)


@verb
@inputs.model_path
@inputs.trust
@inputs.quiet
def refit(model: Path, trust: Collection[str], quiet: bool) -> None:
    """Fit a model again to all that it has learnt, as after many corrections.

    Example:

        textnb refit mail.textnb
    """
    _changed(model, corrections.refit, trust, quiet)


def _mail() -> Document:
    message = read_stdin()
    if not message.strip():
        raise InputError("standard input is empty; give one mail, as in: textnb learn MODEL --as CLASS < mail")
    return mail_document(message)


def _changed(model: Path, change: corrections.Change, trust: Collection[str], quiet: bool) -> None:
    classifier, done = corrections.change_file(model, change, tuple(trust))
    if not quiet:
        documents = plural(len(classifier.learnt.digests), "document")
        say("{done}; {model} has {documents}", done=done.value, model=model, documents=documents)

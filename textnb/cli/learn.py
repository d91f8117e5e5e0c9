"""textnb learn, unlearn and refit: corrections, one mail at a time."""

from pathlib import Path
from typing import Annotated

import typer

from textnb.cli.options import inputs
from textnb.cli.terminal import plural, say
from textnb.errors import InputError
from textnb.mail import corrections
from textnb.mail.filter import mail_document
from textnb.mail.protocol import read_stdin
from textnb.readers import Document

As = Annotated[str, typer.Option("--as", metavar="CLASS", help="The class of the mail.", show_default=False)]


def learn(
    model: inputs.ModelPath,
    label: As,
    was: Annotated[
        str | None, typer.Option("--was", metavar="CLASS", help="Unlearn it there, if it was learnt as that.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="The class may be one that the model has not yet.")] = False,
    trust: inputs.Trust = None,
    quiet: inputs.Quiet = False,
) -> None:
    """Learn one mail from standard input; one that is known already is not counted again.

    Examples:

        textnb learn mail.textnb --as spam < mail

        textnb learn mail.textnb --as ham --was spam < mail

    Several may run at once: each waits for its turn.
    """
    mail = _mail()
    _changed(model, lambda classifier: corrections.learn(classifier, mail, label, was=was, new=new), trust, quiet)


def unlearn(model: inputs.ModelPath, label: As, trust: inputs.Trust = None, quiet: inputs.Quiet = False) -> None:
    """Unlearn one mail from standard input; the model is then as if it had never seen it.

    Example:

        textnb unlearn mail.textnb --as spam < mail
    """
    mail = _mail()
    _changed(model, lambda classifier: corrections.unlearn(classifier, mail, label), trust, quiet)


def refit(model: inputs.ModelPath, trust: inputs.Trust = None, quiet: inputs.Quiet = False) -> None:
    """Fit a model anew to all that it has learnt, as after many corrections.

    Example:

        textnb refit mail.textnb
    """
    _changed(model, corrections.refit, trust, quiet)


def _mail() -> Document:
    message = read_stdin()
    if not message.strip():
        raise InputError("there is no mail on standard input")
    return mail_document(message)


def _changed(model: Path, change: corrections.Change, trust: list[str] | None, quiet: bool) -> None:
    classifier, done = corrections.change_file(model, change, tuple(trust or ()))
    if not quiet:
        say(f"{done.value}; {model} holds {plural(len(classifier.learnt.digests), 'document')}")

"""textnb learn, unlearn and refit: corrections, one mail at a time."""

from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from textnb.classifier.ageing import day_before
from textnb.cli.options import inputs
from textnb.cli.options.groups import FILE, argument, verb
from textnb.cli.service_client import correct_by_service, read_mail
from textnb.cli.terminal import plural, say
from textnb.errors import ParameterError
from textnb.mail import corrections
from textnb.mail.decision import mail_document
from textnb.mail.protocol import Lesson

label_option = click.option("--as", "label", metavar="CLASS", required=True, help="Class of the mail.")
model_or_service = argument("model", "[MODEL]", "Model file.", required=False, type=FILE)
socket_option = click.option(
    "--socket", metavar="PATH", type=FILE, help="Ask textnb filterd instead of opening a model."
)


@verb
@model_or_service
@label_option
@click.option("--was", metavar="CLASS", help="Unlearn the mail from this class, if it was learnt there.")
@click.option("--new", is_flag=True, help="Allow a class that the model does not have yet.")
@socket_option
@inputs.trust
@inputs.quiet
def learn(  # its options
    model: Path | None,
    label: str,
    was: str | None,
    new: bool,
    socket: Path | None,
    trust: Collection[str],
    quiet: bool,
) -> None:
    """Learn one mail from standard input; a known mail is not counted again.

    The correction is written to MODEL-journal and is on disk when the command ends; several processes may run at once.
    The counts of the naive Bayes models and of mail follow it at once. Smoothing, choice of terms, calibration and
    fitted weights, and the answers of other models, stay until the journal is written into the model: by refit, by a
    correction that adds or empties a class, when a twentieth of the documents or 1,000 corrections are pending, by the
    first correction a day after the oldest pending one, or by filterd after ten minutes without a correction.

    Examples:

        textnb learn mail.textnb --as spam < mail
        textnb learn mail.textnb --as ham --was spam < mail
        textnb learn --socket /run/user/1000/textnb.sock --as spam < mail
    """
    _correct(model, socket, Lesson("learn", label, was, new), trust, quiet)


@verb
@model_or_service
@label_option
@socket_option
@inputs.trust
@inputs.quiet
def unlearn(model: Path | None, label: str, socket: Path | None, trust: Collection[str], quiet: bool) -> None:
    """Unlearn one mail from standard input; after refit it is as never seen.

    Until then its counts are gone, and the rest is as textnb learn says.

    Example:

        textnb unlearn mail.textnb --as spam < mail
    """
    _correct(model, socket, Lesson("unlearn", label), trust, quiet)


@verb
@inputs.model_path
@click.option("--choose", is_flag=True, help="Choose naive Bayes model and smoothing again, as train does; terms stay.")
@click.option("--keep", metavar="PERIOD", help="Forget what is older, such as 24months, 90days, 12weeks or 2years.")
@inputs.trust
@inputs.quiet
def refit(model: Path, choose: bool, keep: str | None, trust: Collection[str], quiet: bool) -> None:
    """Fit a model again to all that it has learnt, as after many corrections.

    The corrections in its journal are written into the file; the model is then as trained on all documents at once.
    With --keep, as trained on those that are not older; see textnb forget --before.

    Examples:

        textnb refit mail.textnb
        textnb refit mail.textnb --keep 24months
        textnb refit news.textnb --choose
    """
    first = None if keep is None else day_before(datetime.now(UTC).date(), keep)
    _say(model, corrections.refit_file(model, tuple(trust), choose=choose, forget_before=first), quiet)


def _correct(model: Path | None, socket: Path | None, lesson: Lesson, trust: Collection[str], quiet: bool) -> None:
    if (model is None) == (socket is None):
        raise ParameterError("name either a model file or the socket of textnb filterd (--socket PATH)")
    message = read_mail()
    if model is not None:
        change = partial(corrections.follow_lesson, document=mail_document(message), lesson=lesson)
        _say(model, corrections.change_file(model, change, tuple(trust)), quiet)
    elif socket is not None:
        correct_by_service(socket, lesson, message, quiet=quiet)


def _say(model: Path, corrected: corrections.Corrected, quiet: bool) -> None:
    if not quiet:
        documents = plural(corrected.n_documents, "document")
        say("{done}; {model} has {documents}", done=corrected.done.value, model=model, documents=documents)

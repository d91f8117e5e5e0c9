"""textnb tune."""

import json
import shlex
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

import click

from textnb.cli.options import inputs
from textnb.cli.options.comparison import Folding, interval_cell, measure_names
from textnb.cli.options.groups import check_unused, given_options, option_words, takes
from textnb.cli.options.model import Modelling, ModelVerb, check_sample_used, train_options
from textnb.cli.sources import CorpusSource
from textnb.cli.terminal import print_json, print_table, print_text
from textnb.comparison.cross_validation import TokenizedDocuments
from textnb.comparison.recipes import as_toml, parts_of
from textnb.comparison.tuning import Tuned, candidates, usual_criterion
from textnb.comparison.tuning import tune as tuned
from textnb.errors import ParameterError
from textnb.evaluation.intervals import MEASURES
from textnb.models.registry import AUTO


@click.command(cls=ModelVerb)
@inputs.corpus_paths
@click.option(
    "--vary",
    metavar="KEY=A,B,...",
    multiple=True,
    help="Values to try, as in alpha=0.1,1 or terms=words,words+pairs; repeatable.",
)
@click.option(
    "--by", metavar="CRITERION", help="evidence, log_loss or accuracy.  [default: evidence if the model has it]"
)
@inputs.as_json
@inputs.trust
@takes(running=inputs.Running, folding=Folding)
@takes(rare=inputs.RARE, modelling=Modelling, tokenizing=inputs.Tokenizing, reading=inputs.LabelledReading)
def tune(
    corpora: Sequence[str],
    vary: Collection[str],
    by: str | None,
    as_json: bool,
    trust: Collection[str],
    running: inputs.Running,
    folding: Folding,
    modelling: Modelling,
    tokenizing: inputs.Tokenizing,
    reading: inputs.LabelledReading,
) -> None:
    """Search hyper-parameters of a model and print the recipe to train with.

    The criterion is the evidence if the model has one; then no document is held out. Otherwise it is cross-validated,
    and nested cross-validation measures the choice: each choice is made on the other folds and tested on the fold that
    had no part in it.

    Examples:

        textnb tune news/
        textnb tune news.counts --model complement --vary alpha=0.01,0.1,1 --vary weighting=log,tfidf
        textnb tune news.counts --by accuracy --vary min_df=1,2,3

    More options: textnb models NAME (for --set), textnb count --help (for reading and text).
    """
    source = CorpusSource.open(corpora, reading, running, trust)
    modelling = modelling.suited(source.is_mail, usual="multinomial")
    if modelling.model == AUTO:
        raise ParameterError("--model auto chooses by itself; name a model to tune, as in --model complement")
    terms_of = source.terms_of(tokenizing, modelling.terms)
    base = modelling.recipe(terms_of, terms_of.analyzer)
    check_sample_used(base)
    varied = dict(map(_varied, vary))
    _check_not_varied(varied, modelling)
    recipes = candidates(base, varied or None)
    documents = TokenizedDocuments.of(recipes.values(), source.counted)
    by = by or usual_criterion(recipes, documents)
    documents = folding.chosen(documents, by_folds=by != "evidence", nested=True)
    if by == "evidence":
        check_unused("folds", "seed", why="on the evidence, which needs no folds (--by chooses another criterion)")
    found = tuned(recipes, documents, by=by, **folding.cross_validation(running, recipes, 1 + folding.folds))
    read = [word for each in fields(reading) for word in option_words(each, getattr(reading, each.name))]
    command = shlex.join(
        ["textnb", "train", *corpora, *read, *train_options(found.recipe, base, tokenizing, modelling)]
    )
    toml = as_toml("tuned", parts_of(found.recipe))
    if as_json:
        print_json({**found.json, "train": command, "toml": toml})
        return
    _print_tuned(found)
    print_text(f"{command} -o MODEL\n\n{toml}")


def _print_tuned(found: Tuned) -> None:
    rows = [(name, value, "chosen" if name == found.name else "") for name, value in found.values.items()]
    print_table(["candidate", found.by.replace("_", " "), ""], rows)
    if found.estimate is not None:
        rows_of_choice = [tuple(interval_cell(found.estimate[name]) for name in MEASURES)]
        print_table(measure_names(), rows_of_choice, "nested cross-validation of the choice")


def _varied(given: str) -> tuple[str, list[Any]]:
    """Return ``alpha=0.1,evidence`` as a key of a recipe and its values."""
    key, equals, values = given.partition("=")
    if not equals or not key.strip() or not values.strip():
        raise ParameterError("--vary takes KEY=VALUES, as in alpha=0.1,1, not {given!r}", given=given)
    return key.strip().replace("-", "_"), [_value(value.strip()) for value in values.split(",")]


def _check_not_varied(varied: Collection[str], modelling: Modelling) -> None:
    """Refuse an option of the model that is given and varied: only the values of --vary would be tried."""
    own = {each.partition("=")[0] for each in (*modelling.own, *modelling.settings)}
    for name in varied:
        same = ("terms", "ngram") if name in ("terms", "ngram") else (name,)
        if name in own or given_options(*same):
            template = "--vary {name} replaces the value of --{option}; leave out one of them"
            raise ParameterError(template, name=name, option=name.replace("_", "-"))


def _value(text: str) -> Any:
    """Return a number, a truth value or a word, written as in TOML but without quotes."""
    with suppress(ValueError):
        return json.loads(text)
    return text

"""Options of compare, curve and tune: recipes, folds, and the corpus, which is counted once."""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click

from textnb.classifier.recipe import ClassifierRecipe
from textnb.cli.options.groups import FILE, flag, option
from textnb.cli.options.inputs import LabelledReading, Running, Tokenizing
from textnb.cli.sources import check_same_terms, corpus_documents, count_file
from textnb.cli.terminal import progress
from textnb.comparison.cross_validation import Recipes, TokenizedDocuments
from textnb.comparison.recipes import read_recipes, recipe_of
from textnb.counts import Counted, TermsOf, counted
from textnb.errors import InputError
from textnb.evaluation.intervals import MEASURES
from textnb.models.registry import MODELS
from textnb.numerics import Estimate
from textnb.report.contents import MEASURE_NAMES
from textnb.text.analyzer import SELECTION

USUAL_MODELS = ("multinomial", "complement", "bernoulli", "logistic")
"""Models that are compared if none is named."""
Trying = TypeVar("Trying", bound=Any)

repeats_option = click.option(
    "--repeats", metavar="N", type=click.IntRange(min=1), default=1, help="Repeat the cross-validation with new folds."
)


@dataclass(frozen=True)
class Folding:
    """How documents are held out."""

    section: ClassVar[str] = "Cross-validation"
    folds: int = option("--folds", metavar="N", type=click.IntRange(min=2), default=5, help="Number of folds.")
    seed: int = option(
        "--seed", metavar="N", type=click.IntRange(min=0), default=0, help="Seed for dealing documents into folds."
    )


@dataclass(frozen=True)
class Choosing:
    """Which recipes are compared."""

    section: ClassVar[str] = "Recipes"
    models: str | None = option(
        "--models",
        metavar="A,B,...",
        help=f"Of: {', '.join(MODELS)}.  [default: {','.join(USUAL_MODELS)}]",
    )
    recipes: Path | None = option("--recipes", metavar="FILE", type=FILE, help="TOML file of recipes.")
    calibrate: bool = flag("--calibrate/--no-calibrate", default=True, help="Calibrate where a recipe does not say.")

    def chosen(self, source: "Source") -> Recipes:
        """Return the recipes by name; a model of --models has its defaults."""
        default, settled = usual_recipe(source.terms_of(), self.calibrate), source.settled
        if self.recipes is not None:
            if self.models is not None:
                raise InputError("--models and --recipes exclude each other; name the models in the file")
            return read_recipes(self.recipes, default, settled, source.trust)
        names = self.models.split(",") if self.models else USUAL_MODELS
        found = {name.strip(): recipe_of({"model": name.strip()}, default, "--models", settled) for name in names}
        if len(found) < len(names):
            raise InputError(
                "--models names a model twice: {models}; to compare options of one model use --recipes FILE",
                models=self.models,
            )
        return found


def usual_recipe(terms_of: TermsOf, calibrate: bool = True) -> ClassifierRecipe:
    """Return the recipe of the default model on these terms."""
    tokenizer, analyzer = terms_of.tokenizer, terms_of.analyzer
    return ClassifierRecipe("multinomial", "evidence", "empirical", tokenizer, analyzer, calibrate=calibrate)


@dataclass(frozen=True)
class Source:
    """Corpus of a command line, with the options for reading and tokenizing it."""

    corpus: Path
    tokenizing: Tokenizing
    reading: LabelledReading
    running: Running
    trust: Collection[str]

    @cached_property
    def file(self) -> tuple[Counted, TermsOf] | None:
        """Counts of the corpus and how it was tokenized, if it is a count file."""
        return count_file(self.corpus, self.trust)

    @property
    def settled(self) -> Collection[str]:
        """Parts of the analyzer that a model's own defaults do not replace."""
        if self.file is not None:
            return [name for name in self.file[1].analyzer.recipe if name not in SELECTION]
        return self.tokenizing.settled

    def terms_of(self, suiting: Mapping[str, Any] | None = None) -> TermsOf:
        """Return how texts are tokenized unless a recipe says otherwise; a count file is tokenized already."""
        if self.file is None:
            return self.tokenizing.suited(suiting or {})
        if self.tokenizing.given:
            raise InputError("{corpus} is tokenized already; leave out the options for text", corpus=self.corpus)
        return self.file[1]

    def tokenized(self, recipes: Recipes) -> TokenizedDocuments:
        """Return the documents, counted once for each way of tokenizing among the recipes."""

        def count(terms_of: TermsOf) -> Counted:
            if self.file is not None:
                check_same_terms(self.corpus, terms_of, self.file[1])
                return self.file[0]
            documents = corpus_documents(self.corpus, self.reading, self.running)
            parts = list(counted(documents, terms_of, jobs=self.running.n_jobs, entries=math.inf))
            if not parts:
                raise InputError("{corpus} has no documents", corpus=self.corpus)
            return parts[0]

        return TokenizedDocuments.of(recipes.values(), count)

    def watched(self, trying: Iterator[Trying], recipes: Recipes, folds: int, rounds: int) -> Iterator[Trying]:
        """Yield the answers, and show the recipe and the fold as progress."""

        def describe(answers: Trying) -> str:
            trial = answers.trial
            again = f", round {trial.repeat + 1}" if rounds > 1 else ""
            return f"{trial.recipe}: fold {trial.fold + 1} of {folds}{again}"

        return progress(trying, "fitting", lambda: len(recipes) * folds * rounds, self.running.quiet, describe)


def interval_cell(measured: Estimate) -> str:
    """Return a number with its interval below it."""
    return f"{measured.value:.4f}\n{measured.low:.4f} to {measured.high:.4f}"


def measure_names() -> list[str]:
    """Return the names of the measures as column headings."""
    return [MEASURE_NAMES.get(name, name) for name in MEASURES]

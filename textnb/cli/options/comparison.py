"""What compare, curve and tune share: the recipes, the folds, and the documents counted once."""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from textnb.classifier.recipe import ClassifierRecipe
from textnb.cli.options.inputs import Cutting, LabelledReading, Running
from textnb.cli.sources import check_same_terms, corpus_documents, count_file
from textnb.cli.terminal import progress
from textnb.comparison.cross_validation import Recipes, TokenizedDocuments
from textnb.comparison.recipes import read_recipes, recipe_of
from textnb.counts import Counted, TermsOf, counted
from textnb.errors import InputError
from textnb.evaluation.intervals import MEASURES
from textnb.models.registry import MODELS
from textnb.numerics import Estimate
from textnb.text.analyzer import SELECTION

_USUAL = ("multinomial", "complement", "bernoulli", "logistic")
Trying = TypeVar("Trying", bound=Any)


def _folding(name: str, least: int, help: str) -> Any:
    return typer.Option(name, min=least, metavar="N", help=help, rich_help_panel="Cross-validation")


Repeats = Annotated[int, _folding("--repeats", 1, "Deal the documents into folds so many times.")]


@dataclass(frozen=True)
class Folding:
    """How documents are held out."""

    folds: Annotated[int, _folding("--folds", 2, "Parts, each tested by what the others teach.")] = 5
    seed: Annotated[int, _folding("--seed", 0, "Which documents go into which fold.")] = 0


@dataclass(frozen=True)
class Choosing:
    """Which recipes are compared."""

    models: Annotated[
        str | None,
        typer.Option(
            "--models",
            metavar="A,B,...",
            help=f"Of: {', '.join(MODELS)}.",
            rich_help_panel="Recipes",
            show_default=False,
        ),
    ] = None
    recipes: Annotated[
        Path | None,
        typer.Option("--recipes", metavar="FILE", help="A TOML file of recipes.", rich_help_panel="Recipes"),
    ] = None
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate", help="Calibrate where a recipe does not say.", rich_help_panel="Recipes"
        ),
    ] = True

    def chosen(self, source: "Source") -> Recipes:
        """The recipes by name; of a model by itself with its defaults."""
        default, settled = usual_recipe(source.terms_of(), self.calibrate), source.settled
        if self.recipes is not None:
            if self.models is not None:
                raise InputError("--models and --recipes do not go together; name the models in the file")
            return read_recipes(self.recipes, default, settled, source.trust or ())
        names = self.models.split(",") if self.models else _USUAL
        found = {name.strip(): recipe_of({"model": name.strip()}, default, "--models", settled) for name in names}
        if len(found) < len(names):
            raise InputError(f"--models names a model twice: {self.models}; write recipes to vary one: --recipes FILE")
        return found


def usual_recipe(terms_of: TermsOf, calibrate: bool = True) -> ClassifierRecipe:
    """The default model on these terms."""
    tokenizer, analyzer = terms_of.tokenizer, terms_of.analyzer
    return ClassifierRecipe("multinomial", "evidence", "empirical", tokenizer, analyzer, calibrate=calibrate)


@dataclass(frozen=True)
class Source:
    """A corpus as it is given on the command line."""

    corpus: Path
    cutting: Cutting
    reading: LabelledReading
    running: Running
    trust: list[str] | None

    @cached_property
    def file(self) -> tuple[Counted, TermsOf] | None:
        """What is in the corpus, if it is a count file."""
        return count_file(self.corpus, self.trust)

    @property
    def settled(self) -> Collection[str]:
        """The parts of the analyzer that are not left to what suits a model."""
        if self.file is not None:
            return [name for name in self.file[1].analyzer.recipe if name not in SELECTION]
        return self.cutting.settled

    def terms_of(self, suiting: Mapping[str, Any] | None = None) -> TermsOf:
        """How texts are cut unless a recipe says otherwise; a count file has been cut already."""
        if self.file is None:
            return self.cutting.suited(suiting or {})
        if self.cutting.given:
            raise InputError(f"{self.corpus} has been tokenised already; leave out the options for text")
        return self.file[1]

    def tokenised(self, recipes: Recipes) -> TokenizedDocuments:
        """The documents, counted once for each way of cutting among the recipes."""

        def count(terms_of: TermsOf) -> Counted:
            if self.file is not None:
                check_same_terms(self.corpus, terms_of, self.file[1])
                return self.file[0]
            documents = corpus_documents(self.corpus, self.reading, self.running)
            parts = list(counted(documents, terms_of, jobs=self.running.n_jobs, entries=math.inf))
            if not parts:
                raise InputError(f"{self.corpus} holds no documents")
            return parts[0]

        return TokenizedDocuments.of(recipes.values(), count)

    def watched(self, trying: Iterator[Trying], recipes: Recipes, folds: int, rounds: int) -> Iterator[Trying]:
        """The same, with the recipe and the fold shown."""

        def told(answers: Trying) -> str:
            trial = answers.trial
            again = f", round {trial.repeat + 1}" if rounds > 1 else ""
            return f"{trial.recipe}: fold {trial.fold + 1} of {folds}{again}"

        return progress(trying, "fitting", lambda: len(recipes) * folds * rounds, self.running.quiet, told)


def interval_cell(measured: Estimate) -> str:
    """A number and, below it, its interval."""
    return f"{measured.value:.4f}\n{measured.low:.4f} to {measured.high:.4f}"


def measure_names() -> list[str]:
    """As they stand above a column."""
    shown = {"macro_f1": "macro F1", "log_loss": "log loss", "brier": "Brier", "ece": "ECE"}
    return [shown.get(name, name) for name in MEASURES]

"""Options of compare, curve and tune: recipes, folds, and the corpus, which is counted once."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from textnb.classifier.recipe import ClassifierRecipe
from textnb.cli.options.groups import flag, gather, option, takes
from textnb.cli.options.inputs import LabelledReading, Running, Tokenizing, as_json, corpus_paths, trust
from textnb.cli.options.report import Reporting
from textnb.cli.sources import CorpusSource
from textnb.cli.terminal import plural, progress, warn
from textnb.comparison.cross_validation import Recipes, TokenizedDocuments
from textnb.comparison.rare_classes import choose_classes
from textnb.comparison.recipes import read_recipes, recipe_of
from textnb.errors import ParameterError, listed
from textnb.evaluation.intervals import MEASURE_NAMES, MEASURES
from textnb.language import spoken
from textnb.models.registry import AUTO, MODELS
from textnb.numerics import Estimate

USUAL_MODELS = ("auto", "multinomial", "complement", "nb-logistic", "ensemble")
"""Models that are compared if none is named."""


@dataclass(frozen=True)
class Folding:
    """How documents are held out."""

    section: ClassVar[str] = "Cross-validation"
    folds: int = option("N", "Number of folds.", type=click.IntRange(min=2), default=5)
    seed: int = option("N", "Seed for dealing documents into folds.", type=click.IntRange(min=0), default=0)

    min_documents: int = option("N", "Leave out classes with fewer documents.", type=click.IntRange(min=1), default=1)
    exclude_class: tuple[str, ...] = option("CLASS", "Leave out this class; repeatable.", default=())

    def chosen(self, documents: TokenizedDocuments, by_folds: bool = True, **splitting: Any) -> TokenizedDocuments:
        """Return the documents of the classes that take part; those that are left out are named.

        splitting: repeats and nested of `choose_classes`.
        """
        found = choose_classes(
            documents,
            min_documents=self.min_documents,
            exclude=self.exclude_class,
            folds=self.folds if by_folds else None,
            seed=self.seed,
            **splitting,
        )
        n_rare, n_unsplittable = plural(len(found.rare), "class", "classes"), len(found.unsplittable)
        if found.rare:
            template = "left out {classes} with fewer than {n:,} documents: {names}"
            warn(template, classes=n_rare, n=self.min_documents, names=listed(found.rare))
        if found.unsplittable:
            template = "left out {classes} with too few different documents for {folds:,} folds: {names}"
            names = listed(f"{name} ({n:,})" for name, n in found.unsplittable.items())
            warn(template, classes=plural(n_unsplittable, "class", "classes"), folds=self.folds, names=names)
        return found.documents

    def cross_validation(self, running: Running, recipes: Recipes, rounds: int) -> dict[str, Any]:
        """Return folds, seed, jobs and a function that shows the recipe and the fold as progress."""

        def describe(answers: Any) -> str:
            trial = answers.trial
            again = f", round {trial.repeat + 1}" if rounds > 1 else ""
            return f"{trial.recipe}: fold {trial.fold + 1} of {self.folds}{again}"

        def watch(trials: Iterator[Any]) -> Iterator[Any]:
            return progress(trials, "fitting", lambda: len(recipes) * self.folds * rounds, running.quiet, describe)

        return {"folds": self.folds, "seed": self.seed, "jobs": running.n_jobs, "watch": watch}


@dataclass(frozen=True)
class Choosing:
    """Which recipes are compared."""

    section: ClassVar[str] = "Recipes"
    models: str | None = option("A,B,...", f"Of: {', '.join(MODELS)}.  [default: {','.join(USUAL_MODELS)}]")
    recipes: Path | None = option("FILE", "TOML file of recipes.")
    calibrate: bool = flag("Calibrate where a recipe does not say.", "--calibrate/--no-calibrate", default=True)

    def chosen(self, source: CorpusSource, tokenizing: Tokenizing, trust: Collection[str]) -> Recipes:
        """Return the recipes by name; a model of --models has its defaults."""
        terms_of, settled = source.terms_of(tokenizing), source.settled(tokenizing)
        default = ClassifierRecipe(
            AUTO,
            None,
            "empirical",
            terms_of.tokenizer,
            terms_of.analyzer,
            calibrate=self.calibrate,
            choose_terms=not tokenizing.gives_terms,
        )
        if self.recipes is not None:
            if self.models is not None:
                raise ParameterError("--models and --recipes exclude each other; name the models in the file")
            return read_recipes(self.recipes, default, settled, trust)
        names = self.models.split(",") if self.models else USUAL_MODELS
        found = {name.strip(): recipe_of({"model": name.strip()}, default, "--models", settled) for name in names}
        if len(found) < len(names):
            template = "--models names a model twice: {models}; to compare options of one model use --recipes FILE"
            raise ParameterError(template, models=self.models)
        return found


@dataclass(frozen=True)
class Comparing:
    """Parameters that compare and curve share."""

    corpora: Sequence[str]
    repeats: int
    as_json: bool
    trust: Collection[str]
    running: Running
    choosing: Choosing
    folding: Folding
    tokenizing: Tokenizing
    reading: LabelledReading
    reporting: Reporting

    @property
    def corpus(self) -> Path:
        """The corpora as pages name them."""
        return Path(" ".join(self.corpora))

    @property
    def source(self) -> CorpusSource:
        """The corpora, opened."""
        return CorpusSource.open(self.corpora, self.reading, self.running, self.trust)

    def recipes_and_documents(self, by_folds: bool = True) -> tuple[Recipes, TokenizedDocuments]:
        """Return the recipes, and the documents counted once for each way of tokenizing among them."""
        source = self.source
        recipes = self.choosing.chosen(source, self.tokenizing, self.trust)
        documents = TokenizedDocuments.of(recipes.values(), source.counted)
        return recipes, self.folding.chosen(documents, by_folds, repeats=self.repeats)

    def cross_validation(self, recipes: Recipes) -> dict[str, Any]:
        """Return the keyword arguments of `compare` and `learning_curve` that these parameters give."""
        return {"repeats": self.repeats, **self.folding.cross_validation(self.running, recipes, self.repeats)}


comparing = gather(
    "given",
    Comparing,
    corpus_paths,
    click.option(
        "--repeats",
        metavar="N",
        type=click.IntRange(1, 1000),
        default=1,
        help="Repeat the cross-validation with new folds.",
    ),
    as_json,
    trust,
    takes(
        running=Running,
        choosing=Choosing,
        folding=Folding,
        tokenizing=Tokenizing,
        reading=LabelledReading,
        reporting=Reporting,
    ),
)


def interval_cell(measured: Estimate) -> str:
    """Return a number with its interval below it."""
    ends = spoken()("{low} to {high}", low=f"{measured.low:.4f}", high=f"{measured.high:.4f}")
    return f"{measured.value:.4f}\n{ends}"


def measure_names() -> list[str]:
    """Return the names of the measures as column headings."""
    return [MEASURE_NAMES.get(name, name) for name in MEASURES]

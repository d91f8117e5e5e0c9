"""textnb corpus: list, fetch, find and check corpora."""

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from textnb.cli.help_pages import SpokenGroup
from textnb.cli.options import inputs
from textnb.cli.options.groups import CONTEXT, argument, check_unused, option, takes, verb
from textnb.cli.sources import STANDARD_INPUT, CorpusSource
from textnb.cli.terminal import bytes_progress, plural, print_json, print_suspects, print_table, print_text, say
from textnb.corpus import (
    CorpusCheck,
    DuplicateGroup,
    Limits,
    Place,
    catalogue,
    check_corpus,
    corpus_parts,
    corpus_path,
    fetch,
    known_corpus,
)
from textnb.errors import InputError, ParameterError
from textnb.language import spoken

_SHOWN = 3
_DEFAULT = Limits()


@dataclass(frozen=True)
class CheckLimits(Limits):
    """What counts as a near duplicate, as tiny and as a giveaway."""

    section: ClassVar[str] = "Options"
    similarity: float = option(
        "P", "Near duplicates: least proportion of common shingles.", default=_DEFAULT.similarity
    )
    tiny: int = option(
        "N", "A document of fewer than N characters is tiny.", type=click.IntRange(min=0), default=_DEFAULT.tiny
    )
    precision: float = option(
        "P",
        "Giveaways: least proportion of the documents with the term that are in one class.",
        default=_DEFAULT.precision,
    )
    recall: float = option(
        "P", "Giveaways: least proportion of the documents of the class that have the term.", default=_DEFAULT.recall
    )


@verb
@argument(
    "corpora",
    "CORPUS...",
    "A corpus, or several that are checked as one; or a name of textnb corpus list; a folder of such a name is ./NAME.",
    nargs=-1,
    required=True,
)
@click.option("--against", metavar="CORPUS", multiple=True, help="Another split of the corpus; repeatable.")
@takes(limits=CheckLimits)
@inputs.top_option(5)
@click.option("--strict", is_flag=True, help="Exit with 1 on empty or damaged documents and duplicates across splits.")
@inputs.as_json
@takes(running=inputs.Running, tokenizing=inputs.Tokenizing, reading=inputs.LabelledReading)
def check(
    corpora: Sequence[str],
    against: Collection[str],
    limits: CheckLimits,
    top: int,
    strict: bool,
    as_json: bool,
    running: inputs.Running,
    tokenizing: inputs.Tokenizing,
    reading: inputs.LabelledReading,
) -> None:
    """Find empty, damaged and repeated documents of a corpus, terms that give a class away, and suspect labels.

    Duplicates are exact (the same text) or near: the proportion of common shingles (all substrings of five characters)
    is at least --similarity. They do harm across labels and across splits: a model is tested on documents that it has
    learnt. The splits are CORPUS and each --against, or the parts of a corpus with a name.

    A giveaway is a term in many documents of one class and almost nowhere else. It usually shows where documents come
    from, such as the name of a site, not what they are about. The most certain are shown first, --top per class; --json
    lists all of them, and every group of duplicates.

    A corpus with a name is also compared with the numbers in its description. The exit code is 0 whatever is found,
    unless those differ or --strict is given.

    A label is suspect if a naive Bayes model that has learnt all other documents answers another class; the most
    confident answers come first, with the words that speak against the label.

    Examples:

        textnb corpus check train/ --against test/
        textnb corpus check ja-mini --strict
    """
    if as_json:
        check_unused("top", why="with --json, which lists all")
    corpus = " ".join(corpora)
    places = dict(_splits([*corpora, *against] if len(corpora) == 1 else [*against]))
    if len(corpora) > 1:
        places = {corpus: corpora, **places}
    splits = {name: CorpusSource.open(paths, reading, running).documents() for name, paths in places.items()}
    result = check_corpus(splits, tokenizing.terms_of, limits, jobs=running.n_jobs)
    if as_json:
        print_json(_as_json(result))
    else:
        _print_check(result, top)
    if len(corpora) == 1:
        _compare_with_description(corpus, result)
    if strict and result.faults:
        faults = "; ".join(f"{what}: {number:,}" for what, number in result.faults.items())
        raise InputError("{corpus}: {faults}", corpus=corpus, faults=faults)


def _splits(corpora: list[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the name and paths of each split: the corpora given, or the parts of a corpus with a name."""
    if repeated := sorted({corpus for corpus in corpora if corpora.count(corpus) > 1}):
        raise ParameterError("{corpus} is given twice; name two different splits", corpus=repeated[0])
    for corpus in corpora:
        if _is_path(corpus):
            yield corpus, [corpus]
        else:
            parts = corpus_parts(corpus)
            yield from ((corpus if len(parts) == 1 else f"{corpus}/{path.name}", [str(path)]) for path in parts)


def _is_path(corpus: str) -> bool:
    """Return whether an argument is a path: the name of a known corpus is one only if it has a separator."""
    if corpus == STANDARD_INPUT or {"*", "?", "["} & set(corpus):
        return True
    return Path(corpus).exists() and (corpus not in catalogue() or bool({"/", os.sep} & set(corpus)))


def _compare_with_description(corpus: str, result: CorpusCheck) -> None:
    if _is_path(corpus):
        return
    expected = known_corpus(corpus).classes
    own = [classes for split, classes in result.splits.items() if split.partition("/")[0] == corpus]
    found = {label: sum(classes.get(label, 0) for classes in own) for label in sorted(set().union(*own))}
    if expected and expected != found:
        template = "corpus {name!r} has {found}, but its description says {expected}; fetch it again"
        raise InputError(template, name=corpus, found=found, expected=expected)


def _print_check(result: CorpusCheck, top: int) -> None:
    splits = result.splits if len(result.splits) > 1 else {}
    rows = [
        (label, number, *(classes.get(label, 0) for classes in splits.values()))
        for label, number in result.classes.items()
    ]
    language = spoken()
    totals = (language("(all)"), result.documents, *(sum(classes.values()) for classes in splits.values()))
    print_table(["class", "documents", *splits], [*rows, totals])
    odd = {
        "empty": [_place_name(place, result) for place in result.empty],
        "tiny": [_place_name(place, result) for place in result.tiny],
        "damaged": [f"{_place_name(place, result)}: {'; '.join(found)}" for place, found in result.damaged],
    }
    rows_odd = [(language(what), len(some), "; ".join(some[:_SHOWN])) for what, some in odd.items()]
    print_table(["what", "number", "example"], rows_odd)
    print_table(["duplicates", "groups", "documents", "example"], list(_duplicate_rows(result)))
    shown = [row for label in result.classes for row in [g for g in result.giveaways if g.label == label][:top]]
    if shown:
        columns = ["class", "term", "recall", "precision", "documents", "elsewhere"]
        rows_shown = [(g.label, g.term, g.recall, g.precision, g.documents, g.elsewhere) for g in shown]
        title = language("giveaways: {terms} typical of one class only", terms=plural(len(result.giveaways), "term"))
        print_table(columns, rows_shown, title)

    print_suspects(result.suspects[:top])


def _duplicate_rows(result: CorpusCheck) -> Iterator[tuple[str, int, int, str]]:
    """Yield kind, number of groups, number of documents and an example, for each kind of duplicates."""
    for kind, sign, groups in (("exact", " = ", result.exact_duplicates), ("near", " ~ ", result.near_duplicates)):
        kinds = {
            "under one label": [group for group in groups if not group.across_labels],
            "under several labels": [group for group in groups if group.across_labels],
            "in several splits": [group for group in groups if group.across_splits],
        }
        for where, some in kinds.items():
            if where != "in several splits" or len(result.splits) > 1:
                instance = sign.join(_place_name(place, result) for place in some[0].places[:_SHOWN]) if some else ""
                yield spoken()(f"{kind}, {where}"), len(some), sum(len(group.places) for group in some), instance


def _place_name(place: Place, result: CorpusCheck) -> str:
    return place.id if len(result.splits) == 1 else f"{place.split}:{place.id}"


def _as_json(result: CorpusCheck) -> dict[str, Any]:
    return {
        **{name: getattr(result, name) for name in ("documents", "characters", "classes", "splits")},
        "empty": [place._asdict() for place in result.empty],
        "tiny": [place._asdict() for place in result.tiny],
        "damaged": [{**place._asdict(), "trouble": found} for place, found in result.damaged],
        "exact": [_group_json(group) for group in result.exact_duplicates],
        "near": [_group_json(group) for group in result.near_duplicates],
        "giveaways": [found._asdict() for found in result.giveaways],
        "suspects": [found.json for found in result.suspects],
    }


def _group_json(group: DuplicateGroup) -> dict[str, Any]:
    facts = {name: getattr(group, name) for name in ("similarity", "across_labels", "across_splits")}
    return {**facts, "documents": [place._asdict() for place in group.places]}


@verb
@inputs.as_json
def list_corpora(as_json: bool) -> None:
    """List the corpora that textnb knows, and whether they are on this machine."""
    rows = [
        {"name": c.name, "language": c.language, "here": c.present, "title": c.title, "licence": c.licence}
        for c in catalogue().values()
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(["name", "language", "present", "title", "licence"], [_shown(row) for row in rows])


@verb
@argument("name", "NAME", "A name of textnb corpus list.")
@argument(
    "source", "[SOURCE]", "Archive, folder or address to fetch from; by default the corpus's own.", required=False
)
@inputs.quiet
def get(name: str, source: str | None, quiet: bool) -> None:
    """Fetch a corpus into the user's data folder after verifying its digest.

    Example:

        textnb corpus get livedoor ~/Downloads/ldcc-20140209.tar.gz
    """
    wanted = known_corpus(name)
    with bytes_progress(f"fetching {name}", quiet) as watch:
        path = fetch(wanted, source, watch)
    if not quiet:
        say("{name}: {licence}", name=name, licence=wanted.licence)
    print_text(path)


@verb
@argument("name", "NAME", "A name of textnb corpus list.")
def path(name: str) -> None:
    """Print the folder of a corpus.

    Example:

        textnb train $(textnb corpus path ja-mini)/train -o model.textnb
    """
    print_text(corpus_path(name))


def _shown(row: dict[str, object]) -> tuple[object, ...]:
    return tuple("yes" if value is True else "no" if value is False else value for value in row.values())


@click.group(
    cls=SpokenGroup, context_settings=CONTEXT, commands={"list": list_corpora, "get": get, "path": path, "check": check}
)
def corpus() -> None:
    """List, fetch, find and check corpora by name."""

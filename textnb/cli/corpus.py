"""textnb corpus: corpora by name.

textnb corpus check.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from textnb.cli.options import inputs
from textnb.cli.sources import corpus_documents
from textnb.cli.terminal import bytes_progress, print_json, print_table, say
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
from textnb.errors import InputError
from textnb.files.bundle import is_bundle

_SHOWN = 3
_DEFAULT = Limits()


def check(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="A corpus, or a name of `textnb corpus list`.")],
    reading: inputs.LabelledReading,
    cutting: inputs.Cutting,
    running: inputs.Running,
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="CORPUS", help="Another split of it; may be repeated.")
    ] = None,
    similarity: Annotated[
        float, typer.Option("--similarity", help="Of near duplicates: the share of their shingles in common, at least.")
    ] = _DEFAULT.similarity,
    tiny: Annotated[
        int, typer.Option("--tiny", min=0, help="A document of fewer characters is tiny.", metavar="N")
    ] = _DEFAULT.tiny,
    precision: Annotated[
        float, typer.Option("--precision", help="Of a giveaway: the share of its documents in one class, at least.")
    ] = _DEFAULT.precision,
    recall: Annotated[
        float, typer.Option("--recall", help="Of a giveaway: the share of the class's documents with it, at least.")
    ] = _DEFAULT.recall,
    top: inputs.Top = 5,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 for empty or damaged documents, and duplicates across.")
    ] = False,
    as_json: inputs.Json = False,
) -> None:
    """Say what is odd about a corpus: documents empty, damaged or repeated, and terms that give a class away.

    Duplicates are exact (the same text) or near: of all stretches of five characters that one or the other text has,
    at least the share `--similarity` is common to both. They do harm across labels, and across splits: what is learnt
    from one is tested on the other. The splits are CORPUS and each `--against`, or the parts of a corpus with a name.

    A giveaway is a term in many documents of one class and almost nowhere else: where they come from rather than what
    they are about, as a rule, such as the name of a site. The surest are shown first, `--top` of each class; `--json`
    has all, and every group of duplicates.

    A corpus with a name is compared with the numbers in its description too. The exit code is 0 whatever is found,
    unless those differ or `--strict` is given.

    Examples:

        textnb corpus check train/ --against test/

        textnb corpus check ja-mini --strict
    """
    limits = Limits(similarity, tiny, precision, recall)
    places = dict(_splits([corpus, *(against or ())]))
    splits = {name: corpus_documents(path, reading, running) for name, path in places.items()}
    result = check_corpus(splits, cutting.terms_of, limits, jobs=running.n_jobs)
    if as_json:
        print_json(_as_json(result))
    else:
        _print_check(result, top)
    _compare_with_description(corpus, result)
    if strict and result.faults:
        raise InputError(f"{corpus}: " + "; ".join(f"{what}: {number:,}" for what, number in result.faults.items()))


def _splits(corpora: list[str]) -> Iterator[tuple[str, Path]]:
    """The name and path of each split: those given, or the parts of a corpus with a name."""
    if repeated := sorted({corpus for corpus in corpora if corpora.count(corpus) > 1}):
        raise InputError(f"{repeated[0]} is given twice; a split is compared with others")
    for corpus in corpora:
        if Path(corpus).is_file() and is_bundle(corpus):
            raise InputError(f"{corpus} holds counts and no text; check the corpus it was counted from")
        if Path(corpus).exists():
            yield corpus, Path(corpus)
        else:
            parts = corpus_parts(corpus)
            yield from ((corpus if len(parts) == 1 else f"{corpus}/{path.name}", path) for path in parts)


def _compare_with_description(corpus: str, result: CorpusCheck) -> None:
    if Path(corpus).exists():
        return
    expected = known_corpus(corpus).classes
    own = [classes for split, classes in result.splits.items() if split.partition("/")[0] == corpus]
    found = {label: sum(classes.get(label, 0) for classes in own) for label in sorted(set().union(*own))}
    if expected and expected != found:
        raise InputError(f"the corpus {corpus!r} should have {expected}; fetch it again")


def _print_check(result: CorpusCheck, top: int) -> None:
    splits = list(result.splits) if len(result.splits) > 1 else []
    rows = [
        (label, number, *(result.splits[s].get(label, 0) for s in splits)) for label, number in result.classes.items()
    ]
    totals = ("(all)", result.documents, *(sum(result.splits[split].values()) for split in splits))
    print_table(["class", "documents", *splits], [*rows, totals])
    odd = {
        "empty": [_shown_excerpt(place, result) for place in result.empty],
        "tiny": [_shown_excerpt(place, result) for place in result.tiny],
        "damaged": [f"{_shown_excerpt(place, result)}: {'; '.join(found)}" for place, found in result.damaged],
    }
    print_table(["documents", "number", "for instance"], [(k, len(v), "; ".join(v[:_SHOWN])) for k, v in odd.items()])
    print_table(["duplicates", "groups", "documents", "for instance"], list(_duplicate_rows(result)))
    shown = [row for label in result.classes for row in [g for g in result.giveaways if g.label == label][:top]]
    if shown:
        columns = ["class", "term", "recall", "precision", "documents", "elsewhere"]
        rows_shown = [(g.label, g.term, g.recall, g.precision, g.documents, g.elsewhere) for g in shown]
        print_table(columns, rows_shown, f"terms that give a class away: {len(result.giveaways):,}")


def _print_classes(result: CorpusCheck) -> None:
    splits = result.splits if len(result.splits) > 1 else {}
    rows = [
        (label, number, *(classes.get(label, 0) for classes in splits.values()))
        for label, number in result.classes.items()
    ]
    totals = ("(all)", result.documents, *(sum(classes.values()) for classes in splits.values()))
    print_table(["class", "documents", *splits], [*rows, totals])


def _duplicate_rows(result: CorpusCheck) -> Iterator[tuple[str, int, int, str]]:
    """What, groups, documents, and the places of one group, for each kind of duplicates."""
    for kind, sign, groups in (("exact", " = ", result.exact_duplicates), ("near", " ~ ", result.near_duplicates)):
        kinds = {
            "under one label": [group for group in groups if not group.across_labels],
            "under several labels": [group for group in groups if group.across_labels],
            "in several splits": [group for group in groups if group.across_splits],
        }
        for where, some in kinds.items():
            if where != "in several splits" or len(result.splits) > 1:
                instance = sign.join(_shown_excerpt(place, result) for place in some[0].places[:_SHOWN]) if some else ""
                yield f"{kind}, {where}", len(some), sum(len(group.places) for group in some), instance


def _shown_excerpt(place: Place, result: CorpusCheck) -> str:
    return place.id if len(result.splits) == 1 else f"{place.split}:{place.id}"


def _as_json(result: CorpusCheck) -> dict[str, Any]:
    return {
        "documents": result.documents,
        "characters": result.characters,
        "classes": result.classes,
        "splits": result.splits,
        "empty": [place._asdict() for place in result.empty],
        "tiny": [place._asdict() for place in result.tiny],
        "damaged": [{**place._asdict(), "trouble": found} for place, found in result.damaged],
        "exact": [_group_json(group) for group in result.exact_duplicates],
        "near": [_group_json(group) for group in result.near_duplicates],
        "giveaways": [found._asdict() for found in result.giveaways],
    }


def _group_json(group: DuplicateGroup) -> dict[str, Any]:
    return {
        "similarity": group.similarity,
        "across_labels": group.across_labels,
        "across_splits": group.across_splits,
        "documents": [place._asdict() for place in group.places],
    }


corpus = typer.Typer(
    name="corpus",
    help="Corpora by name: list, get, path, check.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
corpus.command("check")(inputs.grouped(check))
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name that `textnb corpus list` shows.")]


@corpus.command("list")
def list_corpora(as_json: inputs.Json = False) -> None:
    """List the corpora that textnb knows, and whether they are here."""
    rows = [
        {"name": c.name, "language": c.language, "here": c.present, "title": c.title, "licence": c.licence}
        for c in catalogue().values()
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(["name", "language", "here", "title", "licence"], [_shown(row) for row in rows])


@corpus.command("get")
def get(
    name: Name,
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="An archive, a folder or an address; by default its own.")
    ] = None,
    quiet: inputs.Quiet = False,
) -> None:
    """Fetch a corpus into the user's data folder; its digest is verified first.

    Example:

        textnb corpus get livedoor ~/Downloads/ldcc-20140209.tar.gz
    """
    wanted = known_corpus(name)
    with bytes_progress(f"fetching {name}", quiet) as watch:
        path = fetch(wanted, source, watch)
    if not quiet:
        say(f"{name}: {wanted.licence}")
    print(path)


@corpus.command("path")
def path(name: Name) -> None:
    """Print where the documents of a corpus lie.

    Example:

        textnb train $(textnb corpus path ja-mini)/train -o model.textnb
    """
    print(corpus_path(name))


def _shown(row: dict[str, object]) -> tuple[object, ...]:
    return tuple("yes" if value is True else "no" if value is False else value for value in row.values())

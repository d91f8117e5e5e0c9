"""Claims of the documentation are those of claims.md, and each has a test or a recorded run that holds it.

In claims.md a heading names what makes the claims: a file, `textnb VERB` (its help), or a public name (its docstring).
Lines that begin with ">" quote it; the lines below, with "-", name tests (`path::name`), doctests (a module) or records
of runs, the latter with figures in backticks that the record contains.
"""

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from textnb import TextClassifier, read_corpus
from textnb.classifier.facts import fact_lines
from textnb.cli.options.groups import CONTEXT
from textnb.cli.verbs import VERBS, LazyGroup
from textnb.corpus import corpus_path
from textnb.models.registry import AUTO, MODELS, model
from textnb.models.smoothing import ALPHAS, LOG_LOSS
from textnb.text.janome import janome_version
from textnb.text.janome.compiled import load_dictionary, write_dictionary

ROOT = Path(__file__).parent.parent
TABLE = Path(__file__).parent / "claims.md"
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="needs the documents, which only the sources have")
RECORDS = ("scripts/bench/results", "scripts/experiments/results")
STRONG = re.compile(
    r"\b(?:exact|exactly|never|always|calibrated|equals?|identical|byte|nothing|whatever)\b", re.IGNORECASE
)
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e-?\d+)?(?!\w)")
NO_FIGURE = re.compile(r"\b(?:19|20)\d\d(?:-\d\d-\d\d)?\b|Python 3\.\d+|80/20|\bcp\d+|UTF-\d+|ISO-2022-JP|RFC \d+|F1\b")


class Claim(NamedTuple):
    """Words of one source, and the names of what holds them."""

    source: str
    quotes: tuple[str, ...]
    held_by: tuple[str, ...]


def claims() -> list[Claim]:
    found: list[Claim] = []
    source, quotes, held_by = "", [], []
    for line in [*TABLE.read_text(encoding="utf-8").splitlines(), "## "]:
        if held_by and not line.startswith("- "):
            found.append(Claim(source, tuple(quotes), tuple(held_by)))
            quotes, held_by = [], []
        if line.startswith("> "):
            quotes.append(line[2:])
        elif line.startswith("- ") and quotes:
            held_by.append(line[2:])
        elif line.startswith("## "):
            assert not quotes, f"nothing holds {quotes}"
            source = line[3:].strip("`")
    return found


CLAIMS = claims()
SOURCES = sorted({claim.source for claim in CLAIMS})


@cache
def words_of(source: str) -> str:
    """Text of a file, of the help of a verb or of a docstring, with single spaces."""
    if (ROOT / source).is_file():
        text = (ROOT / source).read_text(encoding="utf-8")
    elif source.startswith("textnb "):
        text = help_of(source.split()[1:])
    else:
        text = docstring_of(source)
    return " ".join(text.split())


def help_of(verbs: list[str]) -> str:
    command: click.Command = LazyGroup(name="textnb")
    widths = {"terminal_width": 10_000, "max_content_width": 10_000}
    context = click.Context(command, info_name="textnb", help_option_names=CONTEXT["help_option_names"], **widths)
    for verb in verbs:
        assert isinstance(command, click.Group)
        command = command.get_command(context, verb) or pytest.fail(f"no verb {verb}")
        context = click.Context(command, parent=context, info_name=verb)
    return command.get_help(context)


def docstring_of(name: str) -> str:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            value = getattr(value, attribute)
        return inspect.getdoc(value) or ""
    pytest.fail(f"nothing is called {name}")


@cache
def names_in(path: Path) -> frozenset[str]:
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )


@pytest.mark.parametrize("source", SOURCES)
def test_each_claim_is_made_in_these_words(source: str) -> None:
    changed = [
        quote
        for claim in CLAIMS
        if claim.source == source
        for quote in claim.quotes
        if " ".join(quote.split()) not in words_of(source)
    ]
    assert changed == [], f"{source} no longer says this: change claims.md, and what holds it"


@pytest.mark.parametrize("source", SOURCES)
def test_each_claim_is_held_by_a_test_or_a_record_that_exists(source: str) -> None:
    holders = [holder for claim in CLAIMS if claim.source == source for holder in claim.held_by]
    assert [holder for holder in holders if not exists(holder)] == []


def exists(holder: str) -> bool:
    name, *figures = re.split(r"\s*`([^`]*)`[,;]?\s*", holder)
    name, figures = name.strip(), figures[::2]
    if name.startswith("https://"):  # figures of others
        return True
    path, _, test = name.partition("::")
    if not (ROOT / path).is_file():
        return False
    if test:
        return test in names_in(ROOT / path)
    if path.endswith(".py"):
        return ">>>" in (ROOT / path).read_text(encoding="utf-8")
    record = " ".join((ROOT / path).read_text(encoding="utf-8").split())
    return path.startswith(RECORDS) and bool(figures) and all(" ".join(each.split()) in record for each in figures)


def test_every_record_says_when_and_how_it_was_made() -> None:
    named = {holder.split()[0] for claim in CLAIMS for holder in claim.held_by if holder.startswith("scripts/")}
    for name in sorted(named):
        begin = (ROOT / name).read_text(encoding="utf-8")[:2000]
        assert re.search(r"20\d\d-\d\d-\d\d", begin), name
        assert re.search(r"scripts/(?:bench|experiments)/\w+\.py|textnb corpus check", begin), name


def without_code(text: str) -> str:
    """Text in which blocks of code and words in backticks are blanks."""
    return re.sub(
        r"^```.*?^```|`[^`\n]+`", lambda code: re.sub(r"\S", " ", code[0]), text, flags=re.DOTALL | re.MULTILINE
    )


def unclaimed(source: str, text: str, pattern: re.Pattern[str]) -> list[str]:
    """Surroundings of what a pattern finds in the text of a source, code apart, that no quote covers."""
    covered: set[int] = set()
    for claim in CLAIMS:
        for quote in claim.quotes if claim.source == source else ():
            for found in re.finditer(r"\s+".join(map(re.escape, quote.split())), text):
                covered.update(range(*found.span()))
    prose = NO_FIGURE.sub(lambda found: " " * len(found[0]), without_code(text))
    return [
        " ".join(text[max(found.start() - 50, 0) : found.end() + 30].split())
        for found in pattern.finditer(prose)
        if found.start() not in covered
    ]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "docs/guide.md", "docs/figures.md", "docs/mail.md", "docs/scikit-learn.md"]
)
def test_every_strong_word_of_a_page_is_claimed(name: str) -> None:
    assert unclaimed(name, page(name), STRONG) == []


@pytest.mark.parametrize("name", ["README.md", "docs/guide.md", "docs/figures.md"])
def test_every_number_of_a_page_is_claimed(name: str) -> None:
    assert unclaimed(name, page(name), NUMBER) == []


HELPS = [f"textnb {verb}" for verb in VERBS] + [f"textnb corpus {verb}" for verb in ("list", "get", "path", "check")]


@pytest.mark.parametrize("name", HELPS)
def test_every_strong_word_of_a_help_is_claimed(name: str) -> None:
    assert unclaimed(name, words_of(name), STRONG) == []


PACKAGES = ["textnb"] + [
    f"textnb.{name}" for name in ("counts", "estimators", "text", "readers", "corpus", "evaluation")
]
PACKAGES += ["textnb.comparison", "textnb.decisions", "textnb.models.dirichlet", "textnb.models.bregman"]


def public_names() -> list[str]:
    found = list(PACKAGES)
    for package in PACKAGES:
        for name in getattr(importlib.import_module(package), "__all__", ()):
            value = getattr(importlib.import_module(package), name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found.append(f"{package}.{name}")
            if inspect.isclass(value):
                members = [key for key, member in vars(value).items() if inspect.isfunction(member)]
                found += [f"{package}.{name}.{key}" for key in members if not key.startswith("_")]
    return found


def test_every_strong_word_of_a_public_docstring_is_claimed() -> None:
    strong = re.compile(r"\b(?:exact|exactly|never|always|equals)\b")
    assert {name: found for name in public_names() if (found := unclaimed(name, prose_of(name), strong))} == {}


def prose_of(name: str) -> str:
    """Docstring without its examples."""
    return words_of(name).partition(" Examples ----")[0].partition(" >>>")[0]


def numbers_of(name: str) -> set[str]:
    text = re.sub(r"[ぁ-んァ-ヶ一-龠〜、。()]", " ", without_code(page(name)))
    return set(NUMBER.findall(NO_FIGURE.sub(" ", text)))


def test_both_languages_give_the_same_numbers() -> None:
    assert numbers_of("docs/mail.md") == numbers_of("docs/mail.ja.md")
    assert numbers_of("README.md") - numbers_of("README.ja.md") == set()
    english, japanese = numbers_of("docs/guide.md"), numbers_of("docs/guide.ja.md")
    words = {"20", "100", "4", "6"}  # 20 万, 100 倍, 4 回 and 6 つ are 200,000, a hundred, four and six
    assert english - japanese - {"200,000"} == set()
    assert japanese - english - words == set()


# ---- what has no better place ----


def test_there_are_as_many_models_and_kinds_of_smoothing_as_the_guide_says() -> None:
    assert len(MODELS.keys() - {AUTO}) == 14
    assert len((*ALPHAS, LOG_LOSS)) + 1 == 7  # and a number
    listed = set(re.findall(r"^\| (`.*?`) \|", (ROOT / "docs/guide.md").read_text(encoding="utf-8"), re.MULTILINE))
    named = {name for cell in listed for name in re.findall(r"`([^`]+)`", cell)}
    assert {*MODELS, *ALPHAS, LOG_LOSS} - {AUTO} <= named | {"mail"}
    assert f"the model is `{AUTO}`" in words_of("docs/guide.md")


NAIVE_BAYES = ("multinomial", "complement", "bernoulli", "compound", "gaussian", "unb")


@pytest.mark.parametrize("name", NAIVE_BAYES)
def test_models_by_name_have_the_smoothing_and_terms_that_the_guide_says(name: str) -> None:
    recipe = TextClassifier(name).recipe
    assert recipe.alpha == {"complement": 1.0, "multinomial": "leave-one-out"}.get(name, "evidence")
    assert recipe.analyzer.terms == (("words", "chars") if name in ("complement", "multinomial") else ("words",))
    for weighting in model(name).weightings:
        if weighting.endswith("-l2") and LOG_LOSS in model(name).alphas:
            assert TextClassifier(name, weighting=weighting).recipe.alpha == LOG_LOSS


def test_ja_mini_has_544_documents_in_8_classes() -> None:
    parts = [list(read_corpus(corpus_path("ja-mini") / part)) for part in ("train", "test")]
    assert [len(part) for part in parts] == [416, 128]
    assert len({document.label for part in parts for document in part}) == 8


def test_the_compiled_dictionary_has_29_megabytes(tmp_path: Path) -> None:
    write_dictionary(tmp_path / "dictionary", {}, load_dictionary(janome_version()))
    assert 28.5e6 < (tmp_path / "dictionary").stat().st_size < 29.5e6


@pytest.mark.parametrize(("n_documents", "n_classes"), [(3001, 1), (7000, 30), (100_001, 2)])
def test_a_model_keeps_all_of_up_to_100000_documents_and_no_more(n_documents: int, n_classes: int) -> None:
    texts, labels = zip(*((f"w{i % 99} n{i}", str(i % n_classes)) for i in range(n_documents)), strict=True)
    clf = TextClassifier(tokenizer="whitespace").fit(texts, labels)
    assert clf.facts()["documents kept"] == min(n_documents, 100_000)
    shown = dict(fact_lines(clf.facts()))["documents kept"]
    assert ("forgetting is exact for counts, not for the calibration" in shown) == (n_documents > 100_000)

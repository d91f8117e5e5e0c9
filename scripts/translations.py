"""Texts of textnb that have a Japanese translation in ``textnb/japanese.po``, found in the sources and the commands.

python scripts/translations.py            list what is missing and what is no longer used
python scripts/translations.py --write    add entries without a translation, and remove those no longer used
"""

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

import textnb
from textnb.cli import app
from textnb.cli.help_pages import paragraphs_of
from textnb.cli.options.groups import CONTEXT
from textnb.language import entries, template_of, translations
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of

PACKAGE = Path(textnb.__file__).parent
PO_FILE = PACKAGE / "japanese.po"

ONLY_IN_PYTHON = {"estimators", "models", "counts", "evaluation", "numerics.py", "parallel.py", "extension.py"}
ONLY_IN_PYTHON |= {
    "errors.py",
    "classifier/inputs.py",
    "readers/texts.py",
    "files/zip_bundle.py",
    "comparison/comparison.py",
}
ONLY_IN_PYTHON |= {"classifier/estimator.py", "classifier/labels.py", "readers/texts.py", "readers/frames.py"}
"""Parts whose messages a user of the command line hardly meets; they stay English."""

DETAILS_OF_FILES = "files"
"""Folder of the file formats: only messages that name the file are translated, not which part of it is damaged."""

OTHER_SOURCES = "# ---- from click, from the system, or put together from parts"
"""Beginning of the last part of the file: texts that stand nowhere in the sources."""

CALLS = ("say", "say_if_typing", "warn", "fail", "language", "Phrase", "message", "sentences")
"""Functions whose first argument is a phrase or a template."""

HEADINGS = ("print_table",)
"""Functions whose first argument is a list of headings, and whose third is a title."""

TABLES = ("table",)
"""Functions of pages whose first argument is a title and whose second is a list of headings."""


@cache
def found() -> dict[str, str]:
    """Every text that must have a translation, with a place where it is used."""
    texts: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if not {place.parts[0], place.as_posix()} & ONLY_IN_PYTHON:
            for text in _of_source(path):
                if place.parts[0] != DETAILS_OF_FILES or "{path}" in text:
                    texts.setdefault(text, str(place))
    for text, place in _of_commands(app, ("textnb",)):
        texts.setdefault(text, place)
    for name in MODELS:
        for text in (model_of(name).help, *(option.help for option in model_of(name).options.values())):
            texts.setdefault(text, f"models/{name}")
    return {text: place for text, place in texts.items() if _has_words(text)}


def _has_words(text: str) -> bool:
    """Whether a text has a word outside its values; what begins with the name of the program is put together."""
    outside = "".join(part.partition("}")[2] if i else part for i, part in enumerate(text.split("{")))
    return any(map(str.isalpha, outside)) and not text.startswith("textnb: ")


def _of_commands(command: click.Command, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Help of a command and of all below it: paragraphs, options, arguments and headings of sections."""
    place = " ".join(names)
    context = click.Context(command, help_option_names=CONTEXT["help_option_names"])  # click keeps the option
    for text in paragraphs_of(command):
        yield text, place
    for param in command.get_params(context):
        help_text = getattr(param, "help", None) or getattr(param, "about", "")
        if help_text and not getattr(param, "hidden", False):
            yield " ".join(help_text.split()) if "\n" in help_text else help_text, place
        if section := getattr(param, "section", ""):
            yield section, place
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _of_commands(child, (*names, name))


def _of_source(path: Path) -> Iterator[str]:
    """Templates of errors and warnings, phrases, and headings of tables in a source file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = _strings_by_name(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for argument in _texts_of_call(node):
                yield from _strings(argument, names)


def _texts_of_call(node: ast.Call) -> Iterator[ast.expr]:
    """Arguments of a call that are texts for the user."""
    called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if called == "sentences":
        yield from node.args
    elif called in CALLS or (called.endswith("Error") and called[0].isupper()):
        yield from node.args[:1]
    elif called in HEADINGS:
        yield from (*node.args[:1], *node.args[2:3])
    elif called in TABLES:
        yield from node.args[:2]
    elif called == "plural":
        yield node.args[1]
    elif called == "check_unused":
        yield from (each.value for each in node.keywords if each.arg == "why")


def _strings_by_name(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Values that are assigned to each name."""
    values = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values[target.id].append(node.value)
    return values


def _strings(node: ast.AST, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Strings that an expression may be; an f-string becomes a template with the names of its values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name):
        for value in names.get(node.id, ()):
            if not (isinstance(value, ast.Name) and value.id == node.id):
                yield from _strings(value, {})
    elif isinstance(node, ast.List | ast.Tuple):
        for each in node.elts:
            yield from _strings(each, names)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        yield from _strings(node.func.value, names)
    elif isinstance(node, ast.IfExp):
        yield from _strings(node.body, names)
        yield from _strings(node.orelse, names)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            part.value if isinstance(part, ast.Constant) else "{" + _value_name(part, i) + "}"
            for i, part in enumerate(node.values)
        )


def _value_name(part: ast.AST, number: int) -> str:
    inner = part.value if isinstance(part, ast.FormattedValue) else part
    return inner.id.lower() if isinstance(inner, ast.Name) else getattr(inner, "attr", f"value{number}")


@cache
def _of_other_places() -> frozenset[str]:
    """Every string of the package: names that are translated where they are shown; f-strings become templates."""
    texts = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
    return frozenset(texts)


def missing() -> dict[str, str]:
    """Texts without a translation, with a place where each is used."""
    return {text: place for text, place in found().items() if text not in translations() and not _is_filled(text)}


def _is_filled(text: str) -> bool:
    """Whether a help text is a translated template with its values, such as a list of names."""
    return "{" not in text and template_of(text) is not None


def unused() -> list[str]:
    """Translations of texts that are no longer in the program."""
    known = {text if text in translations() else template_of(text) for text in found()}
    own = PO_FILE.read_text(encoding="utf-8").partition(OTHER_SOURCES)[0]
    return [text for text, _ in entries(own) if text and text not in known | _of_other_places()]


def main() -> None:
    """List or write what is missing and what is no longer used."""
    lacking, stale = missing(), unused()
    for text, place in lacking.items():
        print(f"missing ({place}): {text}")
    for text in stale:
        print(f"no longer used: {text}")
    if "--write" in sys.argv[1:]:
        _write(lacking, stale)


def _write(lacking: dict[str, str], stale: list[str]) -> None:
    text = PO_FILE.read_text(encoding="utf-8")
    for english, japanese in entries(text):
        if english in stale:
            text = text.replace(f"msgid {_quoted(english)}\nmsgstr {_quoted(japanese)}\n\n", "")
    new = "".join(f'#: {place}\nmsgid {_quoted(english)}\nmsgstr ""\n\n' for english, place in lacking.items())
    PO_FILE.write_text(text.replace(OTHER_SOURCES, new + OTHER_SOURCES), encoding="utf-8")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    main()

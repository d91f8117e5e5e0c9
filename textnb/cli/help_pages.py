"""Help pages in the language of the terminal.

click measures and wraps text by characters and at blanks. Japanese has no blanks, and its characters are twice as wide:
it is wrapped here, between any two characters, except before punctuation and within a word of Latin letters.
"""

import re
from collections.abc import Iterable

import click

from textnb.language import cells_of, spoken

_PIECES = re.compile(
    r"""
    [「『（]* (?: [!-~]+ | [^\s] ) [、。」』）・ー～…！？ぁぃぅぇぉっゃゅょァィゥェォッャュョ]*   # stays together
    | \s+
    """,
    re.VERBOSE,
)


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text, each at most so many cells wide, unless a single word is wider.

    >>> wrapped("文書を textnb で分類します。", 12)
    ['文書を', 'textnb で分', '類します。']
    """
    lines, line = [], ""
    for piece in _PIECES.findall(text):
        if line.strip() and cells_of(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()] if line.strip() else lines


class SpokenFormatter(click.HelpFormatter):
    """Formatter of help pages that wraps Japanese by its width; English is left to click."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line."""
        super().write_usage(prog, args, spoken().name("Usage:") + " " if prefix is None else prefix)

    def write_text(self, text: str) -> None:
        """Write paragraphs; those that begin with a backspace character are not filled."""
        if text.isascii():
            super().write_text(text)
            return
        indent = " " * self.current_indent
        shown = []
        for paragraph in text.split("\n\n"):
            raw = paragraph.startswith("\b\n")
            lines = paragraph.split("\n")[1:] if raw else wrapped(paragraph, self.width - self.current_indent)
            shown.append("\n".join(indent + line for line in lines))
        self.write("\n\n".join(shown) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names with their explanations in two columns."""
        rows = list(rows)
        if all(text.isascii() for _, text in rows):
            super().write_dl(rows, col_max, col_spacing)
            return
        first = min(max(cells_of(name) for name, _ in rows), col_max) + col_spacing
        for name, text in rows:
            lines = wrapped(text, max(self.width - first - self.current_indent, 20)) or [""]
            fits = cells_of(name) <= first - col_spacing
            start = name + " " * (first - cells_of(name)) if fits else f"{name}\n{' ' * (self.current_indent + first)}"
            self.write(f"{' ' * self.current_indent}{start}{lines[0]}\n".replace(" \n", "\n"))
            for line in lines[1:]:
                self.write(f"{' ' * (self.current_indent + first)}{line}\n")


class SpokenContext(click.Context):
    """Context whose help pages are in the language of the terminal."""

    formatter_class = SpokenFormatter


class SpokenCommand(click.Command):
    """Command whose help is in the language of the terminal."""

    context_class = SpokenContext

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the paragraphs of the help."""
        if self.help:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text("\n\n".join(map(_translated_paragraph, self.help.split("\n\n"))))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what follows the options; its first line is translated."""
        if self.epilog:
            head, _, rest = self.epilog.removeprefix("\b\n").partition("\n")
            formatter.write_paragraph()
            formatter.write_text(f"\b\n{spoken().name(head)}\n{rest}")

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and explanations of arguments and options by the heading of their section."""
        found: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            if about := getattr(param, "about", ""):
                found["Arguments"].append((str(param.metavar), spoken().filled(about)))
            elif record := param.get_help_record(ctx):
                found.setdefault(getattr(param, "section", "Options"), []).append(_translated_record(param, record))
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, the options, and the options of each group."""
        for heading, records in self.sections(ctx).items():
            if records:
                with formatter.section(spoken().name(heading)):
                    formatter.write_dl(records, col_max=26)


class SpokenGroup(SpokenCommand, click.Group):
    """Group of commands whose help is in the language of the terminal."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options and the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line about each command."""
        language = spoken()
        with formatter.section(language.name("Commands")):
            formatter.write_dl([(name, language.name(line)) for name, line in self.lines(ctx).items()])

    def lines(self, ctx: click.Context) -> dict[str, str]:
        """Return the line about each command: the first paragraph of its help."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return {name: paragraphs_of(each)[0] for name, each in commands.items() if each is not None}


def paragraphs_of(command: click.Command) -> list[str]:
    """Return the paragraphs of a help that are translated, each on one line; examples are not among them."""
    paragraphs = (command.help or "").split("\n\n")
    return [" ".join(each.split()) for each in paragraphs if not each.startswith("\b")]


def _translated_paragraph(paragraph: str) -> str:
    """Return a paragraph of a help in the language of the terminal; an example stays as it is."""
    return paragraph if paragraph.startswith("\b") else spoken().filled(" ".join(paragraph.split()))


def _translated_record(param: click.Parameter, record: tuple[str, str]) -> tuple[str, str]:
    """Return the names of an option and its help, with what click adds behind it, such as ``[default: 5]``."""
    names, text = record
    own = getattr(param, "help", None) or ""
    if spoken().code == "en" or not text.startswith(own):
        return record
    added = text.removeprefix(own)
    for word in ("default: ", "required"):
        added = added.replace(word, spoken().name(word))
    return names, spoken().filled(own) + added

"""Options of the HTML page: --html and --lang."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textnb.cli.options.groups import option
from textnb.cli.terminal import say
from textnb.errors import InputError, ParameterError
from textnb.language import LANGUAGES, Language, check_language, spoken
from textnb.report.values import Report
from textnb.storage import atomic, check_writable

PAGE_BEGINNING = b"<!doctype html>"


@dataclass(frozen=True)
class Reporting:
    """Whether an HTML page is written, where, and in which language."""

    section: ClassVar[str] = "Report"
    html: Path | None = option("FILE", "Write a page to read in a browser.")
    lang: str | None = option("|".join(LANGUAGES), "Language of the page.  [default: that of the locale]")

    @property
    def language(self) -> Language:
        """Language of the page: as given, else that of the terminal."""
        return spoken() if self.lang is None else Language(self.lang)

    def check(self, *inputs: Path) -> None:
        """Raise an error, before any work, if the page cannot be written or would replace another file."""
        if self.html is None:
            if self.lang is not None:
                raise ParameterError("--lang {code} needs a page; add --html FILE", code=self.lang)
            return
        if self.lang is not None:
            check_language(self.lang)
        check_writable(self.html)
        if any(path.exists() and self.html.exists() and self.html.samefile(path) for path in inputs):
            raise InputError("{path} is an input itself; choose another name for the page", path=self.html)
        if self.html.exists() and self.html.stat().st_size:
            with self.html.open("rb") as stream:
                if stream.read(len(PAGE_BEGINNING)).lower() != PAGE_BEGINNING:
                    template = "{path} already exists and is not an HTML page; remove it or choose another name"
                    raise InputError(template, path=self.html)

    def write(self, report: Report, quiet: bool) -> None:
        """Write the page, as a whole or not at all."""
        from textnb.report import page

        assert self.html is not None
        with atomic(self.html) as stream:
            stream.write(page(report, self.language.code).encode())
        if not quiet:
            say("wrote the page {path}", path=self.html)

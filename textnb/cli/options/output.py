"""Options of tables that are written: decimals, byte order mark, safe cells."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import click

from textnb.cli.options.groups import check_unused, flag, option
from textnb.cli.sources import check_not_input
from textnb.errors import ParameterError
from textnb.files.table_file import DIGITS, TableStyle, table_format
from textnb.storage import check_writable

_ADDRESS = re.compile(r"[A-Za-z][\w+.-]+:[/\\]")  # of which a Path has only one slash
_MAX_DIGITS = 17  # of a double


@dataclass(frozen=True)
class Writing:
    """How the cells of a table are written."""

    section: ClassVar[str] = "Output"
    digits: int = option(
        "N", "Decimals of probabilities in TSV and CSV.", type=click.IntRange(0, _MAX_DIGITS), default=DIGITS
    )
    bom: bool = flag("Begin a .csv or .tsv file with a BOM, for Excel.")
    safe_cells: bool = flag("Put ' before cells of a .csv or .tsv file that Excel would take for formulas.")

    @property
    def style(self) -> TableStyle:
        """How cells are written to a file."""
        return TableStyle(self.digits, self.bom, self.safe_cells)

    def check(self, output: Path | None) -> None:
        """Refuse options without effect, and a file that cannot be written, before any work."""
        if output is None:
            check_unused("bom", "safe_cells", why="without -o FILE")
            return
        if _ADDRESS.match(str(output)):
            raise ParameterError("-o takes a file on this machine; write to an address with --output-dir")
        check_unused("form", why=f"with -o {output}, whose name decides the format")
        if table_format(output) not in ("csv", "tsv"):
            check_unused("bom", "safe_cells", why=f"with -o {output}, which is neither .csv nor .tsv")
        check_writable(output)


def check_output_table(output: Path | None, names: Sequence[str]) -> None:
    """Raise an error, before any work, if a table is to be written and cannot, or is one of the inputs."""
    if output is None:
        return
    table_format(output)
    check_writable(output)
    check_not_input(output, names)

"""Figures by which the layout of the package is judged, for one checkout or for several side by side.

    python scripts/layout.py [--runs N] [CHECKOUT ...]        (this checkout by default)

    modules         Python files of textnb/, without __init__.py
    code lines      lines that are neither empty nor a comment nor part of a docstring
    functions       their code lines from ``def`` on; nested functions count, and count as part of the outer one
    files visited   modules, without __init__.py, of which a function is called in one run of the command, calls during
                    imports included. Class bodies, lambdas and comprehensions do not count
    start           processor time, user and system, of a process and those it starts: the median of N runs (9 by
                    default), the commands and checkouts in turn; in units of `python -c "import numpy"`

Each checkout runs with its own .venv where it has one, else with the Python that runs this script.
"""

import argparse
import ast
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

ROOT = Path(__file__).parent.parent
SMALL, N_LONGEST = 40, 5
OPTIMIZED = 1  # the flag of code objects that functions have, and class bodies and modules do not
MESSAGE = "spam/02.eml"  # HTML, base64, encoded words
PROBE = f"""
import sys, threading
from pathlib import Path
import textnb
package, visited = textnb.__path__[0], set()
def look(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & {OPTIMIZED} and code.co_name[0] != "<":
        visited.add(code.co_filename)
out, sys.argv = sys.argv[1], ["textnb", *sys.argv[2:]]
threading.setprofile(look)
sys.setprofile(look)
try:
    from textnb.__main__ import main
    main()
finally:
    sys.setprofile(None)
    modules = [f for f in visited if f.startswith(package) and Path(f).name != "__init__.py"]
    Path(out).write_text(str(len(modules)))
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("checkouts", nargs="*", type=Path, default=[ROOT])
    arguments.add_argument("--runs", type=int, default=9)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checkouts = [Checkout(path.resolve(), Path(folder) / str(i)) for i, path in enumerate(given.checkouts)]
        figures = [checkout.sizes() | checkout.runs() for checkout in checkouts]
        times = starts(checkouts, given.runs)
    show([checkout.root.name for checkout in checkouts], [a | b for a, b in zip(figures, times, strict=True)])


class Checkout:
    """A folder with the sources of textnb, and the Python that runs them."""

    def __init__(self, root: Path, work: Path) -> None:
        self.root, self.work = root, work
        own = root / ".venv" / "bin" / "python"
        self.python = str(own if own.exists() else sys.executable)
        self.mail = root / "corpora" / "ja-mail"
        self.model = work / "mail.textnb"
        self.settings = os.environ | {"PYTHONPATH": str(root), "COLUMNS": "100", "TERM": "dumb"}
        self.settings |= {"TEXTNB_CACHE": str(work), "PYTHONPYCACHEPREFIX": str(work / "bytecode")}
        self.settings.pop("PYTHONDONTWRITEBYTECODE", None)  # or each start would compile each module
        work.mkdir()
        self.run("-m", "textnb", "train", str(self.mail), "-o", str(self.model), "--quiet")

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run Python with these arguments and return what it prints."""
        command = [self.python, *arguments]
        done = subprocess.run(command, cwd=self.work, env=self.settings, input=stdin, capture_output=True, check=False)
        if done.returncode:
            sys.exit(f"{self.root}: {' '.join(arguments[-4:])}: {done.stderr.decode()}")
        return done.stdout

    def sizes(self) -> dict[str, str]:
        """Return the figures that need only the sources."""
        package = self.root / "textnb"
        sources = [Source(path) for path in package.rglob("*.py")]
        lengths = {source.path: len(source.code) for source in sources if source.path.name != "__init__.py"}
        longest = sorted(lengths.items(), key=lambda item: -item[1])[:N_LONGEST]
        functions = sorted(length for source in sources for length in source.function_lengths())
        p90 = quantiles(functions, n=10)[-1]
        return {
            "modules": f"{len(lengths)}",
            "  code lines, median": f"{median(lengths.values()):g}",
            f"  under {SMALL} code lines": f"{sum(n < SMALL for n in lengths.values())}",
            **{f"  longest, {i}": f"{n} {path.relative_to(package)}" for i, (path, n) in enumerate(longest, 1)},
            "lines of textnb/, Python": f"{all_lines(package, '*.py'):,}",
            "lines of textnb/, C": f"{all_lines(package, '*.[ch]'):,}",
            "lines of tests/": f"{all_lines(self.root / 'tests', '*.py'):,}",
            "functions": f"{len(functions):,}",
            "  code lines, median / p90 / longest": f"{median(functions):g} / {p90:g} / {functions[-1]}",
        }

    def runs(self) -> dict[str, str]:
        """Return the figures of commands that run once."""
        train = ["train", str(self.root / "corpora" / "ja-mini" / "train"), "-o", str(self.work / "ja-mini.textnb")]
        return {
            "files visited by train": self.visited(*train),
            "files visited by filter": self.visited(*self.filter, stdin=self.message),
            "lines of train --help": f"{len(self.run('-m', 'textnb', 'train', '--help').splitlines())}",
        }

    def visited(self, *arguments: str, stdin: bytes = b"") -> str:
        """The number of modules visited by one run of the command line."""
        out = self.work / "visited"
        self.run("-c", PROBE, str(out), *arguments, stdin=stdin)
        return out.read_text()

    @property
    def filter(self) -> list[str]:
        """The arguments that filter one message."""
        return ["filter", str(self.model), "--spam", "spam"]

    @property
    def message(self) -> bytes:
        """The message to filter."""
        return (self.mail / MESSAGE).read_bytes()

    def commands(self) -> dict[str, dict[str, Any]]:
        """Arguments and standard input of the commands whose start is measured, the unit first."""
        estimator = "from textnb.estimators import MultinomialNB"
        return {
            "import numpy": {"arguments": ["-c", "import numpy"]},
            "textnb --version": {"arguments": ["-m", "textnb", "--version"]},
            "textnb filter": {"arguments": ["-m", "textnb", *self.filter], "stdin": self.message},
            estimator.partition(" ")[2].replace(" import ", "."): {"arguments": ["-c", estimator]},
        }


class Source:
    """A Python file and the numbers of its code lines."""

    def __init__(self, path: Path) -> None:
        self.path, text = path, path.read_text(encoding="utf-8")
        self.tree = ast.parse(text)
        docstrings = {line for node in ast.walk(self.tree) for line in docstring_lines(node)}
        lines = enumerate(map(str.strip, text.splitlines()), 1)
        self.code = {i for i, line in lines if line and not line.startswith("#")} - docstrings

    def function_lengths(self) -> Iterator[int]:
        """The number of code lines of each function."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield len(self.code.intersection(range(node.lineno, last_line(node) + 1)))


def docstring_lines(node: ast.AST) -> range:
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str())) as first, *_]:
                return range(first.lineno, last_line(first) + 1)
    return range(0)


def last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def all_lines(folder: Path, pattern: str) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in folder.rglob(pattern))


def starts(checkouts: list[Checkout], n_runs: int) -> list[dict[str, str]]:
    """The processor time of each command, one dict per checkout; the first run of each only warms the caches."""
    times: list[dict[str, list[float]]] = [{name: [] for name in checkout.commands()} for checkout in checkouts]
    for turn in range(n_runs + 1):
        for checkout, taken in zip(checkouts, times, strict=True):
            for name, command in checkout.commands().items():
                before = children_seconds()
                checkout.run(*command["arguments"], stdin=command.get("stdin", b""))
                taken[name] += [children_seconds() - before] * (turn > 0)
    return [dict(started(taken)) for taken in times]


def started(taken: dict[str, list[float]]) -> Iterator[tuple[str, str]]:
    unit = median(next(iter(taken.values())))
    for name, seconds in taken.items():
        yield f"start: {name}", f"{1000 * median(seconds):.0f} ms = {median(seconds) / unit:.2f}"


def children_seconds() -> float:
    """Processor time of all processes that have been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def show(names: list[str], figures: list[dict[str, str]]) -> None:
    rows = [("", *names), *((name, *(row[name] for row in figures)) for name in figures[0])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()

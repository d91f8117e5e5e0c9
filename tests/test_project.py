"""What holds for the project as a whole: who imports whom, what is loaded when, what is shipped."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import textnb

ROOT = Path(__file__).parent.parent
PACKAGE = Path(textnb.__file__).parent  # beside tests/, or wherever a wheel has put it

LAYERS = [
    {"errors", "version", "_native", "extension", "lazily"},
    {"numerics", "parallel", "storage", "bundle"},
    {"text", "readers"},
    {"counts"},
    {"models"},
    {"evaluation"},
    {"recipe", "explanation", "shading", "inputs", "fitted", "held_out", "refitting"},
    {"packing", "packing_rows", "packing_fit", "modelfile", "countfile", "estimators", "classifier", "report"},
    {"comparison"},
    {"corpus", "mail"},
    {"cli", "__main__"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
STRANGERS = {("text", "readers"), ("readers", "text")}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def part_of(dotted: str) -> str:
    return dotted.split(".")[1] if "." in dotted else dotted


def imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    froms = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    plain = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return {part_of(name) for name in [*froms, *plain] if name.startswith("textnb.")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_only_downwards(path: Path) -> None:
    mine = path.relative_to(PACKAGE).with_suffix("").parts[0]
    for theirs in imports_of(path):
        assert RANK[theirs] <= RANK[mine], f"{path.name} imports {theirs}"
        assert (mine, theirs) not in STRANGERS, f"{mine} imports {theirs}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_only_the_command_line_prints_or_exits(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] == "cli":
        return
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"print", "input", "exit", "quit"}


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_textnb_loads_no_heavy_package() -> None:
    heavy = [
        "janome",
        "selectolax",
        "typer",
        "rich",
        "sklearn",
        "matplotlib",
        "dask",
        "pandas",
        "fugashi",
        "ipadic",
        "sudachipy",
    ]
    code = f"import sys, textnb; print([name for name in {heavy} if name in sys.modules])"
    assert run_python(code) == "[]"


def extras() -> set[str]:
    return {"fugashi", "ipadic", "sudachipy", "sudachidict_core", "matplotlib", "dask", "distributed", "imapclient"} | {
        "starlette",
        "uvicorn",
        "jinja2",
        "pyarrow",
        "pytest",
        "hypothesis",
        "sklearn",
    }


def test_the_package_works_where_the_extras_are_absent(tmp_path: Path) -> None:
    code = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {extras()!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import pkgutil, importlib, textnb
for module in pkgutil.walk_packages(textnb.__path__, 'textnb.'):
    importlib.import_module(module.name)
clf = textnb.TextClassifier().fit(['犬が走る', 'rain falls'], ['animals', 'weather'])
clf.save({str(tmp_path / "m.textnb")!r})
print(textnb.TextClassifier.load({str(tmp_path / "m.textnb")!r}).predict(['犬'])[0])
"""
    assert run_python(code) == "animals"


def test_every_package_is_listed_for_the_build() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    there = {".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in PACKAGE.rglob("__init__.py")}
    assert set(listed) == there | {"textnb.bundled"}
    assert len(listed) == len(set(listed))


def test_every_module_says_what_it_is() -> None:
    silent = [path.name for path in MODULES if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert silent == []

"""What holds for the project as a whole: who imports whom, what is loaded when, what is shipped."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import textnb

ROOT = Path(__file__).parent.parent
PACKAGE = Path(textnb.__file__).parent  # beside tests/, or wherever a wheel has put it

LAYERS = [
    {"errors", "document", "extension", "numerics", "version", "language", "markup", "display", "_native"},
    {"parallel", "progress", "storage", "address"},
    {"text", "readers"},
    {"counts"},
    {"models"},
    {"decisions", "evaluation", "files", "estimators"},
    {"classifier"},
    {"comparison", "corpus", "mail", "report"},
    {"distributed"},
    {"cli", "__main__"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(path: Path) -> set[str]:
    """Modules that a file imports, those inside functions and for type checkers included."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "textnb":
            found |= {
                f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in IMPORTABLE else str(node.module)
                for alias in node.names
            }
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in IMPORTABLE}
    return found - {module_of(path)}


IMPORTABLE = {"textnb", "textnb._native", *map(module_of, MODULES)}


@cache
def imports() -> dict[str, set[str]]:
    return {module_of(path): imports_of(path) for path in MODULES}


def part_of(module: str) -> str:
    """The file or folder right below the package."""
    return module.split(".")[1]


def test_no_file_imports_itself_by_way_of_others() -> None:
    TopologicalSorter(imports()).prepare()  # raises CycleError with the files of the cycle


def test_top_level_folders_import_downwards_only() -> None:
    upwards = [
        f"{mine} imports {theirs}"
        for mine, imported in imports().items()
        for theirs in imported
        if theirs != "textnb" and RANK[part_of(theirs)] > RANK[part_of(mine)]
    ]
    assert upwards == []


def test_top_level_folders_of_one_layer_form_no_cycle() -> None:
    folders: dict[str, set[str]] = {}
    for mine, imported in imports().items():
        others = {part_of(theirs) for theirs in imported if theirs != "textnb"} - {part_of(mine)}
        folders.setdefault(part_of(mine), set()).update(others)
    TopologicalSorter(folders).prepare()
    assert "readers" not in folders["text"]
    assert "text" not in folders["readers"]


def test_no_class_name_stands_twice() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module_of(path))
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert twice == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_only_the_command_line_prints_or_exits(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] == "cli":
        return
    called = {
        node.func.id
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"print", "input", "exit", "quit"}


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


EXTRAS = {"fugashi", "ipadic", "sudachipy", "sudachidict_core", "matplotlib", "imapclient", "sklearn"}
EXTRAS |= {"pytest", "hypothesis", "pyarrow", "fsspec", "zstandard", "dask", "distributed"}


def test_no_property_is_computed_under_the_lock_of_functools() -> None:
    """A forked child may find that lock taken; see ``cached_property`` of textnb/extension.py."""
    own = PACKAGE / "extension.py"
    found = re.compile(r"from functools import .*\bcached_property|functools\.cached_property")
    assert [path for path in MODULES if path != own and found.search(path.read_text(encoding="utf-8"))] == []


def test_importing_textnb_loads_no_heavy_package() -> None:
    heavy = ["janome", "selectolax", "click", "rich", "pandas", *sorted(EXTRAS)]
    code = f"import sys, textnb; print([name for name in {heavy} if name in sys.modules])"
    assert run_python(code) == "[]"


SHARED_BY_MODELS = {"prior", "left_out", "rows", "scorer", "draws", "dirichlet", "smoothing", "registry"}
SHARED_BY_MODELS |= {"model", "calibration", "changes"}


def test_a_multinomial_fit_loads_no_other_model() -> None:
    code = """
import sys
from textnb.classifier import TextClassifier
classifier = TextClassifier("multinomial", tokenizer="whitespace")
classifier.fit(["a b", "b c", "a a", "c c"], ["x", "y", "x", "y"]).predict(["a"])
print(*sorted(name.removeprefix("textnb.models.") for name in sys.modules if name.startswith("textnb.models.")))
"""
    assert set(run_python(code).split()) - SHARED_BY_MODELS == {"multinomial"}


def test_a_naive_bayes_estimator_loads_no_other_family() -> None:
    code = """
import sys
from textnb.estimators import MultinomialNB
MultinomialNB().fit([[1, 0], [0, 1]], ["x", "y"]).predict([[1, 0]])
print(*sorted(name.removeprefix("textnb.models.") for name in sys.modules if name.startswith("textnb.models.")))
"""
    family = {"multinomial", "bernoulli", "complement", "compound", "categorical"}
    assert set(run_python(code).split()) - SHARED_BY_MODELS <= family


def test_an_estimator_loads_the_models_that_it_needs_and_no_others() -> None:
    folders = ("textnb.models.bregman", "textnb.models.linear", "textnb.models.logistic", "textnb.models.ensemble")
    needed = {"MultinomialNB": (), "GaussianNB": (), "UNB": folders[:1], "LeastSquares": folders[1:2]}
    for name, own in needed.items():
        loaded = run_python(f"import sys; from textnb.estimators import {name}; print(*sys.modules)").split()
        assert {module for module in loaded if module.startswith(folders) and not module.startswith(own)} == set()


def test_the_package_works_where_the_extras_are_absent(tmp_path: Path) -> None:
    code = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {EXTRAS!r}:
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


def test_the_first_line_of_every_docstring_reads_alone() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    starts = ("The same", "Of ", "Those ", "Their ", "Its ")
    unclear = [
        f"{module_of(path)}: {first}"
        for path in [PACKAGE / "__init__.py", *MODULES]
        for node in ast.walk(parsed(path))
        if isinstance(node, documented) and (first := ast.get_docstring(node) or "").startswith(starts)
    ]
    assert unclear == []


def test_every_module_says_what_it_is() -> None:
    silent = [path.name for path in MODULES if not ast.get_docstring(parsed(path))]
    assert silent == []

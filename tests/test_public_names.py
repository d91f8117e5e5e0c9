"""Public names: listed, shown by dir(), known to type checkers; and the examples of the pages pass them."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from found_estimators import DEFAULT, data_for, fresh

import textnb
from textnb.counts.weighting import WEIGHTINGS, WeightingName
from textnb.models.registry import MODELS, ModelName

ROOT = Path(__file__).parent.parent
PACKAGE = Path(textnb.__file__).parent
PACKAGES = sorted(PACKAGE.rglob("__init__.py"))
NOT_PUBLIC = "Not public: CONTRIBUTING.md lists the public modules."
PAGES = ("README.md", "README.ja.md", "docs/guide.md", "docs/guide.ja.md", "docs/scikit-learn.md")
needs_sources = pytest.mark.skipif(not (ROOT / "CONTRIBUTING.md").is_file(), reason="needs the sources' documents")


def listed_modules() -> list[str]:
    """Modules in the table of CONTRIBUTING.md."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Public names")[2].partition("## ")[0]
    return [
        name for line in section.splitlines() if line.startswith("| `") for name in re.findall(r"`([a-z._]+)`", line)
    ]


@needs_sources
def test_a_public_module_has_the_names_that_it_lists() -> None:
    assert len(listed_modules()) == 14
    for name in listed_modules():
        module = importlib.import_module(name)
        assert len(module.__all__) == len(set(module.__all__))
        assert [public for public in module.__all__ if not hasattr(module, public)] == []


@needs_sources
def test_a_package_is_public_or_says_that_it_is_not() -> None:
    for path in PACKAGES:
        name = ".".join(path.parent.relative_to(PACKAGE.parent).parts)
        module = importlib.import_module(name)
        assert hasattr(module, "__all__"), name
        assert (NOT_PUBLIC in (module.__doc__ or "")) is (name not in listed_modules()), name


@needs_sources
def test_dir_of_a_public_package_shows_its_public_names() -> None:
    for name in listed_modules():
        module = importlib.import_module(name)
        if hasattr(module, "__path__"):
            assert dir(module) == sorted(module.__all__)


def test_a_lazy_package_lists_every_name_for_type_checkers() -> None:
    """What __getattr__ imports, which type checkers do not see, is imported from the same module for them."""
    lazy = 0
    for path in PACKAGES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        guards = [node for node in tree.body if isinstance(node, ast.If)]
        names = {
            alias.name
            for guard in guards
            for node in guard.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        names |= {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        name = ".".join(path.parent.relative_to(PACKAGE.parent).parts)
        module = importlib.import_module(name)
        lazy += hasattr(module, "__getattr__")
        assert set(module.__all__) <= names, name
    assert lazy >= 7


def test_literal_types_are_the_tables() -> None:
    assert get_args(ModelName) == tuple(MODELS)
    assert set(get_args(WeightingName)) == set(WEIGHTINGS)


@pytest.mark.parametrize("estimator", DEFAULT, ids=repr)
def test_fitted_attributes_are_declared(estimator) -> None:
    X, y = data_for(estimator)
    found = {name for name in vars(fresh(estimator).fit(X, y)) if name.endswith("_")}
    declared = {name for cls in type(estimator).__mro__ for name in vars(cls).get("__annotations__", {})}
    assert found <= declared


WRONG = """\
from textnb import Nonsense  # error
from textnb.estimators import Nonsense  # error
from textnb import Analyzer, TextClassifier, tokenizer
from textnb.estimators import MultinomialNB, TextVectorizer
TextVectorizer(weighting="idf")  # error
TextClassifier("multinominal")  # error
TextClassifier("complement", weighting="idf")  # error
TextClassifier("complement", weighting="tfidf-l2")
TextClassifier(MultinomialNB())
TextVectorizer(weighting="tfidf", normalisers=["nfkc"], ngram=(1, 2), stop_words={"a"})
Analyzer(normalisers=["nfkc"], terms=["words"], ngram=2)
Analyzer(normalisers=1)  # error
tokenizer("janome")(["a"])  # error
tokenizer("janome", pos="名詞")("a").append("b")
"""


@needs_sources
def test_type_checkers_accept_the_examples_and_notice_mistakes(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs textnb[dev]")
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    for page in PAGES:
        examples = doctest.DocTestParser().get_examples((ROOT / page).read_text(encoding="utf-8"))
        assert len(examples) >= 5
        name = re.sub(r"\W", "_", page)
        (tmp_path / f"{name}.py").write_text(
            "".join(example.source for example in examples if example.exc_msg is None), encoding="utf-8"
        )
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    expected = [i for i, line in enumerate(WRONG.splitlines(), 1) if line.endswith("# error")]
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [int(line.split("wrong.py:")[1].split(":")[0]) for line in errors if "wrong.py:" in line] == expected, errors
    assert [line for line in errors if "wrong.py:" not in line] == []

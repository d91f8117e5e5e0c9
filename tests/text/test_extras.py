"""Tokenizers whose packages are optional, where those packages are absent."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest

from textnb.errors import InputError
from textnb.text import morphemes, tokenizer, tokenizer_of
from textnb.text.morphemes import PACKAGES, installed_version

MESSAGES = {
    "mecab": "tokenizer 'mecab' needs fugashi and ipadic: pip install 'textnb[mecab]'",
    "sudachi": "tokenizer 'sudachi' needs sudachipy and sudachidict_core: pip install 'textnb[sudachi]'",
}
every_missing_package = pytest.mark.parametrize(
    ("name", "package"), [(name, package) for name, packages in PACKAGES.items() for package in packages]
)


@every_missing_package
def test_a_tokenizer_without_its_packages_is_refused_when_it_is_made(name, package, monkeypatch):
    monkeypatch.setattr(morphemes, "find_spec", lambda asked: None if asked == package else object())
    for make in (
        lambda: tokenizer(name),
        lambda: tokenizer(name, form="base"),
        lambda: tokenizer_of({"name": name, "version": "1", "params": {}}),
    ):
        with pytest.raises(InputError) as caught:
            make()
        assert str(caught.value) == MESSAGES[name]


@pytest.mark.parametrize("error", [ModuleNotFoundError("blocked"), ValueError("__spec__ is None")], ids=repr)
def test_a_package_that_cannot_be_looked_for_is_absent(error, monkeypatch):
    def find_spec(package):
        raise error

    monkeypatch.setattr(morphemes, "find_spec", find_spec)
    with pytest.raises(InputError, match="needs fugashi and ipadic"):
        tokenizer("mecab")


@every_missing_package
def test_a_package_without_a_version_is_absent_too(name, package, monkeypatch):
    def version(asked):
        raise PackageNotFoundError(asked)

    monkeypatch.setattr("importlib.metadata.version", version)
    with pytest.raises(InputError) as caught:
        installed_version(name, package)
    assert str(caught.value) == MESSAGES[name]


def test_making_a_tokenizer_imports_none_of_its_packages():
    packages = [package for needed in PACKAGES.values() for package in needed]
    code = (
        "import sys; from textnb.errors import InputError; from textnb.text import tokenizer, tokenizer_of\n"
        f"for name in {list(PACKAGES)}:\n"
        "    try: tokenizer_of(tokenizer(name).recipe)\n"
        "    except InputError as error: assert 'pip install' in str(error)\n"
        f"print([name for name in {packages} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")

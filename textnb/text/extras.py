"""The packages that some tokenizers need and that textnb does not bring along."""

from importlib.util import find_spec

from textnb.errors import InputError

PACKAGES = {"mecab": ("fugashi", "ipadic"), "sudachi": ("sudachipy", "sudachidict_core")}
"""What a tokenizer needs; the extra of textnb that brings it has the tokenizer's name."""


def check_installed(tokenizer: str) -> None:
    """Refuses a tokenizer whose packages are not there, before it meets a text; nothing is imported."""
    if not all(map(_is_there, PACKAGES[tokenizer])):
        raise _missing(tokenizer)


def installed_version(tokenizer: str, package: str) -> str:
    """The version of a package that the tokenizer needs, without importing it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError as error:
        raise _missing(tokenizer) from error


def _missing(tokenizer: str) -> InputError:
    needed = " and ".join(PACKAGES[tokenizer])
    return InputError(f"tokenizer {tokenizer!r} needs {needed}: pip install 'textnb[{tokenizer}]'")


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False

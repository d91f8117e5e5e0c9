"""Names of charsets: those of Python are known, and no other name is remembered."""

import codecs
import encodings
import pkgutil
from encodings.aliases import aliases

import pytest

from textnb.readers.charset_names import charset_named, charset_of, superset_of

MODULES = [module.name for module in pkgutil.iter_modules(encodings.__path__) if module.name != "aliases"]
NO_CHARSETS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "charmap")


def name_in_python(name):
    """Name of the codec that Python finds, None if it is not one of a charset."""
    try:
        b"aaaa".decode(name, "replace")
        codec = codecs.lookup(name).name
    except (LookupError, UnicodeError):
        return None
    return None if codec in NO_CHARSETS else codec


@pytest.mark.parametrize("written", [str, str.upper, lambda name: name.replace("_", "-")])
def test_every_charset_of_python_is_known_by_all_its_names(written):
    names = [written(name) for name in [*MODULES, *aliases] if name == name.lower()]  # Python does not find csHPRoman8
    assert {name: charset_named(name) for name in names} == {name: name_in_python(name) for name in names}


def test_every_codec_is_known_by_its_own_name_and_so_is_its_superset():
    for name in {charset_named(module) for module in MODULES} - {None}:
        assert charset_named(name) == charset_of(name) == name
        assert charset_named(superset_of(name)) == superset_of(name)


@pytest.mark.parametrize("name", ["", "-", "\0", "日本", "utf-8日", "utf-8" + "-" * 100, "utf-88", "x" * 10**6, None])
def test_other_names_are_not_charsets(name):
    assert charset_named(name) is None

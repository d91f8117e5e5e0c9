"""The compiled dictionary on disk: made once, whole, noticed when damaged, done without when it must be."""

import errno
import hashlib
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from textnb.errors import InputError, ReadingWarning
from textnb.extension import has_extension
from textnb.text.janome import compiled as cache
from textnb.text.janome import janome_version
from textnb.text.janome.dictionary import Dictionary
from textnb.text.janome.engines import NativeEngine
from textnb.text.janome.lattice import PythonEngine

KEY = {"janome": "1", "digest": "d"}


@pytest.fixture(scope="module")
def made():
    return cache.load_dictionary(janome_version())


@pytest.fixture
def fresh(monkeypatch, tmp_path, made):
    """A cache folder of the test's own, and how often a dictionary was compiled."""
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    compiled = []
    monkeypatch.setattr(cache, "compile_dictionary", lambda: compiled.append(1) or made)
    return tmp_path / "cache", compiled


def load():
    return cache.load_dictionary.__wrapped__(janome_version())


def signed(rest):
    """A file that is sound in itself."""
    return b"textnb dictionary 2\n" + hashlib.sha256(rest).digest() + rest


def same(a, b):
    return all(np.array_equal(a.arrays()[name], b.arrays()[name]) for name in a.arrays()) and (
        (a.features.pos_names, a.features.inflection_names) == (b.features.pos_names, b.features.inflection_names)
    )


def test_a_dictionary_is_compiled_once_and_read_from_then_on(fresh, made):
    folder, compiled = fresh
    assert same(load(), made) and same(load(), made) and compiled == [1]
    (file,) = folder.iterdir()
    assert file.name.startswith(f"janome-{janome_version()}-") and file.stat().st_size > 20_000_000


def test_what_is_read_is_mapped_and_cannot_be_written(fresh):
    array = load().system.slots
    assert not array.flags.owndata and not array.flags.writeable
    assert array.ctypes.data % 64 == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:30],
        lambda data: data[:0],
        lambda data: b"PK\x03\x04" + data[4:],
        lambda data: data[:-5_000_000] + bytes([data[-5_000_000] ^ 1]) + data[-4_999_999:],
        lambda data: data.replace(b'"digest": "', b'"digest": "x', 1),
        lambda data: data.replace("名詞,一般".encode(), "名詞,二般".encode(), 1),
        lambda data: data[:20] + bytes(32) + data[52:],
        lambda data: signed(data[52:].replace(b'"digest": "', b'"digest": "x', 1)),
    ],
    ids=["a byte short", "half", "a beginning", "empty", "another kind", "a bit", "a letter", "a name",
         "no digest", "foreign"],
)  # fmt: skip
def test_a_damaged_or_foreign_file_is_noticed_and_made_again(fresh, made, damage):
    folder, compiled = fresh
    load()
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(load(), made)
    assert compiled == [1, 1]
    load()
    assert compiled == [1, 1]


def refused(error):
    def call(*_, **__):
        raise error

    return call


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("os.fsync", OSError(errno.ENOSPC, "No space left on device")),
        ("textnb.text.janome.compiled.write_dictionary", InputError("read-only")),
        ("textnb.text.janome.compiled.Path.mkdir", PermissionError(errno.EACCES, "Permission denied")),
    ],
)
def test_a_folder_that_cannot_be_written_is_done_without_in_one_warning(fresh, made, monkeypatch, name, error):
    folder, compiled = fresh
    monkeypatch.setattr(name, refused(error))
    with pytest.warns(ReadingWarning, match="could not be kept and will be made again.*set TEXTNB_CACHE") as told:
        assert same(load(), made)
    assert (len(told), compiled, list(folder.glob("*"))) == (1, [1], [])


def test_files_of_other_versions_do_not_pile_up(fresh):
    folder, _ = fresh
    folder.mkdir()
    for number in range(9):
        (folder / f"janome-0.{number}.0-x.dictionary").write_text("old")
    (folder / "something else").write_text("not ours")
    load()
    kept = sorted(file.name for file in folder.iterdir())
    assert len(kept) == 5 and "something else" in kept
    assert any(name.startswith(f"janome-{janome_version()}") for name in kept)


def test_a_dictionary_in_memory_cuts_like_one_from_the_file(fresh, made):
    copies = {name: array.copy() for name, array in made.arrays().items()}
    names = made.features.pos_names, made.features.inflection_names
    engine = NativeEngine if has_extension() else PythonEngine
    expected = list(engine(load()).tokens("すもももももも"))
    assert list(engine(Dictionary.of(copies, *names)).tokens("すもももももも")) == expected
    assert len(expected) == 4


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"TEXTNB_CACHE": "/x/y"}, "/x/y"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/textnb"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/textnb"),
        ({"XDG_CACHE_HOME": ""}, "/home/me/.cache/textnb"),
        ({}, "/home/me/.cache/textnb"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="XDG folders are for other systems")
def test_the_folder_follows_the_habits_of_the_system(monkeypatch, environment, folder):
    for name in ("TEXTNB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache.cache_folder() == Path(folder)


TOGETHER = """
import os, pathlib, sys, time
from textnb.text.janome import compiled as cache, janome_version

known, (me, other, folder) = cache.load_dictionary(janome_version()), sys.argv[1:]

def compiled():
    pathlib.Path(me).touch()
    while not pathlib.Path(other).exists():
        time.sleep(0.01)
    return known

cache.compile_dictionary = compiled
cache.load_dictionary.cache_clear()
os.environ[cache.CACHE_VARIABLE] = folder
found = cache.load_dictionary(janome_version())
print(found is not known, all((found.arrays()[name] == array).all() for name, array in known.arrays().items()))
"""


def test_two_processes_may_compile_at_once(tmp_path, made):
    """Neither has compiled before both have begun to; what they compile is known, for that takes ten seconds each."""
    folder = tmp_path / "cache"
    both = [
        subprocess.Popen([sys.executable, "-c", TOGETHER, *names, folder], cwd=tmp_path, stdout=-1, stderr=-1)
        for names in ("ab", "ba")
    ]
    for process in both:
        out, error = process.communicate(timeout=300)
        assert (out.decode().strip(), error.decode()) == ("True True", "")
    assert len(list(folder.iterdir())) == 1

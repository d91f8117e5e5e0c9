"""Where tests find public corpora, which are not part of the project, and where they keep the compiled dictionary."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# Before numpy is loaded, for this process and those it starts: pytest-xdist keeps all processors busy, and threads of
# BLAS that wait for one another over tables of a few rows take five times as long as none.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Where a test does not say how many. ``--hypothesis-profile default`` tries a hundred.
settings.register_profile("quick", max_examples=40, deadline=None)
settings.load_profile("quick")

_CACHE = "TEXTNB_CACHE"
_own_cache: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Keep the compiled dictionary apart from the user's own cache: no test reads or writes that.

    Compiling takes five seconds of processor time, so pytest's cache keeps the dictionary from one run to the next, as
    long as the code that compiles it stays the same. The tests that compile have folders of their own.
    """
    if _CACHE in os.environ:
        return
    cache = getattr(config, "cache", None)  # None with -p no:cacheprovider
    if cache is None:
        os.environ[_CACHE] = tempfile.mkdtemp(prefix="textnb-tests-")
        _own_cache.append(os.environ[_CACHE])
    else:
        folder = cache.mkdir(f"dictionary-{_compiler_digest()}")
        for other in set(folder.parent.glob("dictionary-*")) - {folder}:
            shutil.rmtree(other, ignore_errors=True)
        os.environ[_CACHE] = str(folder)
    if config.getoption("numprocesses", None):  # before each worker of pytest-xdist compiles it for itself
        from textnb.text import tokenizer

        tokenizer("janome")("犬")


def _compiler_digest() -> str:
    spec = find_spec("textnb")
    assert spec is not None
    (package,) = spec.submodule_search_locations or ()
    sources = sorted(Path(package, "text", "janome").glob("*.py"))
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def pytest_unconfigure() -> None:
    for folder in _own_cache:
        shutil.rmtree(folder, ignore_errors=True)
        del os.environ[_CACHE]


@pytest.fixture
def public_corpora() -> Path:
    folder = os.environ.get("TEXTNB_CORPORA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the public corpora: set TEXTNB_CORPORA to the folder with their archives")
    return Path(folder)


@pytest.fixture(scope="session")
def dovecot() -> Iterator[object]:
    """An IMAP server, started for the first test that asks for it."""
    pytest.importorskip("imapclient", reason="needs IMAPClient: pip install 'textnb[imap]'")
    from dovecot import Dovecot, UnavailableError  # here, for not every system has what it needs

    try:
        server = Dovecot()
    except UnavailableError as reason:
        pytest.skip(str(reason))
    yield server
    server.close()

import io
import os
import tarfile
import threading
import zipfile
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textnb import read_corpus
from textnb.corpus import fetch, known_corpus
from textnb.errors import InputError

FILES = {"sport/1.txt": b"ball", "sport/deep/2.txt": b"goal", "food/1.txt": b"egg", "README": b"read me"}


def digest_of(files):
    lines = sorted(f"{name}\t{sha256(data).hexdigest()}\n" for name, data in files.items())
    return sha256("".join(lines).encode()).hexdigest()


@pytest.fixture
def corpus(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return replace(known_corpus("livedoor"), name="small", digest=digest_of(FILES), members=(), url=None)


def tape(path, files, mode="w:gz", top=""):
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(top + name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def zipped(path, files, top=""):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(top + name, data)
    return path


def folder(path, files):
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


SOURCES = {
    "tar.gz": lambda tmp: tape(tmp / "a.tar.gz", FILES),
    "tar.xz below one folder": lambda tmp: tape(tmp / "a.tar.xz", FILES, "w:xz", "text/"),
    "zip below one folder": lambda tmp: zipped(tmp / "a.zip", FILES, "top/"),
    "zip": lambda tmp: zipped(tmp / "a.zip", FILES),
    "folder": lambda tmp: folder(tmp / "a", FILES),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_the_same_files_are_fetched_from_any_kind_of_source(corpus, tmp_path, source):
    path = fetch(corpus, str(source(tmp_path)))
    found = {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    assert found.pop("corpus.toml")
    assert found == FILES
    assert [entry.name for entry in path.parent.iterdir()] == ["small"]


def test_fetching_again_replaces_what_is_there(corpus, tmp_path):
    path = fetch(corpus, str(tape(tmp_path / "a.tar", FILES, "w")))
    (path / "sport" / "1.txt").write_text("changed")
    assert fetch(corpus, str(tmp_path / "a.tar")) == path
    assert (path / "sport" / "1.txt").read_bytes() == b"ball"


def test_other_files_are_refused_and_the_old_corpus_stays(corpus, tmp_path):
    path = fetch(corpus, str(tape(tmp_path / "a.tar", FILES, "w")))
    other = tape(tmp_path / "b.tar", {**FILES, "food/1.txt": b"salt"}, "w")
    with pytest.raises(InputError, match=r"b\.tar is not the corpus 'small'"):
        fetch(corpus, str(other))
    assert (path / "food" / "1.txt").read_bytes() == b"egg"
    assert [entry.name for entry in path.parent.iterdir()] == ["small"]


def test_only_the_wanted_members_are_taken_and_count_for_the_digest(corpus, tmp_path):
    wanted = replace(corpus, members=("food/1.txt",), digest=digest_of({"food/1.txt": b"egg"}))
    path = fetch(wanted, str(tape(tmp_path / "a.tar", FILES, "w")))
    assert sorted(p.name for p in path.rglob("*") if p.is_file()) == ["1.txt", "corpus.toml"]


@pytest.mark.parametrize("name", ["../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt", "C:/evil.txt"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_path_that_leads_out_of_the_archive_is_refused(corpus, tmp_path, name, kind):
    files = {**FILES, name: b"evil"}
    source = tape(tmp_path / "a.tar", files, "w") if kind == "tar" else zipped(tmp_path / "a.zip", files)
    with pytest.raises(InputError, match=r"evil\.txt', a path that leads outside"):
        fetch(replace(corpus, digest=None), str(source))
    assert not list(tmp_path.rglob("evil.txt"))


@pytest.mark.parametrize("charset", ["cp932", "euc_jp", "latin-1", "utf-16-le"])
def test_names_in_any_charset_are_unpacked_as_they_are(corpus, tmp_path, charset):
    name = "スポーツ/日本.txt".encode(charset, "replace").replace(b"\0", b"_").replace(b"\\", b"_")
    with tarfile.open(tape(tmp_path / "a.tar", FILES, "w"), "a", format=tarfile.GNU_FORMAT) as archive:
        entry = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
        archive.addfile(entry)
    with pytest.raises(InputError, match=r"a\.tar is not the corpus 'small'"):
        fetch(corpus, str(tmp_path / "a.tar"))
    path = fetch(replace(corpus, digest=None), str(tmp_path / "a.tar"))
    found = {os.fsencode(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    assert found == {*map(os.fsencode, FILES), b"corpus.toml", name}


def test_a_name_with_a_nul_is_refused(corpus, tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        entry = tarfile.TarInfo("a")
        entry.pax_headers = {"path": "a\0b"}
        archive.addfile(entry)
    with pytest.raises(InputError, match="not a name of a file"):
        fetch(replace(corpus, digest=None), str(tmp_path / "a.tar"))


@given(st.integers(0, 4 * 512 - 1), st.integers(1, 255))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_tar_is_another_corpus_or_no_archive_at_all(corpus, tmp_path, place, change):
    data = bytearray(tape(tmp_path / "a.tar", FILES, "w").read_bytes())
    data[place] ^= change
    (tmp_path / "b.tar").write_bytes(data)
    with suppress(InputError):
        fetch(corpus, str(tmp_path / "b.tar"))
        found = {p.relative_to(corpus.path).as_posix(): p.read_bytes() for p in corpus.path.rglob("*") if p.is_file()}
        assert {name: found[name] for name in FILES} == FILES


def test_links_and_devices_in_an_archive_are_left_out(corpus, tmp_path):
    with tarfile.open(tape(tmp_path / "a.tar", FILES, "w"), "a") as archive:
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("pipe", tarfile.FIFOTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    path = fetch(corpus, str(tmp_path / "a.tar"))
    assert not {"link", "hard", "pipe"} & {p.name for p in path.rglob("*")}


@pytest.mark.parametrize("data", [b"", b"no archive at all", b"PK\x03\x04 broken"])
def test_what_is_no_archive_is_refused(corpus, tmp_path, data):
    (tmp_path / "a.tar").write_bytes(data)
    with pytest.raises(InputError, match=r"a\.tar cannot be unpacked"):
        fetch(corpus, str(tmp_path / "a.tar"))


def test_an_archive_of_another_sha256_is_refused_before_it_is_unpacked(corpus, tmp_path):
    tape(tmp_path / "a.tar", FILES, "w")
    right = sha256((tmp_path / "a.tar").read_bytes()).hexdigest()
    fetch(replace(corpus, digest=None, archive_sha256=right), str(tmp_path / "a.tar"))
    with pytest.raises(InputError, match=f"sha256 {right}, not 0000"):
        fetch(replace(corpus, digest=None, archive_sha256="0000"), str(tmp_path / "a.tar"))


def test_a_source_that_is_not_there_or_not_given_is_refused(corpus):
    with pytest.raises(InputError, match="nowhere does not exist"):
        fetch(corpus, "nowhere")
    with pytest.raises(InputError, match="'small' has no address"):
        fetch(corpus)


def test_an_address_is_downloaded(corpus, tmp_path):
    (tmp_path / "served").mkdir()
    tape(tmp_path / "served" / "a.tar.gz", FILES)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        sizes = []
        path = fetch(corpus, address + "a.tar.gz", sizes.append)
        with pytest.raises(InputError, match="cannot be downloaded: HTTP Error 404"):
            fetch(corpus, address + "b.tar.gz")
        server.shutdown()
    assert (path / "sport" / "1.txt").read_bytes() == b"ball"
    assert sum(sizes) >= sum(map(len, FILES.values()))


@pytest.mark.parametrize("name", ["livedoor", "spamassassin", "monks", "car", "nursery"])
def test_the_public_corpora_are_what_their_descriptions_say(name, public_corpora, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    source = public_corpora / (f"{name}.tar.xz" if name in ("livedoor", "spamassassin") else "uci")
    path = fetch(known_corpus(name), str(source))
    if known_corpus(name).classes:
        documents = read_corpus(path, "folder", encoding="latin-1")  # mail too: only its files are counted here
        assert Counter(document.label for document in documents) == known_corpus(name).classes

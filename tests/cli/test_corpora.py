import json
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from textnb.corpus import catalogue


@pytest.fixture
def env(tmp_path):
    return {"XDG_DATA_HOME": str(tmp_path / "data")}


def test_the_bundled_corpora_are_here_and_the_others_say_how_to_get_them(run, env):
    here = {row["name"]: row["here"] for row in json.loads(run("corpus", "list", "--json", env=env).out)}
    assert here.pop("ja-mini") is here.pop("ja-mail") is True
    assert set(here) == {"livedoor", "20newsgroups", "spamassassin", "monks", "car", "nursery"}
    assert not any(here.values())
    assert "textnb corpus get livedoor" in run("corpus", "path", "livedoor", env=env).refusal


def test_path_prints_a_folder_that_train_takes(run):
    path = Path(run("corpus", "path", "ja-mini").out.strip())
    assert sorted(part.name for part in (path / "train").iterdir()) == sorted(catalogue()["ja-mini"].classes)


def test_the_parts_of_a_corpus_are_named_when_the_whole_is_read(run, ja_mini):
    assert f"{ja_mini}/train, {ja_mini}/test" in run("train", ja_mini, "-o", "m.textnb").refusal


def test_another_archive_than_the_corpus_is_refused_and_nothing_stays(run, env, tmp_path):
    (tmp_path / "car.data").write_text("other,rows\n")
    with tarfile.open(tmp_path / "car.tar", "w") as tape:
        tape.add(tmp_path / "car.data", "car.data")
    assert "car.tar is not the corpus 'car'" in run("corpus", "get", "car", "car.tar", env=env).refusal
    assert not any((tmp_path / "data").rglob("*.data"))


def test_an_address_is_downloaded(run, env, tmp_path):
    (tmp_path / "served").mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = run("corpus", "get", "car", f"http://127.0.0.1:{server.server_port}/car.zip", env=env)
        server.shutdown()
    assert done.code == 1
    assert "cannot be downloaded: HTTP Error 404" in done.err

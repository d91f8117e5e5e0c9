import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from textnb import TextClassifier
from textnb.errors import InputError
from textnb.storage import atomic, give, locked, read_toml

UPDATE = """
import sys
from textnb import TextClassifier
from textnb.storage import locked
path, name = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for i in range(30):
    with locked(path):
        TextClassifier.load(path).update([f"{name}{i}"], [name]).save(path)
"""

HOLD = """
import sys
from textnb.storage import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""

SAVE_ON_A_FULL_DISK = """
import resource, sys
from textnb import TextClassifier
classifier = TextClassifier(tokenizer="whitespace").fit([f"word{i}" for i in range(2000)], ["x"] * 2000)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
classifier.save(sys.argv[1])
"""


def started(script, *arguments):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def written(path, data):
    with atomic(path) as stream:
        stream.write(data)


def model(path):
    TextClassifier(tokenizer="whitespace").fit(["a", "b"], ["x", "y"]).save(path)
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_takes_the_place_of_the_old_one_when_it_is_whole(tmp_path):
    path = tmp_path / "file"
    written(path, b"old")
    with atomic(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("failure", [ValueError("broken"), KeyboardInterrupt()])
@pytest.mark.parametrize("old", [b"old", None])
def test_a_failure_while_writing_leaves_the_old_file_and_no_other(tmp_path, failure, old):
    path = tmp_path / "file"
    if old is not None:
        path.write_bytes(old)
    before = names(tmp_path)
    with pytest.raises(type(failure)), atomic(path) as stream:
        stream.write(b"half of the new")
        raise failure
    assert names(tmp_path) == before
    assert old is None or path.read_bytes() == old


def test_a_disk_that_fills_up_leaves_the_old_model_and_no_temporary_file(tmp_path):
    path = model(tmp_path / "model.textnb")
    before = path.read_bytes()
    process = started(SAVE_ON_A_FULL_DISK, path)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert path.read_bytes() == before
    assert names(tmp_path) == ["model.textnb"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_permissions_are_kept(tmp_path, mode):
    path = model(tmp_path / "model.textnb")
    path.chmod(mode)
    model(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_gets_the_permissions_that_the_user_gives_to_new_files(tmp_path):
    old = os.umask(0o027)
    try:
        written(tmp_path / "file", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_followed(tmp_path, exists):
    (tmp_path / "models").mkdir()
    target, link = tmp_path / "models" / "target", tmp_path / "link"
    if exists:
        target.write_bytes(b"old")
    link.symlink_to(Path("models") / "target")
    written(link, b"new")
    assert link.is_symlink()
    assert not target.is_symlink()
    assert target.read_bytes() == link.read_bytes() == b"new"
    assert names(tmp_path / "models") == ["target"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/model", "No such file or directory"),
        ("file/model", "Not a directory"),
        ("folder", ""),
        ("pipe", ""),
    ],
)
def test_where_no_file_can_be_written_the_path_is_named_and_nothing_replaced(tmp_path, name, reason):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=f"{name} cannot be written: {reason}"):
        model(tmp_path / name)
    assert names(tmp_path) == ["file", "folder", "pipe"]
    assert (tmp_path / "pipe").is_fifo()
    with pytest.raises(InputError, match=r"missing/model cannot be locked: No such file or directory"):
        locked(tmp_path / "missing" / "model").__enter__()


def test_two_processes_updating_one_model_lose_nothing(tmp_path):
    path, link = model(tmp_path / "model.textnb"), tmp_path / "link"
    link.symlink_to(path)
    processes = [started(UPDATE, path, "one"), started(UPDATE, link, "two")]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    together = [f"{name}{i}" for name in ("one", "two") for i in range(30)]
    expected = TextClassifier.load(model(tmp_path / "other.textnb"))
    expected.update(together, [name[:3] for name in together]).save(tmp_path / "expected")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_killed_holder_releases_its_lock(tmp_path):
    path = model(tmp_path / "model.textnb")
    holder = started(HOLD, path)
    assert holder.stdout.readline() == "held\n"
    waiter = started(HOLD, path)
    holder.kill()
    holder.communicate()
    output, _ = waiter.communicate(timeout=60)
    assert (output, waiter.returncode) == ("held\n", 0)


def test_the_lock_is_free_again_after_an_error_inside(tmp_path):
    path = model(tmp_path / "model.textnb")
    with pytest.raises(KeyError), locked(path):
        raise KeyError
    output, _ = started(HOLD, path).communicate(timeout=60)
    assert output == "held\n"


@pytest.mark.parametrize(("user", "given"), [(0, [(1, 2)]), (1000, [])])
def test_root_alone_gives_files_away(tmp_path, user, given, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(os, "fchown", lambda _, *owner: calls.append(owner))
    with (tmp_path / "a").open("wb") as stream:
        own = os.fstat(stream.fileno())
        give(stream.fileno(), own)
        give(stream.fileno(), SimpleNamespace(st_uid=1, st_gid=2))
    assert calls == given


def test_a_toml_file_is_read_with_and_without_a_byte_order_mark(tmp_path):
    for mark in (b"", b"\xef\xbb\xbf"):
        (tmp_path / "a.toml").write_bytes(mark + 'name = "日本"\r\n'.encode())
        assert read_toml(tmp_path / "a.toml") == {"name": "日本"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = 1\nb = \n", ": this is not TOML: Invalid value (at line 2, column 5); quote it"),
        (b"a = 1\na = 2\n", ": this is not TOML: Cannot overwrite a value (at line 2, column 6); quote it"),
        (b"a = " + b"1" * 5000, ": this is not TOML: Exceeds the limit"),
        ("a = 1\nb = '日本'".encode("cp932"), ": the list must be written in UTF-8 (at line 2)"),
        ("a = 1".encode("utf-16"), ": the list must be written in UTF-8 (at line 1)"),
        (b"a = 1\nb = " + b"[" * 20000 + b"]" * 20000, ": brackets are nested too deeply (at line 2)"),
        (b"a = [\n" + b"[\n" * 20000 + b"]\n" * 20000 + b"]", ": brackets are nested too deeply (at line 20001)"),
        (b"a = " + b"{b = " * 20000, ": brackets are nested too deeply (at line 1)"),
        (b"a = 1\n" + b"b." * 100_000 + b"c = 1", ": this is not TOML: a key has too many parts (at line 2)"),
        (b"[" + b"'b' . " * 100_000 + b"c]", ": this is not TOML: a key has too many parts (at line 1)"),
        (b"a = {" + b'"b".' * 100_000 + b"c = 1}", ": this is not TOML: a key has too many parts (at line 1)"),
    ],
)
def test_what_is_not_toml_is_refused_in_one_line_with_the_place(tmp_path, content, message):
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_toml(path, "the list", "; quote it")
    assert str(refused.value).startswith(f"{path}{message}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("parts", [1, 2, 50, 100])
def test_a_key_of_up_to_a_hundred_parts_is_read(tmp_path, parts):
    (tmp_path / "a.toml").write_text(".".join(["a"] * parts) + " = 1", encoding="utf-8")
    value = read_toml(tmp_path / "a.toml")
    for _ in range(parts):
        value = value["a"]
    assert value == 1


def test_a_toml_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.toml: the list cannot be read: No such file or directory$"):
        read_toml(tmp_path / "nowhere.toml", "the list")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_toml(tmp_path)


WRITE_AND_WAIT = """
import sys
from textnb.storage import atomic
with atomic(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_the_temporary_file_of_a_killed_run_is_removed_by_the_next_writer(tmp_path):
    path = tmp_path / "model.textnb"
    with started(WRITE_AND_WAIT, path) as killed:
        assert killed.stdout.readline() == "writing\n"
        killed.kill()
    assert len(names(tmp_path)) == 1
    written(path, b"whole")
    assert names(tmp_path) == ["model.textnb"]


def test_the_temporary_file_of_a_run_that_still_writes_is_left_alone(tmp_path):
    path = tmp_path / "model.textnb"
    other = started(WRITE_AND_WAIT, path)
    assert other.stdout.readline() == "writing\n"
    written(path, b"mine")
    assert len(names(tmp_path)) == 2
    other.communicate("")
    assert other.returncode == 0
    assert path.read_bytes() == b"half"
    assert names(tmp_path) == ["model.textnb"]


def test_files_of_others_with_similar_names_are_left_alone(tmp_path):
    similar = [".model.textnb.tmp", ".model.textnb.a.tmp", "model.textnb.12345678.tmp", ".other.12345678.tmp"]
    for name in similar:
        (tmp_path / name).write_bytes(b"theirs")
    written(tmp_path / "model.textnb", b"mine")
    assert names(tmp_path) == sorted([*similar, "model.textnb"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_model_that_root_updates_keeps_its_owner_and_permissions(tmp_path):
    path = model(tmp_path / "model.textnb")
    path.chmod(0o600)
    os.chown(path, 12345, 23456)
    TextClassifier.load(path).update(["c"], ["x"]).save(path)
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o600)

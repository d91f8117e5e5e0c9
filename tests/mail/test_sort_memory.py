"""What a run remembers, and what the next one makes of it."""

import json

import pytest

from textnb.errors import InputError
from textnb.mail.sort_memory import SortMemory

MAIL = b"Subject: a\n\nb\n"


def begun(folder, job="a", model="m", present=("1", "2", "3"), again=False):
    memory = SortMemory(folder, job, again=again)
    memory.begin(model, present)
    return memory


def known(memory):
    return [name for name in ("1", "2", "3", "4") if name in memory]


@pytest.fixture
def folder(tmp_path):
    memory = begun(tmp_path)
    memory.record_stay("1", unsure=False)
    memory.record_stay("2", unsure=True)
    memory.record_kept("3")
    memory.record_move(MAIL, "Junk", "9")
    memory.save()
    return tmp_path


def test_what_stayed_is_known_to_the_next_run(folder):
    assert known(begun(folder)) == ["1", "2", "3"]
    assert begun(folder).moved_to(b"X-Textnb: class=ham\n" + MAIL) == ("Junk", "9")
    assert begun(folder).moved_to(MAIL + b"c") is None


def test_another_model_judges_the_unsure_again(folder):
    memory = begun(folder, model="n")
    assert known(memory) == ["1", "3"]
    memory.save()
    assert known(begun(folder, model="n")) == ["1", "3"]


def test_another_job_knows_only_what_was_put_back(folder):
    other = begun(folder, job="b")
    assert known(other) == ["3"]
    other.record_stay("1", unsure=False)
    other.save()
    assert known(begun(folder, job="b")) == ["1", "3"]
    assert known(begun(folder)) == ["1", "2", "3"]


def test_judging_again_knows_nothing_from_before_and_everything_of_its_own(folder):
    memory = begun(folder, again=True)
    assert known(memory) == []
    assert memory.moved_to(MAIL) is None
    memory.record_stay("1", unsure=False)
    memory.record_move(MAIL, "Bin", "8")
    memory.begin("m", ["1", "2", "3"])
    assert known(memory) == ["1"]
    assert memory.moved_to(MAIL) == ("Bin", "8")
    memory.save()
    assert known(begun(folder)) == ["1"]


def test_messages_that_are_gone_are_dropped(folder):
    begun(folder, present=["2", "4"]).save()
    assert known(begun(folder)) == ["2"]


def test_the_memory_does_not_grow_without_end(folder, monkeypatch):
    monkeypatch.setattr("textnb.mail.sort_memory._MAX_MOVED", 3)
    monkeypatch.setattr("textnb.mail.sort_memory._MAX_JOBS", 2)
    for number in range(5):
        memory = begun(folder, job=number)
        memory.record_move(b"%d" % number, "Junk", str(number))
        memory.save()
    data = json.loads((folder / "textnb-sorted").read_text())
    assert (len(data["jobs"]), len(data["moved"])) == (2, 3)
    assert begun(folder).moved_to(b"4") == ("Junk", "4")
    assert begun(folder).moved_to(b"1") is None


def test_two_runs_at_once_add_up(folder):
    first, second = begun(folder, present=["1", "2", "3", "4"]), begun(folder, present=["1", "2", "3", "4"])
    first.record_move(b"one", "Junk", "5")
    second.record_move(b"two", "Junk", "6")
    second.record_stay("4", unsure=False)
    second.save()
    first.save()
    assert known(begun(folder, present=["1", "4"])) == ["1", "4"]
    assert begun(folder).moved_to(b"one") == ("Junk", "5")
    assert begun(folder).moved_to(b"two") == ("Junk", "6")


def test_nothing_is_written_where_nothing_is_new(folder):
    before = (folder / "textnb-sorted").stat()
    begun(folder).save()
    after = (folder / "textnb-sorted").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 2}', '{"format": 1, "jobs": {"a": 1}}', "é", "null", "[" * 9999]
)
def test_a_damaged_memory_is_an_empty_one(folder, text, caplog):
    caplog.set_level("INFO", "textnb")
    (folder / "textnb-sorted").write_text(text)
    memory = begun(folder)
    assert known(memory) == []
    memory.record_stay("1", unsure=False)
    memory.save()
    assert known(begun(folder)) == ["1"]
    assert caplog.text.count("is damaged") == (1 if text else 0)


def test_a_memory_that_cannot_be_read_is_refused_in_a_line(tmp_path):
    (tmp_path / "textnb-sorted").mkdir()
    with pytest.raises(InputError, match=r"textnb-sorted cannot be read: Is a directory; .* judged again$"):
        begun(tmp_path)


def test_names_that_are_not_utf_8_are_remembered(folder):
    memory = begun(folder, present=["\udce9"])
    memory.record_stay("\udce9", unsure=False)
    memory.save()
    assert "\udce9" in begun(folder, present=["\udce9"])

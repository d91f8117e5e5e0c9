"""The recipes of docs/scale.md and docs/count-files.md for make and Slurm, run as they are printed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
ROWS = [f"d{i},{'dog cat' if i % 2 else 'egg ham'} w{i % 7},{'xy'[i % 2]}\n" for i in range(60)]


def blocks(name):
    """The indented blocks of a page, without their indentation."""
    text = (DOCS / name).read_text(encoding="utf-8")
    found = re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", text, re.MULTILINE)
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip() + "\n" for block in found]


def block(name, start):
    return next(each for each in blocks(name) if each.startswith(start))


def shell(folder, *command, **environment):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tables(folder):
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.csv").write_text("id,text,label\n" + "".join(ROWS[20 * i : 20 * (i + 1)]))
    return folder


@pytest.fixture
def whole(run, tmp_path):
    """The count file of all documents, counted in one run."""
    (tmp_path / "whole.csv").write_text("id,text,label\n" + "".join(ROWS))
    assert run("count", "whole.csv", "-o", "whole.counts").ok
    return (tmp_path / "whole.counts").read_bytes()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not there")
@pytest.mark.parametrize("name", ["scale.md", "scale.ja.md"])
def test_make_counts_what_has_changed_and_trains(run, tmp_path, whole, name):
    tables(tmp_path / "news")
    recipe = block(name, "COUNTS =").replace("textnb train", "textnb train --model multinomial")
    (tmp_path / "Makefile").write_text(recipe, encoding="utf-8")
    assert shell(tmp_path, "make", "-j", "2").count("textnb count") == 3
    assert "textnb count" not in shell(tmp_path, "make")
    os.utime(tmp_path / "news" / "1.csv")
    assert re.findall(r"textnb count (\S+)", shell(tmp_path, "make")) == ["news/1.csv"]
    assert run("train", "whole.counts", "--model", "multinomial", "-o", "whole.textnb").ok
    assert (tmp_path / "news.textnb").read_bytes() == (tmp_path / "whole.textnb").read_bytes()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not there")
def test_parts_that_make_counts_are_joined_to_the_bytes_of_one_run(tmp_path, whole):
    tables(tmp_path / "corpus")
    (tmp_path / "Makefile").write_text(block("count-files.md", "parts :="), encoding="utf-8")
    shell(tmp_path, "make", "-j", "2")
    assert (tmp_path / "all.counts").read_bytes() == whole


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
@pytest.mark.parametrize("name", ["scale.md", "scale.ja.md", "count-files.md"])
def test_jobs_of_an_array_count_parts_that_are_joined_to_the_bytes_of_one_run(run, tmp_path, whole, name):
    tables(tmp_path / ("corpus" if name == "count-files.md" else "news"))
    start = "#SBATCH" if name == "count-files.md" else "# count.sh"
    script = block(name, start).partition("\n\n")[0].replace("/data/", "").replace("*.parquet", "*.csv")
    for number in range(3):
        shell(tmp_path, "bash", "-c", script, SLURM_ARRAY_TASK_ID=str(number))
    assert run("merge", "count*/*.counts", "-o", "joined").ok
    assert (tmp_path / "joined").read_bytes() == whole

"""A million rows of Parquet in twenty files: train, predict to Parquet, rerun, and a corrupt row group.

    python scripts/experiments/parquet_run.py [--rows 1000000] [--files 20] [--only local|memory|corrupt]

The rows are made up: 8 to 30 words each, drawn by Zipf's law from 50,000 words, of which each of five classes prefers a
tenth. Each step runs in a process of its own, from local files and from memory:// (whose process holds the files, too).
Peak memory is the largest resident set of that process; rows/s are by wall time, with processor time beside it.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

GROUP = 5_000
N_WORDS, N_CLASSES = 50_000, 5
RECIPE = ["--model", "multinomial", "--tokenizer", "words", "-o"]
TO_PARQUET = ["--format", "parquet", "--output-dir"]


def make_rows(rng, n):
    """Texts, labels and scores of n rows."""
    ranks = 1.0 / np.arange(1, N_WORDS + 1)
    common = rng.choice(N_WORDS, p=ranks / ranks.sum(), size=(n, 30))
    classes = rng.integers(0, N_CLASSES, n)
    own = rng.integers(0, N_WORDS // 10, (n, 30)) * 10 + classes[:, None]
    words = np.where(rng.random((n, 30)) < 0.25, own, common)
    lengths = rng.integers(8, 31, n)
    texts = [" ".join(f"w{word}" for word in row[:length]) for row, length in zip(words.tolist(), lengths, strict=True)]
    label = pa.array([f"class {number}" for number in classes]).dictionary_encode()
    return pa.table({"text": pa.array(texts, pa.large_string()), "label": label, "score": rng.random(n)})


def make_files(folder, n_rows, n_files):
    rng = np.random.default_rng(20261118)
    for number in range(n_files):
        table = make_rows(rng, n_rows // n_files)
        path = folder / f"part-{number:04d}.parquet"
        parquet.write_table(table, path, row_group_size=GROUP, write_page_checksum=True)


def peak_memory():
    """Largest resident set of this process in MB; that of getrusage begins with the parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def child(arguments):
    """Run textnb in this process, with local files copied to memory:// first; print what it took as the last line."""
    import fsspec

    copied, command = json.loads(arguments)
    memory = fsspec.filesystem("memory")
    held = 0
    for path in sorted(Path(copied).glob("*.parquet")) if copied else ():
        memory.pipe(f"/data/{path.name}", path.read_bytes())
        held += path.stat().st_size
    from textnb.cli import main

    for each in command:
        before = memory.du("/out") if memory.exists("/out") else 0
        start, used = time.perf_counter(), time.process_time()
        try:
            sys.argv = ["textnb", *each]
            main()
        except SystemExit as ended:
            code = ended.code
        found = {"code": code, "wall": time.perf_counter() - start, "cpu": time.process_time() - used}
        found["peak"] = peak_memory()
        found["held"] = (held + max(before, memory.du("/out") if memory.exists("/out") else 0)) / 2**20
        print(json.dumps(found), file=sys.stderr, flush=True)


def run(title, n_rows, commands, copied=""):
    """Run commands one after the other in one new process, and report each."""
    arguments = json.dumps([str(copied), [[str(word) for word in command] for command in commands]])
    done = subprocess.run([sys.executable, __file__, "--child", arguments], capture_output=True, text=True, check=False)
    lines = []
    for line in done.stderr.splitlines():
        if not line.startswith('{"code"'):
            lines.append(line)
            continue
        found = json.loads(line)
        per_second = f"{n_rows / found['wall']:9,.0f} rows/s" if n_rows else ""
        held = f", of which files {found['held']:.0f}" if found["held"] >= 1 else ""
        print(f"{title}: exit {found['code']}, {found['wall']:.1f} s wall, {found['cpu']:.1f} s cpu, {per_second}")
        print(f"    peak memory {found['peak']:,.0f} MB{held}")
        for each in lines:
            print(f"    | {each}")
        lines = []
    if lines:
        print("\n".join(lines))
    sys.stdout.flush()


def damage(path, number):
    """Overwrite bytes in the middle of the texts of a row group."""
    column = parquet.ParquetFile(path).metadata.row_group(number).column(0)
    data = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    middle = start + column.total_compressed_size // 2
    data[middle : middle + 64] = b"\xff" * 64
    path.write_bytes(data)


def run_local(work, data, given):
    """Train, predict and run again, from local files."""
    few, model = work / "few", work / "m.textnb"
    run("train, local files", given.rows, [["train", data, *RECIPE, model]])
    few.mkdir()
    for path in sorted(data.iterdir())[: given.files // 4]:
        (few / path.name).hardlink_to(path)
    run("predict, a quarter of the files", given.rows // 4, [["predict", model, few, *TO_PARQUET, work / "o1"]])
    again = ["predict", model, data, *TO_PARQUET, work / "o2"]
    run("predict, local files", given.rows, [again])
    run("the same again", 0, [again])
    for path in sorted((work / "o2").glob("*.parquet"))[:3]:
        path.unlink()
    run("the same, three parts removed", 3 * given.rows // given.files, [again])
    written = [parquet.ParquetFile(path) for path in sorted((work / "o2").glob("*.parquet"))]
    columns = ", ".join(f"{field.name} {field.type}" for field in written[0].schema_arrow)
    print(f"written: {sum(each.metadata.num_rows for each in written):,} rows in {len(written)} files; {columns}")


def run_memory(work, data, given):
    """Train, predict and run again, from memory://."""
    local, there = work / "m.textnb", work / "m2.textnb"
    if local.exists():
        run("train, memory://", given.rows, [["train", "memory://data/*.parquet", *RECIPE, there]], data)
        print("the models are equal bytes:", local.read_bytes() == there.read_bytes())
    else:
        run("train on the first file", 0, [["train", "memory://data/part-0000.parquet", *RECIPE, there]], data)
    again = ["predict", there, "memory://data", *TO_PARQUET, "memory://out"]
    run("predict, memory://, and the same again", given.rows, [again, again], data)


def run_corrupt(work, data, given):
    """Train and predict where a row group is corrupt."""
    model, bad = work / "m3.textnb", sorted(data.iterdir())[given.files // 3]
    kept = bad.read_bytes()
    damage(bad, 3)
    run("train, a corrupt row group", 0, [["train", data, *RECIPE, model]])
    run("train --skip-bad", given.rows, [["train", data, *RECIPE, model, "--skip-bad"]])
    again = ["predict", model, bad, *TO_PARQUET, work / "o3"]
    run("predict, a corrupt row group", 0, [again])
    run("predict --skip-bad", given.rows // given.files, [[*again[:-1], work / "o4", "--skip-bad"]])
    bad.write_bytes(kept)


STEPS = {"local": run_local, "corrupt": run_corrupt, "memory": run_memory}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", choices=STEPS, action="append", default=[])
    parser.add_argument("--child")
    given = parser.parse_args()
    if given.child:
        child(given.child)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        work, data = Path(name), Path(name, "data")
        data.mkdir()
        make_files(data, given.rows, given.files)
        size = sum(path.stat().st_size for path in data.iterdir()) / 2**20
        print(f"{given.rows:,} rows in {given.files} files, row groups of {GROUP:,} rows, {size:.0f} MB", flush=True)
        for step in given.only or STEPS:
            STEPS[step](work, data, given)


if __name__ == "__main__":
    main()

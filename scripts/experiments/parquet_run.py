"""A million rows of Parquet in twenty files: train, predict to Parquet, rerun, and a corrupt row group.

    python scripts/experiments/parquet_run.py [--rows 1000000] [--files 20] [--folder FOLDER]

The rows are made up: 8 to 30 words each, drawn by Zipf's law from 50,000 words, of which each of five classes prefers a
tenth. Each step runs in a process of its own, from local files and from memory:// (whose process holds the files, too).
Peak memory is the largest resident set of that process; rows/s are by wall time, with processor time beside it.
"""

import argparse
import json
import resource
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
        found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
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
    middle = column.data_page_offset + column.total_compressed_size // 2
    data[middle : middle + 64] = b"\xff" * 64
    path.write_bytes(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--child")
    given = parser.parse_args()
    if given.child:
        child(given.child)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        work = Path(name)
        data, model, few = work / "data", work / "m.textnb", work / "few"
        data.mkdir()
        make_files(data, given.rows, given.files)
        size = sum(path.stat().st_size for path in data.iterdir()) / 2**20
        print(f"{given.rows:,} rows in {given.files} files, row groups of {GROUP:,} rows, {size:.0f} MB", flush=True)
        recipe = ["--model", "multinomial", "--tokenizer", "words", "-o"]
        to_parquet = ["--format", "parquet", "--output-dir"]
        run("train, local files", given.rows, [["train", data, *recipe, model]])
        few.mkdir()
        for path in sorted(data.iterdir())[: given.files // 4]:
            (few / path.name).hardlink_to(path)
        run("predict, a quarter of the files", given.rows // 4, [["predict", model, few, *to_parquet, work / "o1"]])
        again = ["predict", model, data, *to_parquet, work / "o2"]
        run("predict, local files", given.rows, [again])
        run("the same again", 0, [again])
        for path in sorted((work / "o2").glob("*.parquet"))[:3]:
            path.unlink()
        run("the same, three parts removed", 3 * given.rows // given.files, [again])
        written = [parquet.ParquetFile(path) for path in sorted((work / "o2").glob("*.parquet"))]
        columns = ", ".join(f"{field.name} {field.type}" for field in written[0].schema_arrow)
        print(f"written: {sum(each.metadata.num_rows for each in written):,} rows in {len(written)} files; {columns}")
        there = work / "m2.textnb"
        run("train, memory://", given.rows, [["train", "memory://data/*.parquet", *recipe, there]], data)
        print("the models are equal bytes:", model.read_bytes() == there.read_bytes())
        again = ["predict", model, "memory://data", *to_parquet, "memory://out"]
        run("predict, memory://, and the same again", given.rows, [again, again], data)
        bad = sorted(data.iterdir())[given.files // 3]
        damage(bad, 3)
        run("train, a corrupt row group", 0, [["train", data, *recipe, there]])
        run("train --skip-bad", given.rows, [["train", data, *recipe, there, "--skip-bad"]])
        again = ["predict", model, bad, *to_parquet, work / "o3"]
        run("predict, a corrupt row group", 0, [again])
        run("predict --skip-bad", given.rows // given.files, [[*again[:-1], work / "o4", "--skip-bad"]])


if __name__ == "__main__":
    main()

"""Exactness: whatever is learnt, forgotten and merged equals one training, to the byte of the model file.

    .venv/bin/python scripts/experiments/exactness.py --short FOLDER [--corpora a,b] [--models a,b] [--sentences N]

--short: the folder with asdc-l1.jsonl.gz, requests of hotel guests (one object per line: text, label, split). The
livedoor corpus comes from `textnb corpus get livedoor`; its articles are cut into sentences, of which N (50,000) are
drawn. A tenth of the documents, chosen by chance, is learnt and forgotten again, and so are 50 documents of a class of
their own. Bytes are compared with those of a model that has learnt the rest alone:

    forgotten   all documents learnt at once, then the tenth and the new class forgotten
    came, went  the rest learnt, the model written and read, then the tenth and the new class learnt and forgotten
    merged      the rest learnt in three parts, merged in two orders

Beyond the number of kept documents (--sample) the counts must be equal, and the bytes of what was only learnt and
merged. The last lines are the sizes of the kept documents in the file: plain arrays (format 2), zlib of these, and as
they are stored now.
"""

import argparse
import gzip
import json
import re
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from textnb import Document, TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.counts import Counted, Examples, counted
from textnb.files.arrays import packed_examples

MODELS = ("multinomial", "complement", "nb-logistic")
CORPORA = ("hotel requests", "livedoor sentences")
NEW_CLASS = "a new class"
N_NEW = 50
SENTENCE = re.compile(r"[^。！？\n]+[。！？]*")


def main() -> None:
    """Compare the bytes for each corpus and model."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--short", type=Path, required=True)
    arguments.add_argument("--corpora", default=",".join(CORPORA))
    arguments.add_argument("--models", default=",".join(MODELS))
    arguments.add_argument("--sentences", type=int, default=50_000)
    given = arguments.parse_args()
    for name in given.corpora.split(","):
        documents = hotel_requests(given.short) if name == "hotel requests" else sentences(given.sentences)
        print(f"{name}: {len(documents):,} documents in {len({each.label for each in documents})} classes", flush=True)
        for model in given.models.split(","):
            check(model, documents)


def hotel_requests(folder: Path) -> list[Document]:
    """Requests of the parts train and dev."""
    with gzip.open(folder / "asdc-l1.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["split"] in ("train", "dev")]
    return [Document(row["text"], row["label"]) for row in rows]


def sentences(number: int) -> list[Document]:
    """Some sentences of the livedoor articles with two characters or more, drawn by chance."""
    every = [
        Document(text.strip(), article.label)
        for article in read_corpus(corpus_path("livedoor"))
        for text in SENTENCE.findall(article.text)
        if len(text.strip()) > 1
    ]
    chosen = np.random.default_rng(0).permutation(len(every))[:number]
    return [every[i] for i in chosen]


def check(model: str, documents: list[Document]) -> None:
    """Print which ways of learning the same documents give the same bytes."""
    begun = time.process_time()
    new = [Document(f"{each.text} {NEW_CLASS}", NEW_CLASS) for each in documents[:N_NEW]]
    (every,) = counted([*documents, *new], TextClassifier(model).recipe.terms_of)
    is_gone = np.arange(len(every)) >= len(documents)
    is_gone[: len(documents)] = np.random.default_rng(1).random(len(documents)) < 0.1
    rest, gone = (every.rows(np.flatnonzero(chosen)).trimmed for chosen in (~is_gone, is_gone))
    alone = trained(model, rest)
    expected = saved(alone)
    came = again(alone).update([gone])
    first, second, third = (trained(model, each) for each in thirds(rest))
    found = {
        "forgotten": saved(trained(model, every).forget([gone])) == expected,
        "came, went": saved(came) != expected and saved(came.forget([gone])) == expected,
        "merged": saved(again(first).merge(second).merge(third))
        == saved(again(third).merge(again(second).merge(first)))
        == expected,
    }
    print(f"  {model}: {', '.join(f'{name} {words(same)}' for name, same in found.items())}; ", end="")
    print(f"{len(rest):,} + {len(gone):,} documents, {time.process_time() - begun:.0f} s of processor time", flush=True)
    if alone.learnt.sample is not None:
        check_beyond(model, rest, gone, len(rest) // 3)
    print(f"    file {len(expected) / 1e6:.1f} MB; kept documents: {sizes(alone)}", flush=True)


def check_beyond(model: str, rest: Counted, gone: Counted, sample: int) -> None:
    """Print what is equal where at most ``sample`` documents are kept."""
    alone = trained(model, rest, sample)
    forgotten = again(alone).update([gone]).forget([gone])
    first, second, third = (trained(model, each, sample) for each in thirds(rest))
    same_merged = saved(again(first).merge(second).merge(third)) == saved(alone)
    same_counts = (forgotten.learnt.counts, forgotten.learnt.digests) == (alone.learnt.counts, alone.learnt.digests)
    kept = [classifier.facts()["documents kept"] for classifier in (alone, forgotten)]
    print(f"    --sample {sample}: merged {words(same_merged)}, counts after forgetting {words(same_counts)}, ", end="")
    print(f"documents kept {kept[0]:,}, after forgetting {kept[1]:,}", flush=True)


def thirds(part: Counted) -> Iterator[Counted]:
    """Every third document, three times."""
    return (part.rows(np.arange(start, len(part), 3)).trimmed for start in range(3))


def trained(model: str, part: Counted, sample: int | None = None) -> TextClassifier:
    return TextClassifier(model, **({} if sample is None else {"sample": sample})).fit([part])


def saved(classifier: TextClassifier) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        classifier.save(Path(folder) / "model.textnb")
        return (Path(folder) / "model.textnb").read_bytes()


def again(classifier: TextClassifier) -> TextClassifier:
    """The classifier, written and read."""
    with tempfile.TemporaryDirectory() as folder:
        classifier.save(Path(folder) / "model.textnb")
        return TextClassifier.load(Path(folder) / "model.textnb")


def words(same: bool) -> str:
    return "identical" if same else "DIFFERENT"


def sizes(classifier: TextClassifier) -> str:
    """Sizes of the kept documents in megabytes: plain arrays, zlib of these, and as stored."""
    learnt = classifier.learnt
    examples = learnt.examples if learnt.sample is None else learnt.sample.examples
    assert examples is not None
    plain = [array.tobytes() for array in plain_arrays(examples)]
    zipped = [len(zlib.compress(data)) for data in plain]
    stored = sum(array.nbytes for array in packed_examples("kept", examples, learnt).values())
    shown = zip(("plain", "zlib of plain", "stored"), (sum(map(len, plain)), sum(zipped), stored), strict=True)
    return ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in shown)


def plain_arrays(examples: Examples) -> Iterator[np.ndarray]:
    """Arrays of format 2: a byte per count, columns, ends of rows, terms, classes and digests."""
    X = examples.X
    yield from (np.minimum(X.data, 255).astype(np.uint8), X.indices.astype(np.int32), X.indptr.astype(np.int32))
    yield from (np.arange(len(examples.vocabulary)), examples.y.astype(np.int32), examples.digests)


if __name__ == "__main__":
    main()

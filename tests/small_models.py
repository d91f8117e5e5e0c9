"""Small classifiers and what the tests of several files do with them."""

import random
import zlib
from io import BytesIO

import numpy as np
from zip_bundles import write_zip_bundle

from textnb import Analyzer, TextClassifier
from textnb.counts.labels import places
from textnb.counts.learnt import level_bound
from textnb.files.arrays import _stacked, packed_table
from textnb.files.bundle import open_bundle, write_bundle
from textnb.files.model_file import read_model, write_model
from textnb.files.numbers import packed_numbers, unpacked_numbers

WEIGHTINGS = ["raw", "binary", "log"]
TEXTS, LABELS = ["a b a", "c", "", "梅 塩"], ["x", "y", "x", "料理"]
BY_EVIDENCE = {"model": "multinomial", "alpha": "evidence", "analyzer": Analyzer()}
"""Settings of the model that the tests which are not about a certain model use: fast, on words alone."""


def untrained(weighting="log", **settings):
    return TextClassifier(**{**BY_EVIDENCE, "tokenizer": "whitespace", "weighting": weighting, **settings})


def learn(corpus, weighting="log", **settings):
    return untrained(weighting, **settings).update(*columns(corpus))


def columns(corpus):
    return [text for text, _ in corpus], [label for _, label in corpus]


def fitted(**settings):
    return TextClassifier(**{**BY_EVIDENCE, "tokenizer": "whitespace", **settings}).fit(TEXTS, LABELS)


def bytes_of(classifier):
    """The bytes of its model file, without a file."""
    stream = BytesIO()
    write_model(stream, classifier._content())
    return stream.getvalue()


def put(name, value):
    """A change of a file that replaces the array of that name."""
    return lambda _, arrays: arrays.update({name: value(arrays[name])})


def put_numbers(name, value):
    """A change of a file that replaces the numbers of that name, which are stored small."""
    return put(name, lambda packed: packed_numbers(np.asarray(value(all_numbers(packed)))))


def all_numbers(packed):
    """Numbers stored small; the last byte of each is below 128."""
    return unpacked_numbers(packed, sum(byte < 128 for byte in zlib.decompress(packed.tobytes())), "numbers")


def with_a_changed_byte(data, number, seed):
    """Copies of data, each with another byte somewhere."""
    rng = random.Random(seed)
    for position in rng.sample(range(len(data)), number):
        yield data[:position] + bytes([data[position] ^ rng.randrange(1, 256)]) + data[position + 1 :]


def read_in_full(path):
    """Load a model and read all that it has learnt."""
    classifier = TextClassifier.load(path)
    assert classifier.learnt is not None
    return classifier


def rewritten(path, kind, change):
    """Change the content of a file and write it again in its format, digests and all."""
    bundle = open_bundle(path, kind)
    header, answering, learning = bundle.header, dict(bundle.answering), dict(bundle.learning)
    arrays = {**answering, **learning}
    header = {name: value for name, value in header.items() if name not in ("sections", "members")}
    change(header, arrays)
    if header["format"] == 2:
        write_zip_bundle(path, kind, header, arrays)
        return
    write_bundle(
        path,
        kind,
        header,
        {name: array for name, array in arrays.items() if name in answering},
        {name: array for name, array in arrays.items() if name not in answering},
    )


def in_format_2(path, levels=None):
    """Write a model file again as format 2, with plain arrays and about 3,000 documents at most; return its path.

    ``levels`` of classes: only the documents below them are written.
    """
    bundle, learnt = open_bundle(path, "model"), read_model(path).learnt.value
    histograms, sample = learnt.histograms, learnt.sample
    header = {name: bundle.header[name] for name in ("recipe", "classes", "calibration") if name in bundle.header}
    header["kept"] = {**bundle.header["kept"], "smoothing": {"rule": 2}}
    packed = (".lengths", ".gaps", ".counts", ".kept", ".classes")
    arrays = {name: np.asarray(array) for name, array in bundle.learning.items() if not name.endswith(packed)}
    arrays["digests"] = np.asarray(bundle.answering["digests"])
    arrays |= packed_table("terms", learnt.counts.terms) | packed_table("containing", learnt.counts.containing)
    for name in ("times", "lengths") if histograms is not None else ():
        arrays |= packed_table(f"histograms.{name}", _stacked([getattr(part, name) for part in histograms.parts]))
    if learnt.examples is not None:
        arrays |= plain_examples("examples", learnt.examples, learnt.counts)
    if sample is not None:
        below = sample._below({name: level_bound(level) for name, level in (levels or {}).items()})
        arrays |= plain_examples("sample", below.examples, learnt.counts)
        header["kept"]["sample"] = {"most": 3000, "levels": levels or {}}
    header["recipe"]["sample"] = 3000
    write_zip_bundle(path, "model", header, arrays)
    return path


def plain_examples(name, examples, counts):
    table = packed_table(name, examples.X)
    data = table[f"{name}.data"]
    return {
        **table,
        f"{name}.data": np.minimum(data, 255).astype(np.uint8),
        f"{name}.large": data[data >= 255],
        f"{name}.columns": counts.vocabulary.columns_of(examples.vocabulary).astype(np.int64),
        f"{name}.classes": places(counts.classes, examples.classes)[examples.y].astype(np.int32),
        f"{name}.digests": examples.digests,
    }

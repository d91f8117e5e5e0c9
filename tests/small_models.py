"""Small classifiers and what the tests of several files do with them."""

import random

from textnb import TextClassifier
from textnb.files.bundle import read_bundle, write_bundle

WEIGHTINGS = ["raw", "binary", "log"]
TEXTS, LABELS = ["a b a", "c", "", "梅 塩"], ["x", "y", "x", "料理"]


def untrained(weighting="log", **settings):
    return TextClassifier(tokenizer="whitespace", weighting=weighting, **settings)


def learn(corpus, weighting="log", **settings):
    return untrained(weighting, **settings).update(*columns(corpus))


def columns(corpus):
    return [text for text, _ in corpus], [label for _, label in corpus]


def fitted(**settings):
    return TextClassifier(**{"tokenizer": "whitespace", **settings}).fit(TEXTS, LABELS)


def put(name, value):
    """A change of a file that replaces the array of that name."""
    return lambda _, arrays: arrays.update({name: value(arrays[name])})


def with_a_changed_byte(data, number, seed):
    """Copies of data, each with another byte somewhere."""
    rng = random.Random(seed)
    for position in rng.sample(range(len(data)), number):
        yield data[:position] + bytes([data[position] ^ rng.randrange(1, 256)]) + data[position + 1 :]


def rewritten(path, kind, change):
    """Change the content of a file and write it again, digests and all."""
    header, arrays = read_bundle(path, kind)
    del header["members"]
    change(header, arrays)
    write_bundle(path, kind, header, arrays)

"""Whether each text column should have terms of its own: titles and bodies of livedoor, joined or apart.

    .venv/bin/python scripts/experiments/text_columns.py --split FOLDER [--seeds N]

FOLDER has the lists of the published split; training documents are drawn from train.tsv, and dev.tsv is answered.
Bodies are whole, or cut to 200 characters (a form with a subject and a message). "joined": one text, title first, as
`--text title,body` reads it. "apart": terms of the title are counted as `title:term` beside the body. "both": joined,
and the terms of the title once more as `title:term`. Words are Janome's. Printed are means over the seeds.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from textnb import Document, TextClassifier, read_corpus
from textnb.corpus import corpus_path
from textnb.text import tokenizer

SIZES = (100, 400, 1600, 4421)
CUTS = (200, None)
MODELS = ("multinomial", "complement")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--split", type=Path, required=True)
    arguments.add_argument("--seeds", type=int, default=3)
    given = arguments.parse_args()
    names = {part: _listed(given.split / f"{part}.tsv") for part in ("train", "dev")}
    words = tokenizer("janome")
    read = list(read_corpus(corpus_path("livedoor")))
    titles = {each.id: words(each.text.partition("\n")[0]) for each in read}
    parts = {part: [each for each in read if Path(each.id).name in listed] for part, listed in names.items()}
    print(f"{len(parts['train'])} training and {len(parts['dev'])} development documents")
    print(f"{'body':>6} {'documents':>9} {'model':12} {'terms':7} accuracy log loss")
    for cut in CUTS:
        for size in SIZES:
            for model in MODELS:
                for way in ("joined", "apart", "both"):
                    runs = []
                    for seed in range(given.seeds if size < len(parts["train"]) else 1):
                        rows = np.random.default_rng(seed).permutation(len(parts["train"]))[:size]
                        train = [_document(parts["train"][i], titles, cut, way) for i in rows]
                        dev = [_document(each, titles, cut, way) for each in parts["dev"]]
                        found = TextClassifier(model, tokenizer="janome").fit(train).evaluate(dev)
                        runs.append((found.accuracy, found.log_loss))
                    accuracy, loss = np.mean(runs, axis=0)
                    print(f"{cut or 'whole':>6} {size:9} {model:12} {way:7} {accuracy:.4f}   {loss:.4f}", flush=True)


def _listed(path: Path) -> set[str]:
    with path.open(encoding="utf-8") as lines:
        return {row["filename"] for row in csv.DictReader(lines, delimiter="\t")}


def _document(read: Document, titles: dict[str, list[str]], cut: int | None, way: str) -> Document:
    title, _, body = read.text.partition("\n")
    body = body[:cut]
    text = body if way == "apart" else f"{title}\n{body}"
    return Document(text, read.label, read.id, {} if way == "joined" else {"title": titles[read.id]})


if __name__ == "__main__":
    main()

"""Measures what keeping hidden text of HTML apart does for a mail filter, on the SpamAssassin corpus.

    .venv/bin/python scripts/experiments/mail_hidden_text.py

Three readers are compared: `apart` (textnb's: hidden words are tokens of the group `hidden`), `dropped` (hidden words
count for nothing) and `shown` (hidden words count as text). Each learns one half of the corpus, as in
mail_bogofilter.py, and judges the other; the halves are pooled.

as it is    the unchanged messages: ranking, ham lost, spam passed, unsure, and processor time of reading
attacked    spam in HTML with good words hidden in it: an excerpt of good mail of the half that was learnt, in an
            element at the end of the page. How much of the spam is still recognised, and how much passes.
"""

import random
import re
import time
from dataclasses import replace

import numpy as np
from mail_bogofilter import Answers, in_words, messages, pooled, ratio_of_areas, textnb

from textnb import Document, TextClassifier
from textnb.counts import counted
from textnb.mail.decision import Cutoffs, is_thin
from textnb.readers import MailFeatures, read_message
from textnb.readers.message import html

READERS = ("apart", "dropped", "shown")
ATTACKS = {
    "unchanged": "",
    "display:none": '<div style="display:none">{words}</div>',
    "font-size:0": '<div style="font-size:0">{words}</div>',
    "off the page": '<div style="position:absolute;left:-9999px">{words}</div>',
    "class in <style>": "<style>.k7{{display:none}}</style><div class=k7>{words}</div>",
    "not hidden": "<div>{words}</div>",
}
N_WORDS = 50, 200, 1000
_removed = html.remove_hidden_texts


def main() -> None:
    files, is_spam = messages()
    raws = [path.read_bytes() for path in files]
    corpora = {reader: as_documents(raws, is_spam, reader) for reader in READERS}
    hides = np.array(["hidden" in document.fields for document in corpora["apart"]])
    print(f"{len(raws):,} messages; {(hides & is_spam).sum()} spam and {(hides & ~is_spam).sum()} good ones hide words")
    as_it_is(corpora, raws, is_spam)
    targets = [i for i in np.flatnonzero(is_spam) if is_plain_html(raws[i])]
    print(f"\nattacked: {len(targets)} spam in HTML; recognised as spam, passed as good")
    print(f"{'':28}" + "".join(f"{reader:>18}" for reader in READERS))
    attacked(corpora, raws, is_spam, targets)


def as_documents(raws: list[bytes], is_spam: np.ndarray, reader: str) -> list[Document]:
    return [
        replace(read(raw, reader), label="spam" if spam else "ham", id=str(i))
        for i, (raw, spam) in enumerate(zip(raws, is_spam, strict=True))
    ]


def read(raw: bytes, reader: str) -> Document:
    html.remove_hidden_texts = _removed if reader != "shown" else lambda *_: []
    return read_message(raw, MailFeatures().without("hidden") if reader == "dropped" else None)


def as_it_is(corpora: dict[str, list[Document]], raws: list[bytes], is_spam: np.ndarray) -> None:
    answers: dict[str, Answers] = {}
    print(
        f"\nas it is\n{'':10}{'1-AUC %':>9} {'ham lost':>8} {'passed':>7} {'unsure':>7}   1-AUC / apart (95 % interval)"
    )
    for reader, documents in corpora.items():
        thin = np.array([is_thin(document) for document in documents])
        (corpus,) = counted(documents, TextClassifier("mail").recipe.terms_of, entries=float("inf"))
        answers[reader] = pooled(lambda *parts: textnb(corpus, thin, *parts), is_spam, "all", 0)  # noqa: B023
        ratio = ratio_of_areas(answers["apart"].scores, answers[reader].scores, is_spam)
        words = in_words(answers[reader], is_spam)[:34]
        print(f"{reader:10}{words}   {ratio[0]:.3f} ({ratio[1]:.3f} to {ratio[2]:.3f})", flush=True)
    seconds: dict[str, list[float]] = {reader: [] for reader in READERS}
    for _ in range(5):
        for reader in READERS:
            begun = time.process_time()
            for raw in raws:
                read(raw, reader)
            seconds[reader].append(time.process_time() - begun)
    ratios = [ours / theirs for ours, theirs in zip(seconds["apart"], seconds["shown"], strict=True)]
    print(f"reading, apart / shown: {np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f} in five rounds)")


def is_plain_html(raw: bytes) -> bool:
    """Whether the whole body is HTML that is not encoded, so that an element can be added at its end."""
    head = raw.partition(b"\n\n")[0]
    encoded = re.search(rb"(?im)^content-transfer-encoding:\s*(base64|quoted)", head)
    return re.search(rb"(?im)^content-type:\s*text/html", head) is not None and encoded is None


def attacked(corpora: dict[str, list[Document]], raws: list[bytes], is_spam: np.ndarray, targets: list[int]) -> None:
    excerpts = [
        [" ".join(re.findall("[A-Za-z]{3,}", corpora["apart"][i].text)) for i in range(half, len(raws), 2)]
        for half in (0, 1)
    ]
    excerpts = [[text for i, text in enumerate(texts) if not is_spam[2 * i + h]] for h, texts in enumerate(excerpts)]
    models = {
        (reader, half): TextClassifier("mail").fit(corpora[reader][half::2]) for reader in READERS for half in (0, 1)
    }
    for name, page in ATTACKS.items():
        for n_words in N_WORDS if page else (0,):
            cells = []
            for reader in READERS:
                verdicts = []
                for half in (0, 1):
                    source = random.Random(half)
                    chosen = [i for i in targets if i % 2 != half]
                    salted = [raws[i] + salt(page, excerpts[half], n_words, source) for i in chosen]
                    verdicts += judged(models[reader, half], [read(raw, reader) for raw in salted])
                recognised, passed = (np.mean([verdict == kind for verdict in verdicts]) for kind in ("spam", "ham"))
                cells.append(f"{recognised:11.3f} {passed:6.3f}")
            print(f"{name:18}{n_words or '':>5}     " + "".join(cells), flush=True)


def salt(page: str, excerpts: list[str], n_words: int, source: random.Random) -> bytes:
    words: list[str] = []
    while len(words) < n_words:
        words += source.choice(excerpts).split()
    return page.format(words=" ".join(words[:n_words])).encode()


def judged(clf: TextClassifier, documents: list[Document]) -> list[str]:
    thin = np.array([is_thin(document) for document in documents])
    classes = clf.classes_.tolist()
    codes, unsure = Cutoffs("spam").decide(clf.predict_proba(documents), classes, thin)
    return ["unsure" if doubt else classes[code] for code, doubt in zip(codes, unsure, strict=True)]


if __name__ == "__main__":
    main()

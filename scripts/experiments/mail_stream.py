"""Compares textnb and bogofilter with immediate feedback: judge a message, learn its label, go on to the next one.

    .venv/bin/python scripts/experiments/mail_stream.py [--from YYYY-MM-DD] [--until YYYY-MM-DD] [--every N]

The way mail filters have been compared since TREC 2005. The messages of the SpamAssassin corpus come in the order of
their newest Received fields (see mail_weeks.py). Both programs learn the messages before --from
without judging them (bogofilter all at once), and then judge each message before they learn it.

textnb learns as `textnb learn` does, in one process: counts are renewed by every message, and the parts that must be
fitted are fitted again when a twentieth of the messages is new. Until both classes are known, every message is unsure.
bogofilter runs twice per message, once to judge and once to learn, as a delivery agent calls it; its milliseconds
include starting a process (a small one), those of textnb do not, as in `textnb filterd`.

1-AUC is that of one ranking of all judged messages. Intervals are 95 %, by a bootstrap of groups of copies.
Milliseconds are means of processor time, in which other work on the machine counts little.
"""

import argparse
import datetime
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from mail_bogofilter import CUTOFFS, Answers
from mail_weeks import Stream, copies_of, report, stream

from textnb import TextClassifier
from textnb.mail import corrections
from textnb.mail.decision import Cutoffs, is_thin, mail_document

LABELS = "ham", "spam"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    day = datetime.date.fromisoformat
    arguments.add_argument("--from", type=day, default=day("2002-07-22"), dest="first", help="first week to judge")
    arguments.add_argument("--until", type=day, default=day("2002-09-30"), help="first week to leave out")
    arguments.add_argument("--every", type=int, default=1, help="take every Nth message")
    given = arguments.parse_args()
    whole = stream()
    rows = np.flatnonzero(whole.mondays < given.until)[:: given.every]
    mail = Stream([whole.files[i] for i in rows], whole.is_spam[rows], whole.mondays[rows], whole.n_undated)
    judged = np.flatnonzero(mail.mondays >= given.first)
    print(
        f"{len(rows):,} messages, {len(judged):,} judged, {int(mail.is_spam[judged].sum()):,} of them spam", flush=True
    )
    pooled = {}
    for name, program in (("bogofilter", bogofilter), ("mail", textnb)):
        answers = program(mail, int(judged[0]))
        pooled[name] = Answers(answers.scores[judged], answers.verdicts[judged], answers.seconds)
        judging, learning = (1000 * seconds for seconds in answers.seconds)
        print(f"{name:12}{judging:8.1f} ms to judge{learning:8.1f} ms to learn", flush=True)
    weeks = [np.flatnonzero(mail.mondays[judged] == monday) for monday in np.unique(mail.mondays[judged])]
    groups = copies_of([mail_document(mail.files[i].read_bytes()) for i in judged])
    report(pooled, mail.is_spam[judged], weeks, groups)


def textnb(mail: Stream, first: int) -> Answers:
    """Judge and learn with textnb; seconds per message to judge, reading included, and to learn."""
    classifier, cutoffs = TextClassifier("mail"), Cutoffs("spam")
    scores, verdicts = np.zeros(len(mail.files)), np.full(len(mail.files), "unsure")
    n_learnt, refits, classes, seconds = 0, 0, set[str](), np.zeros(2)
    for i, (path, is_spam) in enumerate(zip(mail.files, mail.is_spam, strict=True)):
        raw, label = path.read_bytes(), LABELS[int(is_spam)]
        begun = time.process_time()
        document = mail_document(raw)
        known = len(classes) == len(LABELS)
        if known and i >= first:
            log_p = classifier.predict_log_proba([document])
            codes, unsure = cutoffs.decide(np.exp(log_p), LABELS, [is_thin(document)])
            scores[i], verdicts[i] = log_p[0, 1] - log_p[0, 0], "unsure" if unsure[0] else ("good", "spam")[codes[0]]
        judged = time.process_time()
        if not classes:
            classifier.fit([document], [label])
        else:
            corrections.learn(classifier, document, label, was=LABELS[1 - is_spam] if known else None, new=True)
        classes.add(label)
        n_learnt += 1
        refits += known and classifier.fitted.fit.facts["fitted_on"] == len(classifier.learnt.digests)
        if i >= first:
            seconds += judged - begun, time.process_time() - judged
    print(f"{refits} refits over {n_learnt:,} messages")
    return Answers(scores, verdicts, tuple(seconds / (n_learnt - first)))


def bogofilter(mail: Stream, first: int) -> Answers:
    """Judge and learn with bogofilter, a process for each; seconds per message to judge and to learn."""
    scores, verdicts = np.zeros(len(mail.files)), np.full(len(mail.files), "unsure")
    seconds, (good, spam) = np.zeros(2), CUTOFFS
    with tempfile.TemporaryDirectory() as folder:
        base = ["bogofilter", "-C", "-d", folder]
        _register(base, [p for p, s in zip(mail.files[:first], mail.is_spam, strict=False) if not s], "-n")
        _register(base, [p for p, s in zip(mail.files[:first], mail.is_spam, strict=False) if s], "-s")
        for i in range(first, len(mail.files)):
            begun = _processor_of_children()
            asked = [*base, "-TT", "-I", str(mail.files[i])]
            scores[i] = float(subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()[-1])
            judged = _processor_of_children()
            subprocess.run([*base, "-s" if mail.is_spam[i] else "-n", "-I", str(mail.files[i])], check=True)
            seconds += judged - begun, _processor_of_children() - judged
    verdicts[scores >= spam], verdicts[scores <= good] = "spam", "good"
    return Answers(scores, verdicts, tuple(seconds / (len(mail.files) - first)))


def _register(base: list[str], files: list[Path], flag: str) -> None:
    subprocess.run([*base, flag, "-b"], input="".join(f"{path}\n" for path in files), text=True, check=True)


def _processor_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()

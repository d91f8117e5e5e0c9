"""A report with everything in it, some of it hostile."""

from functools import cache

import numpy as np

from textnb import Document, TextClassifier
from textnb.evaluation import CostEvaluation, Costs, Evaluation
from textnb.evaluation.evaluation import confident_mistakes
from textnb.report import Estimate, ExplainedDocument, LearningCurve, Report, Table, Word

HOSTILE = "<script>document.title = 'ran'</script><img src=x onerror=\"document.title='ran'\">"
LABELS = ["料理", "<b>sport</b>"]
TRAINING = ["卵を焼いて塩をふる", "塩と油で卵を焼く", "試合は延長で決まった", "延長の試合に勝った"]
TEXTS = [f"塩をふって試合を見た {HOSTILE}", "卵を焼く", "試合は延長", "延長で卵が決まった", "雨"]
TRUE = [LABELS[1], LABELS[0], LABELS[1], LABELS[0], "天気"]


@cache
def classifier():
    return TextClassifier(tokenizer="charclass").fit(TRAINING, [LABELS[0]] * 2 + [LABELS[1]] * 2)


@cache
def whole_report():
    clf = classifier()
    logs, classes = clf.predict_log_proba(TEXTS), clf.fitted.classes
    mistakes = [
        ExplainedDocument(f"id{m.row}{HOSTILE}", TEXTS[m.row], clf.explain(TEXTS[m.row], m.predicted), m)
        for m in confident_mistakes(TRUE, logs, classes, 10)
    ]
    curve = LearningCurve(HOSTILE, [10, 100], [Estimate(0.5, 0.4, 0.6), Estimate(0.9, 0.8, 0.95)])
    return Report(
        f"報告 {HOSTILE}",
        facts=[("corpus", HOSTILE)],
        notes=[HOSTILE],
        learnt=dict.fromkeys(LABELS, 2),
        evaluation=Evaluation.of(TRUE, logs, classes),
        costs=CostEvaluation.of(TRUE, np.exp(logs), Costs(), classes),
        models=Table(["recipe", "accuracy", HOSTILE], [(HOSTILE, Estimate(0.9, 0.8, 0.95), 1)]),
        curves={"accuracy": [curve], HOSTILE: [curve]},
        words={label: [Word("塩", 1.5, 2), Word(HOSTILE, 0.5, 1)] for label in LABELS},
        mistakes=mistakes,
        documents=[ExplainedDocument("why", TEXTS[0], clf.explain(Document(TEXTS[0])))],
    )

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
        words={label: [Word("塩", 1.5, 2, [Word("塩 油", 0.7, 1)]), Word(HOSTILE, 0.5, 1)] for label in LABELS},
        mistakes=mistakes,
        documents=[
            ExplainedDocument(
                "why",
                TEXTS[0],
                clf.explain(Document(TEXTS[0])),
                title=HOSTILE,
                probabilities=list(zip(classes, np.exp(logs[0]).tolist(), strict=True)),
            )
        ],
    )


def many_classes_evaluation(n_classes=54):
    """Answers to two documents of each class; of class k, k % 3 are wrong."""
    classes = [f"宿泊の問い合わせ{k:02}" for k in range(n_classes)]
    labels = [name for name in classes for _ in range(2)]
    predicted = [(k + 1) % n_classes if twice < k % 3 else k for k in range(n_classes) for twice in range(2)]
    logs = np.log(np.full((len(labels), n_classes), 0.5 / n_classes) + 0.5 * np.eye(n_classes)[predicted])
    return Evaluation.of(labels, logs, classes)


def many_classes_report():
    """Report on 54 classes, and on recipes with all columns of a comparison."""
    evaluation = many_classes_evaluation()
    some = [Estimate(value, value - 0.05, value + 0.05) for value in (0.9, 0.85, 0.3, 0.2, 0.1)]
    columns = ["recipe", "accuracy", "macro F1", "log loss", "Brier", "ECE", "fit, s", "predict, s"]
    columns += ["p, McNemar", "p, corrected t"]
    rows = [(f"recipe-with-a-long-name-{k}", *some, 0.5, 0.25, 0.5, None) for k in range(6)]
    words = {name: [Word("チェックイン", 2.0, 2)] for name in evaluation.classes}
    learnt = dict.fromkeys(evaluation.classes, 2)
    return Report("54", evaluation=evaluation, models=Table(columns, rows, 108), words=words, learnt=learnt)

"""Languages of reports: phrases are written in English where they are used, and translated to Japanese here."""

from dataclasses import dataclass

from textnb.errors import ParameterError

UNKNOWN = "(unknown)"
"""Name that stands for all labels that a model does not know."""

LANGUAGES = ("en", "ja")

_JAPANESE = {
    # the page
    "Report": "レポート",
    "Skip to the content": "本文へ移動",
    "Sections": "目次",
    "Made by textnb {version}. This page is complete: it loads nothing and runs no script.": (
        "textnb {version} で作成。このページは単独で完結しており、外部から何も読み込まず、スクリプトも実行しません。"
    ),
    "Test of {model}": "{model} の評価",
    "Training of {model}": "{model} の学習",
    "Explained by {model}": "{model} による説明",
    "Comparison of models on {corpus}": "{corpus} でのモデルの比較",
    # facts
    "corpus": "コーパス",
    "model file": "モデルファイル",
    "model": "モデル",
    "smoothing": "平滑化",
    "weighting": "重み付け",
    "tokenizer": "トークナイザ",
    "n-grams": "n-gram",
    "terms": "語の種類",
    "probabilities": "確率",
    "calibrated": "較正済み",
    "held-out": "学習に使わなかった文書で較正済み",
    "stale": "較正が古い",
    "none": "較正なし",
    "learnt": "学習文書数",
    "terms used": "使用する語数",
    "left-out accuracy": "取り分けた文書での正解率",
    "left-out log loss": "取り分けた文書での対数損失",
    "{name} would be better: left-out accuracy {accuracy}.": (
        "{name} のほうが良い結果になります。取り分けた文書での正解率は {accuracy} です。"
    ),
    # summary
    "Summary": "概要",
    "documents": "文書数",
    "accuracy": "正解率",
    "macro F1": "マクロ F1",
    "log loss": "対数損失",
    "Brier": "ブライアスコア",
    "ECE": "ECE",
    "AURC": "AURC",
    "mean cost": "平均コスト",
    "{low} to {high}": "{low} ～ {high}",
    "proportion of correct answers, with its 95 % interval": "正しく答えた割合と 95 % 信頼区間",
    "mean F1 of the classes": "クラスごとの F1 の平均",
    "0 is best; confident mistakes cost most": "0 が最良。確信度の高い誤りほど大きくなる",
    "squared error of the probabilities, from 0 to 2": "確率の二乗誤差。0 ～ 2",
    "mean gap between confidence and accuracy": "確信度と正解率のずれの平均",
    "area under the curve of risk over coverage; 0 is best": "リスク・カバレッジ曲線の下の面積。0 が最良",
    "per document, decided by least expected cost": "期待コストが最小になるように判定したときの 1 文書あたりのコスト",
    "Labels unknown to the model, always counted as mistakes: {names}": (
        "モデルの知らないラベル(必ず誤りと数えられます): {names}"
    ),
    "The model has learnt {number} of the {all} documents ({share}), which flatters it.": (
        "{all} 文書のうち {number} 文書({share})はモデルが学習済みのため、実際より良い値になります。"
    ),
    # models and curves
    "Models": "モデルの比較",
    "95 % intervals. The p-values are against the first recipe, which was chosen on the same documents; they are "
    "corrected for that by testing all pairs of recipes (Holm).": (
        "区間は 95 % 信頼区間。p 値は先頭のレシピに対するものです。先頭は同じ文書で選ばれているため、"
        "レシピのすべての組を検定してホルム法で補正しています。"
    ),
    "There are {groups} different documents or groups; copies of a document are one observation in the intervals.": (
        "異なる文書またはグループは {groups} 個です。信頼区間では、同じ文書のコピーをまとめて 1 件と数えます。"
    ),
    "folds": "分割数",
    "repeats": "反復数",
    "seed": "乱数の種",
    "fit, s": "学習 (秒)",
    "predict, s": "予測 (秒)",
    "p, McNemar": "p 値 (マクネマー)",
    "p, corrected t": "p 値 (補正 t)",
    "Learning curve": "学習曲線",
    "Learning curves: {what} against the number of training documents": "学習曲線: 学習文書数に対する{what}",
    "training documents": "学習文書数",
    "recipe": "レシピ",
    "Numbers of the curve": "曲線の数値",
    "The band around each line is its 95 % interval.": "線のまわりの帯は 95 % 信頼区間です。",
    # classes and confusion
    "Classes": "クラス別の成績",
    "class": "クラス",
    "precision": "適合率",
    "recall": "再現率",
    "F1": "F1",
    "Confusion matrix": "混同行列",
    "true": "正解",
    "predicted": "予測",
    "true class": "正解のクラス",
    "predicted class": "予測したクラス",
    "Rows are true classes, columns are predicted classes.": "行が正解のクラス、列が予測したクラスです。",
    "Underlined numbers link to the mistakes.": "下線のある数字から誤りの一覧へ移動できます。",
    "Most frequent confusions": "頻度の高い混同",
    # reliability
    "Reliability": "確率の信頼性",
    "Reliability diagram: accuracy against confidence": "信頼性図: 確信度に対する正解率",
    "Confidence is the probability of the predicted class. On the dashed line it equals accuracy; below the line "
    "answers are overconfident. Vertical bars are 95 % intervals.": (
        "確信度は予測したクラスの確率です。破線上では確信度と正解率が一致し、破線より下では自信過剰です。"
        "縦棒は 95 % 信頼区間です。"
    ),
    "confidence": "確信度",
    "mean confidence": "平均確信度",
    "Numbers of the diagram": "図の数値",
    # risk and coverage
    "Risk and coverage": "リスクとカバレッジ",
    "Risk and coverage: error rate against the proportion of documents answered": (
        "リスクとカバレッジ: 答えた文書の割合に対する誤り率"
    ),
    "proportion of documents answered": "答えた文書の割合",
    "error rate": "誤り率",
    "unsure below": "この確信度未満は保留",
    "answered": "答えた文書数",
    "coverage": "カバレッジ",
    "errors": "誤りの数",
    "accuracy of the answered": "答えた文書の正解率",
    "If documents of low confidence are left unanswered (textnb predict --unsure), fewer answers are wrong.": (
        "確信度の低い文書を保留にすると(textnb predict --unsure)、誤りが減ります。"
    ),
    # words
    "Words of each class": "クラスの特徴語",
    "Words that add most to the score of the class in a typical document of the class.": (
        "そのクラスの典型的な文書で、クラスのスコアを最も高める語です。"
    ),
    "{number} documents of the class": "このクラスの {number} 文書",
    # mistakes and explanations
    "Mistakes": "誤り",
    "The {shown} most confident of {all} mistakes, by true and predicted class. Open one to see why.": (
        "{all} 件の誤りのうち確信度の高い {shown} 件を、正解と予測の組ごとに示します。開くと理由が見られます。"
    ),
    "There are no mistakes.": "誤りはありません。",
    "{true} predicted as {predicted}": "{true} を {predicted} と予測した文書",
    "{predicted} {probability}, {true} {of_true}": "{predicted} {probability}、{true} {of_true}",
    "Only the word counts of this document are stored, so its text cannot be shown.": (
        "この文書は語の出現回数だけが保存されているため、本文は表示できません。"
    ),
    "{number} more characters": "残り {number} 文字",
    "The text is empty.": "本文は空です。",
    "supports {label}": "{label} を支持",
    "Documents": "文書",
    "{label} over {against}: {score}": "{label} 対 {against}: {score}",
    "What each word adds to the score of {label} over {against}": "{label} と {against} のスコアの差への各語の寄与",
    "term": "語",
    "times": "回数",
    "value": "寄与",
    "sum": "合計",
    "(bias)": "(切片)",
    "(rest)": "(その他)",
    "(absent terms)": "(現れない語)",
    "(unknown)": "(未知)",
    # estimates of training
    "These are estimates: each of {number} training documents was scored by what was learnt from the others.": (
        "推定値です。学習文書のうち {number} 件を、それぞれ残りの文書から学習した内容で評価しました。"
    ),
    "Left-out accuracy and log loss are of all {all} kept documents; the rest is of {number} of them, among which "
    "every training document is equally likely to be.": (
        "取り分けた文書での正解率と対数損失は、保存した {all} 文書すべてによる値です。"
        "ほかの値は、どの学習文書も同じ確率で選ばれるように絞った {number} 文書によるものです。"
    ),
    "The calibration was fitted on the same scores, which flatters it a little.": (
        "較正も同じ評価に合わせて行ったため、実際よりわずかに良い値になります。"
    ),
    "There are no estimates: {why}": "推定値はありません: {why}",
    "Training documents": "学習文書",
}


@dataclass(frozen=True)
class Language:
    """Translator of phrases to the language ``code``, "en" or "ja".

    >>> Language("ja")("{number} more characters", number=3), Language("en")("accuracy")
    ('残り 3 文字', 'accuracy')
    """

    code: str

    def __post_init__(self) -> None:
        check_language(self.code)

    def __call__(self, phrase: str, **values: str) -> str:
        """Phrase in the language, with its values."""
        japanese = _JAPANESE[phrase]  # in English too, so that a phrase without Japanese is noticed in any language
        return (japanese if self.code == "ja" else phrase).format(**values)

    def sentences(self, *phrases: str) -> str:
        """Phrases one after the other, with spaces between them if the language uses spaces."""
        return ("" if self.code == "ja" else " ").join(map(self, phrases))

    def name(self, word: str) -> str:
        """Word in the language if it is known; a word of the user, such as the name of a column, stays as it is."""
        return self(word) if word in _JAPANESE else word

    def of_class(self, name: str) -> str:
        """Name of a class; only the name for unknown labels is translated."""
        return self(name) if name == UNKNOWN else name


def language_of(text: str) -> str | None:
    """Language of a text, ``ja`` if it contains kana, for fonts and screen readers.

    >>> language_of("梅の木"), language_of("plum tree")
    ('ja', None)
    """
    return "ja" if any("\u3041" <= character <= "\u30ff" for character in text) else None


def check_language(code: str) -> None:
    """Raise an error if there is no such language."""
    if code not in LANGUAGES:
        raise ParameterError("unknown language {code!r}; use {known}", code=code, known=" or ".join(LANGUAGES))

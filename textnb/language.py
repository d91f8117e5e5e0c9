"""The two languages of a report. Phrases are written in English where they are used; their Japanese stands here."""

from dataclasses import dataclass

from textnb.errors import InputError

UNKNOWN = "(unknown)"
"""In place of the labels that a model does not know."""

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
    "tokenizer": "分かち書き",
    "n-grams": "n-gram",
    "probabilities": "確率",
    "calibrated": "較正済み",
    "held-out": "未学習の文書で較正済み",
    "stale": "較正は以前のもの",
    "none": "較正なし",
    "learnt": "学習した文書",
    "classes": "クラス数",
    "terms": "語数",
    "terms used": "使用する語数",
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
    "share answered rightly, with its 95 % interval": "正しく答えた割合と、その 95 % 区間",
    "mean of the classes' F1": "クラスごとの F1 の平均",
    "0 at best; dear where a sure answer is wrong": "最良で 0。確信した誤りほど大きい",
    "squared error of the probabilities, 0 to 2": "確率の二乗誤差。0 ～ 2",
    "how far probabilities are from what happens": "確率と実際の正解率とのずれ",
    "share of errors, the surest answered first": "確信の高い順に答えたときの誤り率の面積",
    "of a document, decided by least expected cost": "期待コストが最小になるように判定したときの 1 文書あたり",
    "{number} labels are unknown to the model and always count as mistakes: {names}": (
        "モデルの知らないラベルが {number} 種類あり、必ず誤りになります: {names}"
    ),
    # models and curves
    "Models": "モデルの比較",
    "95 % intervals; p-values are against the first recipe, after Holm's correction.": (
        "区間は 95 %、p 値は先頭のレシピに対する検定(ホルムの補正後)です。"
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
    "The band around each line is its 95 % interval.": "線のまわりの帯は 95 % 区間です。",
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
    "A row is a true class, a column what was answered.": "行が正解のクラス、列が予測したクラスです。",
    "Underlined numbers lead to the mistakes.": "下線のある数は誤りの一覧へつながっています。",
    "Most frequent confusions": "多い取り違え",
    # reliability
    "Reliability": "確率の信頼性",
    "Reliability diagram: accuracy against the probability of the answer": "信頼性図: 答えの確率に対する正解率",
    "On the dashed line probabilities mean what they say; below it answers are too sure. Bars show 95 % intervals.": (
        "破線の上では確率がそのとおりの意味をもち、下では自信過剰です。縦棒は 95 % 区間です。"
    ),
    "probability of the answer": "答えの確率",
    "mean probability": "平均確率",
    "Numbers of the diagram": "図の数値",
    # risk and coverage
    "Answering only the surest": "確信のある文書だけに答える",
    "Risk and coverage: share of errors against the share of documents answered": (
        "リスクとカバレッジ: 答えた文書の割合に対する誤り率"
    ),
    "share of documents answered": "答えた文書の割合",
    "share of errors": "誤り率",
    "unsure below": "この確率未満は保留",
    "answered": "答えた文書",
    "coverage": "カバレッジ",
    "errors": "誤り",
    "accuracy of the answered": "答えた文書の正解率",
    "If documents below a probability are left unanswered (textnb predict --unsure), fewer answers are wrong.": (
        "確率の低い文書を保留にすると(textnb predict --unsure)、誤りが減ります。"
    ),
    # words
    "Words of each class": "クラスの特徴語",
    "The words that add most to the score of the class in a typical document of it.": (
        "そのクラスの典型的な文書で、スコアを最も高める語です。"
    ),
    "{number} documents of the class": "このクラスの {number} 文書",
    # mistakes and explanations
    "Mistakes": "誤り",
    "The {shown} surest of {all} mistakes, by true and predicted class. Open one to see why.": (
        "{all} 件の誤りのうち確信の高い {shown} 件を、正解と予測の組ごとに示します。開くと理由が見られます。"
    ),
    "There are no mistakes.": "誤りはありません。",
    "{true} taken for {predicted}": "{true} を {predicted} と誤った文書",
    "{predicted} {probability}, {true} {of_true}": "{predicted} {probability}、{true} {of_true}",
    "Only the counts of this document are left, so its text cannot be shown.": (
        "この文書は語の数だけが残されているため、本文は表示できません。"
    ),
    "{number} more characters": "残り {number} 文字",
    "The text is empty.": "本文は空です。",
    "speaks for {label}": "{label} を支持",
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
        "推定値です。学習文書のうち {number} 件を、それぞれ自分以外から学習した内容で採点しました。"
    ),
    "The calibration was fitted on the same scores, which flatters it a little.": (
        "較正も同じ採点に合わせているため、わずかに良く見えます。"
    ),
    "There are no estimates: {why}": "推定値はありません: {why}",
    "Documents learnt": "学習した文書",
}


@dataclass(frozen=True)
class Language:
    """Says a phrase in the language ``code``.

    >>> Language("ja")("{number} more characters", number=3), Language("en")("accuracy")
    ('残り 3 文字', 'accuracy')
    """

    code: str

    def __post_init__(self) -> None:
        if self.code not in LANGUAGES:
            raise InputError(f"a report is written in {' or '.join(LANGUAGES)}, not in {self.code!r}")

    def __call__(self, phrase: str, **values: str) -> str:
        """The phrase with the values in it."""
        japanese = _JAPANESE[phrase]  # in English too: a phrase that is missing must not wait for a Japanese reader
        return (japanese if self.code == "ja" else phrase).format(**values)

    def sentences(self, *phrases: str) -> str:
        """One after the other, with a space between them where the language has spaces."""
        return ("" if self.code == "ja" else " ").join(map(self, phrases))

    def name(self, word: str) -> str:
        """A word that may be a user's own, such as a column's name: in this language if it is known, else as it is."""
        return self(word) if word in _JAPANESE else word

    def of_class(self, name: str) -> str:
        """The name of a class is its user's; only the one for all that the model does not know is ours."""
        return self(name) if name == UNKNOWN else name


def language_of(text: str) -> str | None:
    """``ja`` for a text with kana in it, so that it is set in Japanese letters and read aloud as Japanese.

    >>> language_of("梅の木"), language_of("plum tree")
    ('ja', None)
    """
    return "ja" if any("\u3041" <= character <= "\u30ff" for character in text) else None

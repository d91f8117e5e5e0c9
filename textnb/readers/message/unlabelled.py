"""Charset of the texts of a message that have no label: cp932, EUC-JP, or neither, by the evidence of all of them.

A short text can be valid in several charsets: 了解 in cp932 is "—¹‰ð" in cp1252. So all unlabelled texts of a message
(raw header fields, names of files, parts) are examined together, and the most likely of three charsets is taken:

    log P(bytes | charset) = sum of log p(kind of character) - penalties for unlikely neighbours              (1)

    charset         kinds of characters                           unlikely neighbours
    cp932, EUC-JP   kana, common and rare kanji, half-width kana  ASCII letters; the beginning of half-width kana
    cp1252          common letters, punctuation, others           letters beyond ASCII; quotes and symbols out of place

ASCII counts nothing in all three, and an ASCII byte inside a character of cp932 gets back a part of what it would have
cost. The proportions in (1) are those of Japanese news, and rough ones of western text. Chinese, Korean and Russian are
valid as rare kanji too, so Japanese must also be likely in the mean over its characters.                            (2)
"""

import re
from collections.abc import Collection
from math import log

from textnb.readers.charset_names import superset_of

_COMMON_KANJI = frozenset(  # the 600 most frequent of the livedoor news corpus, in order: 85 % of the kanji there
    "日人本大年女一画事子発上気分時見中出自作月新用場性今間手開話思合行会入生定最方動映表機能言対実記電回使通的関国"
    "品感売前目連高同者社力多面後代体部題報応内当選公名意男全外楽情結美度現持以理下集世真利知続特信円数田様彼家心向"
    "要活長変来界無示金演載約写化取仕番婚業愛付期物始予不何地初成更先料式学味好書語送明歳万身相登製加可東戦切介受主"
    "私決像組格小際店優立食強第容氏必設問在野声位紹解所果近考正撮法込量恋種音放注少聞影笑供有色価賞原得転末搭友元点"
    "次着独状線水経重違素台京端編文配他良員安過録職監夏試別起常観待読引質確山指想韓役調由提達督限道広直然速終型版親"
    "単川説収認木計参験販海勝保伝白象展流週増募島共口接器運掲神顔告存判車効二視充空技筆悪教進態置早夫催各識足市三投"
    "天務術藤再板残個覚了商半帯香件超都周張球係客返購軽満防携企非毎操求風断類屋離簡制便割追難絶細買議適落産村士交肌"
    "答反夜葉姿光平施完比材呼専止側頭字形消井誰興寄系額普若母異執魅深未囲念悩号営北欲負検失望谷描僕基備査族歌芸段突"
    "和座苦命緒乗値節支筋振率殺評飛採巻西米育土帰聴籍飲幸構英朝低境校快花岡熱換昨皆例池歩太印環去談極打春抜改夢除赤"
    "具頃移波旅沢詳住劇探曲準押松門液況費舞躍程装習含批規替星両輪誌等働紙露激覧団勢父急復驚災王占総右担撃盛資石死降"
    "史休願順論背局秋嫌遠幅左華整横差裏破案任株晶策司火景秘十害敵倒温雑派工渡富歴源疑級響祭室冷福択及究吉"
)
_RANGES = (  # kinds of characters from the first to the last; the first range that fits counts
    ("h", "ぁ", "ゖ"),
    ("k", "ァ", "ヶ"),
    ("k", "ー", "ー"),
    ("p", "・", "・"),
    ("z", "\u3000", "\u3000"),
    ("p", "、", "〿"),
    ("d", "ﾞ", "ﾟ"),
    ("m", "｡", "ﾝ"),
    ("w", "！", "～"),
    ("x", "\x80", "\xa0"),
    ("x", "\ue000", "\uf8ff"),
)
_COMMON_HALF_WIDTH = frozenset("ｱｲｳｵｶｸｺｻｼｽﾀｯﾄﾃﾅﾉﾌﾏﾒﾗﾘﾙﾚﾛﾝｰ")
_COMMON_LETTERS = frozenset("àáâãäåæçèéêëíîïñòóôõöøùúüßÀÁÂÄÅÆÇÈÉÊÍÑÓÖØÚÜ")
_KIND_OF_PUNCTUATION = {**dict.fromkeys("’–—…", "q"), **dict.fromkeys("“‘", "u"), "”": "v"}
_COMMON_SYMBOLS = frozenset("€£§°«»©®™·•¿¡´²³\xa0\xad")
_LEVEL_2 = 0xD0  # first lead byte of the rare kanji of JIS X 0208 in EUC-JP

# Kinds: a ASCII letter or digit, b another mark of ASCII, a space for spaces, x no character, and those below.
_LOG_P_JAPANESE = {
    "h": log(0.42 / 83),  # hiragana
    "k": log(0.15 / 86),  # katakana
    "p": log(0.08 / 20),  # punctuation
    "z": -12.0,  # the ideographic space, which is frequent, but in Chinese too
    "c": log(0.24 / 600),  # common kanji
    "j": log(0.045 / 2400),  # other kanji of level 1
    "r": -14.0,  # rare kanji
    "n": -3.6,  # common half-width katakana, after the first
    "m": -5.8,  # other half-width katakana
    "d": -3.0,  # half-width voicing mark
    "w": log(0.017 / 90),  # full-width letters
    "o": log(0.005 / 500),  # other characters
    "x": -20.0,
}
_LOG_P_WESTERN = {
    "l": log(0.05 * 0.6 / 44),  # common letters
    **dict.fromkeys("quv", log(0.05 * 0.33 / 7)),  # typographic punctuation: u opening and v closing quotes
    "s": log(0.05 * 0.05 / 18),  # common symbols
    "o": log(0.05 * 0.02 / 60),  # other characters
    "x": -15.0,
}
_ASCII_WITHIN = 1.0
_NEXT_TO_LETTER = re.compile("a(?=[^ab ])|(?<=[^ab ])a")
_HALF_WIDTH_BEGINS = re.compile("(?<![nmd])[nmd]")
_WRONG_VOICING = re.compile("(?<![ｳｶ-ﾄﾊ-ﾎ])ﾞ|(?<![ﾊ-ﾎ])ﾟ")
_LETTERS_TOGETHER = re.compile("[lo](?=[lo])")
_LETTER_ALONE = re.compile("(?<!a)[lo](?!a)")
_MISPLACED_MARK = re.compile("(?<=[^b ])u|u(?![als])|(?:^|(?<= ))v|(?<=a)s(?=a)")
_MARKS_TOGETHER = re.compile("[quvs](?=[quvs])")
_MIN_MEAN_LOG_P, _SHORT_TEXT = -9.3, 8.0
_NAMES_JAPANESE, _NAMES_CHARSET = 10.0, 5.0  # log odds in favour of what the message names elsewhere


class _Kinds(dict[int, str]):
    """Kind of each character of a charset, by its code point."""

    def __init__(self, western: bool) -> None:
        self.western = western

    def __missing__(self, code: int) -> str:
        c = chr(code)
        if code < 0x80:
            kind = "a" if c.isalnum() else " " if code <= 0x20 else "b"
        elif c == "\ufffd":
            kind = "x"
        else:
            kind = _western_kind(c) if self.western else _japanese_kind(c)
        self[code] = kind
        return kind


def _western_kind(c: str) -> str:
    if c in _COMMON_LETTERS:
        return "l"
    return "s" if c in _COMMON_SYMBOLS else _KIND_OF_PUNCTUATION.get(c, "o")


def _japanese_kind(c: str) -> str:
    if c in _COMMON_KANJI:
        return "c"
    if "一" <= c <= "鿿":
        written = c.encode("euc_jp", "ignore")
        return "j" if len(written) == 2 and written[0] < _LEVEL_2 else "r"
    if c in _COMMON_HALF_WIDTH:
        return "n"
    return next((kind for kind, first, last in _RANGES if first <= c <= last), "o")


_JAPANESE, _WESTERN = _Kinds(western=False), _Kinds(western=True)


def unlabelled_charset(sample: bytes, named: Collection[str] = ()) -> str | None:
    """Name of the Japanese charset of unlabelled bytes; None if they are probably not Japanese.

    ``named`` are the supersets of the Japanese charsets that the message names elsewhere.

    >>> unlabelled_charset("了解".encode("cp932")), unlabelled_charset("café".encode("cp1252"))
    ('cp932', None)
    """
    best, charset = max((_japanese_fit(sample, name, named), name) for name in ("cp932", "euc_jp"))
    favour = _NAMES_JAPANESE if named else 0.0
    return charset if best + favour > _log_p_western(sample) else None


def _japanese_fit(sample: bytes, charset: str, named: Collection[str]) -> float:
    """Log probability (1) of bytes in a Japanese charset; minus infinity if they are unlikely by (2)."""
    text = sample.decode(charset, "replace")
    kinds = text.translate(_JAPANESE)
    n_ascii = sum(map(kinds.count, "ab "))
    n = len(kinds) - n_ascii
    within = len(sample.translate(None, bytes(range(0x80, 0x100)))) - n_ascii
    total = _sum(kinds, _LOG_P_JAPANESE) + _ASCII_WITHIN * within
    total -= 4 * len(_NEXT_TO_LETTER.findall(kinds)) + 7 * len(_HALF_WIDTH_BEGINS.findall(kinds))
    total -= 8 * len(_WRONG_VOICING.findall(text))
    is_unlikely = total < _MIN_MEAN_LOG_P * n - _SHORT_TEXT or kinds.count("x") > 1 + n // 50
    if is_unlikely and not named:
        return -float("inf")
    return total + _NAMES_CHARSET * (superset_of(charset) in named)


def _log_p_western(sample: bytes) -> float:
    """Log probability (1) of bytes in cp1252."""
    kinds = sample.decode("cp1252", "replace").translate(_WESTERN)
    unlikely = 3 * len(_LETTERS_TOGETHER.findall(kinds)) + 2 * len(_LETTER_ALONE.findall(kinds))
    unlikely += 4 * len(_MISPLACED_MARK.findall(kinds)) - 3 * len(_MARKS_TOGETHER.findall(kinds))
    return _sum(kinds, _LOG_P_WESTERN) - unlikely


def _sum(kinds: str, log_p: dict[str, float]) -> float:
    return sum(value * kinds.count(kind) for kind, value in log_p.items())

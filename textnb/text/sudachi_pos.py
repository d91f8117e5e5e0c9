"""Sudachi's parts of speech in the words of IPADIC, so that one filter means the same to every analyser.

The two dictionaries do not cut the language alike. Where IPADIC decides by the sentence and Sudachi only says what a
word may be (非自立可能, 助数詞可能), the word has both names; where IPADIC makes finer distinctions than Sudachi (の as
助詞,連体化; られる as 動詞,接尾), it has none of the finer names.
"""

from functools import cache

OWN_PARTS = ("代名詞", "形状詞", "接頭辞", "接尾辞", "補助記号", "空白")
"""The main parts of speech that Sudachi has and IPADIC has not."""

_IPADIC = {
    "代名詞": "名詞,代名詞,一般",
    "名詞,普通名詞": "名詞",
    "名詞,普通名詞,サ変可能": "名詞,サ変接続",
    "名詞,普通名詞,サ変形状詞可能": "名詞,サ変接続 名詞,形容動詞語幹",
    "名詞,普通名詞,形状詞可能": "名詞,形容動詞語幹",
    "名詞,普通名詞,助数詞可能": "名詞,一般 名詞,接尾,助数詞",
    "名詞,固有名詞,地名": "名詞,固有名詞,地域",
    "名詞,数詞": "名詞,数",
    "名詞,助動詞語幹": "名詞,特殊,助動詞語幹",
    "形状詞,一般": "名詞,形容動詞語幹",
    "形状詞,タリ": "名詞,形容動詞語幹",
    "形状詞,助動詞語幹": "名詞,非自立,助動詞語幹",
    "接尾辞,名詞的": "名詞,接尾",
    "接尾辞,名詞的,サ変可能": "名詞,接尾,サ変接続",
    "接尾辞,形状詞的": "名詞,接尾,形容動詞語幹",
    "接尾辞,動詞的": "動詞,接尾",
    "接尾辞,形容詞的": "形容詞,接尾 形容詞,非自立",
    "動詞,一般": "動詞,自立",
    "動詞,非自立可能": "動詞,自立 動詞,非自立",
    "形容詞,一般": "形容詞,自立",
    "形容詞,非自立可能": "形容詞,自立 形容詞,非自立",
    "助詞,準体助詞": "名詞,非自立,一般",
    "感動詞,一般": "感動詞",
    "感動詞,フィラー": "フィラー",
    "接頭辞": "接頭詞",
    "補助記号": "記号",
    "補助記号,ＡＡ": "記号,一般",
    "記号,文字": "記号,アルファベット",
    "空白": "記号,空白",
}


@cache
def ipadic_names(pos: str) -> tuple[str, ...]:
    """IPADIC's names for a part of speech of Sudachi's; none where Sudachi's is IPADIC's too.

    >>> ipadic_names("代名詞,*,*,*,*,*"), ipadic_names("名詞,固有名詞,地名,国,*,*"), ipadic_names("副詞,*,*,*,*,*")
    (('名詞,代名詞,一般,*,*,*,*,*',), ('名詞,固有名詞,地域,国,*,*',), ())
    """
    parts = pos.split(",")
    for n in (3, 2, 1):
        if names := _IPADIC.get(",".join(parts[:n])):
            return tuple(",".join([name, *parts[n:]]) for name in names.split())
    return ()

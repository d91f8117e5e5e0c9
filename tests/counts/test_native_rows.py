"""The extension counts what Python counts."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.counts import TermsOf, Vocabulary, counted
from textnb.extension import VARIABLE, uses_extension
from textnb.readers import Document
from textnb.text import TERMS, Analyzer, UserDictionary, tokenizer
from textnb.text.patterns import CharClass, Chars, Whitespace, Words

pytestmark = pytest.mark.skipif(not uses_extension(), reason="the C extension is not built, or forbidden")

WORDS = UserDictionary("東京駅,カスタム名詞,トウキョウエキ\n😀,絵文字,エモジ\n")
TOKENIZERS = [
    tokenizer("auto"),
    tokenizer("janome"),
    tokenizer("janome", form="base"),
    tokenizer("janome", form="base", pos=["名詞", "動詞"], stop_words=["犬", "する", "a"]),
    tokenizer("janome", exclude_pos=["記号", "助詞"]),
    tokenizer("janome", user_dictionary=WORDS, form="base", exclude_pos=["絵文字"]),
    tokenizer("janome", stop_words=["の", "。", "犬"]),
    Chars(),
    Chars(n=(1, 4)),
    Chars(n=3),
    CharClass(),
    Words(),
    Whitespace(),
]
TEXTS = st.text(
    st.sampled_from("庭で犬が走った。東京駅ABCßﬁｶﾞ12.5'’a b\n\t　😀e\u0301か\u3099ーっー・漢字アイ\ud800\0ا\u0300नमस्ते٣"),
    max_size=50,
) | st.text(max_size=20)
FIELDS = st.dictionaries(st.sampled_from(["from", "主題"]), st.lists(TEXTS, max_size=3), max_size=2)
DOCUMENTS = st.lists(st.builds(Document, text=TEXTS, fields=FIELDS), max_size=8)
NORMALISED = st.sampled_from([(), ("nfkc", "casefold"), ("numbers",)])
KINDS = st.lists(st.sampled_from(TERMS), min_size=1, unique=True)
ANALYZERS = st.one_of(
    st.builds(
        Analyzer,
        normalisers=NORMALISED,
        ngram=st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 3), (1, 5)]),
        features=st.sampled_from([(), ("chars",), ("length", "chars")]),
    ),
    st.builds(
        Analyzer, normalisers=NORMALISED, terms=KINDS, features=st.sampled_from([(), ("first-line", "short-chars")])
    ),
)
EDGES = [
    "",
    " \n\u3000\t",
    "a",
    "犬",
    "\ud800",
    "𠮷",
    "か\u3099",
    "ab \U0010ffff\x00",
    "庭で 犬が chars:a" * 770,
    "𠮷a" * 5_000,
]


def in_python(documents, terms_of, vocabulary=None):
    """The same by the path that knows no extension."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "python")
        assert not terms_of.tokenizer.counts_natively
        return list(counted(documents, terms_of, vocabulary))


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert a.vocabulary == b.vocabulary
        assert a.X.has_sorted_indices and a.X.dtype == b.X.dtype == np.int32
        assert (a.X != b.X).nnz == 0
        assert (a.ids, a.digests, a.labels, a.groups) == (b.ids, b.digests, b.labels, b.groups)
    return True


@pytest.mark.parametrize("cut", TOKENIZERS, ids=lambda t: t.name)
@settings(max_examples=25)
@given(DOCUMENTS, ANALYZERS)
def test_the_extension_counts_what_python_counts(cut, documents, analyzer):
    terms_of = TermsOf(cut, analyzer)
    assert terms_of.tokenizer.counts_natively
    assert same(list(counted(documents, terms_of)), in_python(documents, terms_of))


@pytest.mark.parametrize("cut", TOKENIZERS, ids=lambda t: t.name)
def test_the_extension_counts_what_python_counts_at_the_edges(cut):
    documents = [Document(text, fields={"chars": ["a", "犬が"]}) for text in EDGES]
    for analyzer in (*(Analyzer(terms=[kind]) for kind in TERMS), Analyzer(terms=TERMS), Analyzer(features=["chars"])):
        assert same(list(counted(documents, TermsOf(cut, analyzer))), in_python(documents, TermsOf(cut, analyzer)))


@given(
    DOCUMENTS, st.lists(st.sampled_from(["chars:犬", "chars:犬が走", "chars:犬が走っ", "chars:", "a", "庭 で", "犬"]))
)
def test_characters_outside_a_given_vocabulary_are_left_out(documents, words):
    terms_of, vocabulary = TermsOf(tokenizer("janome"), Analyzer(terms=TERMS)), Vocabulary(words)
    for _ in range(2):  # the counter is kept for the second time
        ours = list(counted(documents, terms_of, vocabulary))
        assert same(ours, in_python(documents, terms_of, vocabulary))


@given(DOCUMENTS, st.lists(st.sampled_from(["犬", "東京", "a", "走っ", "庭 で", "nowhere"])))
def test_terms_outside_a_given_vocabulary_are_left_out(documents, words):
    terms_of, vocabulary = TermsOf(tokenizer("janome"), Analyzer(ngram=(1, 2))), Vocabulary(words)
    ours = list(counted(documents, terms_of, vocabulary))
    assert all(part.vocabulary is vocabulary for part in ours)
    assert same(ours, in_python(documents, terms_of, vocabulary))


def test_counts_on_a_given_vocabulary_have_no_digests():
    terms_of = TermsOf(Words(), Analyzer())
    (part,) = counted([Document("a b"), Document("c")], terms_of, Vocabulary(["b"]))
    assert part.digests == ()
    assert same([part], in_python([Document("a b"), Document("c")], terms_of, Vocabulary(["b"])))


def test_half_a_character_in_a_vocabulary_is_never_met():
    terms_of, vocabulary = TermsOf(Whitespace(), Analyzer()), Vocabulary(["\ud800", "\ud801", "\ufffd", "a"])
    (part,) = counted([Document("\ud800 \ufffd a")], terms_of, vocabulary)
    assert vocabulary.terms == ("a", "\ud800", "\ud801", "\ufffd")
    assert part.X.toarray()[0].tolist() == [1, 0, 0, 2]
    assert same([part], in_python([Document("\ud800 \ufffd a")], terms_of, vocabulary))


def test_one_vocabulary_serves_different_ways_to_count():
    vocabulary, documents = Vocabulary(["a", "a b", "b", "chars:a", "chars:a b", "chars:ab"]), [Document("a b ab")]
    kinds = ({}, {"ngram": 2}, {"terms": TERMS}, {"terms": ["chars"]}, {"features": ["chars"]}, {"ngram": (1, 2)}, {})
    for analyzer in (Analyzer(**chosen) for chosen in kinds):
        (part,) = counted(documents, TermsOf(Words(), analyzer), vocabulary)
        assert same([part], in_python(documents, TermsOf(Words(), analyzer), vocabulary))


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_threads_change_nothing(jobs, monkeypatch):
    from textnb.counts import counting

    monkeypatch.setattr(counting, "NATIVE_BATCH_CHARACTERS", 100)
    documents = [Document(f"{i}番目の犬が東京駅まで走った。" * (i % 7), id=str(i)) for i in range(300)]
    terms_of = TermsOf(tokenizer("auto"), Analyzer(terms=TERMS))
    assert same(list(counted(documents, terms_of, jobs=jobs)), in_python(documents, terms_of))
    parts = list(counted(documents, terms_of, jobs=jobs, entries=500))
    assert len(parts) > 2
    assert [name for part in parts for name in part.ids] == [document.id for document in documents]
    (whole,) = counted(documents, terms_of)
    assert sum(part.X.sum() for part in parts) == whole.X.sum()


@pytest.mark.parametrize("times", [255, 256, 70_000])
def test_counts_beyond_a_byte_are_whole_in_every_batch(times, monkeypatch):
    from textnb.counts import counting

    monkeypatch.setattr(counting, "NATIVE_BATCH_CHARACTERS", 10)
    documents = [Document("a b"), Document("a " * times), Document(""), Document("b b")]
    (part,) = counted(documents, TermsOf(Words(), Analyzer()))
    assert part.X.toarray().tolist() == [[1, 1], [times, 0], [0, 0], [0, 2]]
    assert part.X.dtype == np.int32


def test_a_failure_in_the_middle_leaves_the_counter_usable():
    from textnb._native import Counter as NativeCounter
    from textnb._native import Cutter

    counter, cutter = NativeCounter(bytes(16), 1, 1, ()), Cutter("grams", 1, 1)
    with pytest.raises(TypeError, match="a text must be a str"):
        counter.count((cutter, cutter), ("ab", 3), ((), ()))
    with pytest.raises(ValueError, match="of one length"):
        counter.count((cutter,), ("ab", "c"), ((), ()))
    with pytest.raises(TypeError, match="a Cutter for each text"):
        counter.count(("ab",), ("ab",), ((),))
    rows = counter.count((cutter,), ("abb",), (["x"],))
    assert [np.frombuffer(part, np.int32).tolist() for part in rows] == [[3], [0, 1, 2], [1, 2, 1]]
    assert counter.strings() == ["a", "b", "x"]


def test_one_counter_serves_many_threads():
    from textnb._native import Counter as NativeCounter

    cutter = tokenizer("janome").cutter
    counter = NativeCounter(bytes(range(16)), 1, 2, ())
    texts = [f"すもももももも{i}のうち。" * 20 for i in range(200)]
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: counter.count((cutter,), (text,), ((),)), texts))
    terms = counter.strings()
    assert len(terms) == len(set(terms))
    analyzer, janome = Analyzer(ngram=(1, 2)), tokenizer("janome")
    for text, (length, numbers, counts) in zip(texts, rows, strict=True):
        names = [terms[number] for number in np.frombuffer(numbers, np.int32)]
        assert len(names) == np.frombuffer(length, np.int32)
        assert dict(zip(names, np.frombuffer(counts, np.int32), strict=True)) == Counter(
            analyzer.terms_in(text, janome)
        )


def test_white_space_is_what_python_says_it_is():
    """Every character between two letters: whether it parts them, and whether a token of it alone is one."""
    for start in range(0, 0x110000, 4_096):
        text = "".join(f"x{chr(code)}y\n" for code in range(start, start + 4_096) if not 0xD800 <= code <= 0xDFFF)
        if not text:
            continue
        terms_of = TermsOf(Whitespace(), Analyzer())
        (part,) = counted([Document(text)], terms_of)
        assert dict(zip(part.vocabulary.terms, part.X.toarray()[0].tolist(), strict=True)) == Counter(text.split())

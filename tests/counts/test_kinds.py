"""Terms of some kinds, chosen from counts of more kinds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.counts import TermsOf, counted
from textnb.counts.kinds import of_kinds
from textnb.errors import InputError
from textnb.readers import Document
from textnb.text import TERMS, Analyzer, UserDictionary, tokenizer
from textnb.text.janome.engines import engine_for

KINDS = st.lists(st.sampled_from(TERMS), min_size=1, unique=True)
TEXTS = st.text(
    st.sampled_from("庭で犬が走った。:/@from chars:ab\n\t　😀e\u0301か\u3099\ud800"), max_size=40
) | st.text(max_size=20)
FIELDS = st.dictionaries(st.sampled_from(["from", "subject"]), st.lists(TEXTS, max_size=2), max_size=2)
DOCUMENTS = st.lists(st.builds(Document, text=TEXTS, fields=FIELDS), min_size=1, max_size=6)


@pytest.mark.parametrize("name", ["auto", "janome", "words", "charclass"])
@pytest.mark.parametrize("features", [(), ("first-line", "length", "short-chars")])
@settings(max_examples=40, deadline=None)
@given(documents=DOCUMENTS, counted_kinds=KINDS, data=st.data())
def test_chosen_terms_are_those_that_counting_them_alone_gives(name, features, documents, counted_kinds, data):
    chosen = data.draw(st.lists(st.sampled_from(counted_kinds), min_size=1, unique=True))
    more, fewer = (
        TermsOf(tokenizer(name), Analyzer(terms=kinds, features=features)) for kinds in (counted_kinds, chosen)
    )
    (part,), (expected,) = counted(documents, more), counted(documents, fewer)
    found = of_kinds(part, more, chosen)
    assert found.vocabulary == expected.vocabulary
    assert (found.X != expected.X).nnz == 0
    assert (found.digests, found.labels, found.ids) == (expected.digests, expected.labels, expected.ids)


def test_the_feature_chars_of_0_1_0_stays():
    terms_of = TermsOf(tokenizer("words"), Analyzer(ngram=(1, 2), features=["chars"]))
    (part,) = counted([Document("a bc")], terms_of)
    assert of_kinds(part, terms_of, ["words"]).vocabulary.terms == ("a", "bc", "chars:a", "chars:bc")


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        (tokenizer("whitespace"), "chars:a b"),
        (tokenizer("whitespace"), "from:a b"),
        (tokenizer("textwrap:wrap"), "a b"),
        (tokenizer("chars"), "a b"),
        (tokenizer("janome", user_dictionary=UserDictionary("a b,名詞,エー\n")), "a b"),
    ],
)
@pytest.mark.parametrize("kinds", [("words", "pairs"), ("words", "pairs", "chars")])
def test_words_that_may_look_like_other_terms_are_not_told_apart(cut, text, kinds):
    terms_of = TermsOf(cut, Analyzer(terms=kinds))
    (part,) = counted([Document(text)], terms_of)
    with pytest.raises(InputError, match=r"may look like pairs or chars; count again with --terms words$"):
        of_kinds(part, terms_of, ["words"])


@pytest.mark.parametrize("kinds", [("words", "pairs"), ("words", "pairs", "chars")])
def test_words_between_white_space_are_told_apart_if_none_looks_like_another_term(kinds):
    terms_of = TermsOf(tokenizer("whitespace"), Analyzer(terms=kinds))
    (part,) = counted([Document("a b:c chars")], terms_of)
    assert of_kinds(part, terms_of, ["words"]).vocabulary.terms == ("a", "b:c", "chars")


def test_no_word_of_janome_has_a_space_or_a_colon_beside_a_letter():
    dictionary = engine_for(None, "python")._dictionary
    assert not {ord(" "), ord(":")} & set(dictionary.features.pool.tolist())
    assert [dictionary.system.codes[ord(letter)] for letter in " :"] == [0, 0]
    assert tokenizer("janome")("from:a b chars:犬") == ["from", ":", "a", " ", "b", " ", "chars", ":", "犬"]

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.corpus.near_duplicates import SIZE, shingle_matrix, shingles

TEXTS = st.text(st.characters(codec=None, categories=["L", "Z", "Cc", "Cs"]), max_size=30)


def sets_of(text):
    """The shingles as strings, one by one."""
    text = " ".join(text.split())
    if len(text) < SIZE:
        return {text} if text else set()
    return {text[i : i + SIZE] for i in range(len(text) - SIZE + 1)}


@settings(max_examples=50)
@given(st.lists(TEXTS, max_size=5))
def test_the_matrix_has_the_shingles_of_each_text_and_those_in_common(texts):
    X = shingle_matrix(texts)
    wanted = [sets_of(text) for text in texts]
    assert X.shape == (len(texts), len(set().union(*wanted)))
    assert X.sum(axis=1).tolist() == [len(own) for own in wanted]
    assert (X @ X.T).toarray().tolist() == [[len(a & b) for b in wanted] for a in wanted]


@given(TEXTS)
@settings(max_examples=20)
def test_white_space_does_not_matter_where_it_is_of_another_kind(text):
    assert np.array_equal(shingles(text), shingles("\n " + "\t\u3000".join(text.split(" ")) + " "))


def test_no_texts_are_a_matrix_without_rows():
    assert shingle_matrix([]).shape == (0, 0)

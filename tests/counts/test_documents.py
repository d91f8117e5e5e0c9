"""What is counted where it is read is the same as what is counted later."""

import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.counts import CountedWhereRead, TermsOf, Vocabulary, counted
from textnb.extension import uses_extension
from textnb.readers import Document
from textnb.text import Analyzer, tokenizer

pytestmark = pytest.mark.skipif(not uses_extension(), reason="the C extension is not built, or forbidden")

TERMS_OF = TermsOf(tokenizer("words"), Analyzer())
WORDS = Vocabulary(["a", "b", "f:a", "犬"])
TEXTS = st.text("ab c犬\ud800", max_size=12)
DOCUMENTS = st.lists(
    st.builds(
        Document,
        text=TEXTS,
        label=st.sampled_from([None, "x"]),
        id=TEXTS,
        fields=st.dictionaries(st.just("f"), st.lists(TEXTS, max_size=2)),
        group=st.sampled_from([None, "g"]),
    ),
    min_size=1,
    max_size=8,
)


@given(DOCUMENTS, DOCUMENTS)
def test_documents_counted_before_stand_beside_others_as_if_counted_now(first, second):
    before = pickle.loads(pickle.dumps(CountedWhereRead(TERMS_OF, WORDS)))(first)
    (expected,) = counted(first + second, TERMS_OF, WORDS)
    (found,) = counted(pickle.loads(pickle.dumps(before)) + second, TERMS_OF, WORDS)
    assert (found.X != expected.X).nnz == 0 and found.X.shape == expected.X.shape
    assert (found.ids, found.labels, found.groups) == (expected.ids, expected.labels, expected.groups)


def test_only_the_row_and_what_is_known_of_a_document_is_left():
    (found,) = CountedWhereRead(TERMS_OF, WORDS)([Document("b a b c", id="1", fields={"f": ["a"]}, defects=("d",))])
    assert (found.text, found.fields, found.id, found.defects) == ("", {}, "1", ("d",))
    assert [memoryview(part).cast("i").tolist() for part in found.row] == [[3], [1, 0, 2], [2, 1, 1]]


def test_a_process_that_only_counts_loads_no_scipy():
    made = pickle.dumps((CountedWhereRead(TERMS_OF, WORDS), [Document("b a b c", id="1")]))
    code = f"""
import pickle, sys
made, documents = pickle.loads({made!r})
(found,) = pickle.loads(pickle.dumps(made(documents)))
print(found.id, [name for name in sys.modules if name.partition(".")[0] == "scipy"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 []\n"

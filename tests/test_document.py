import pickle
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from textnb import Document

# few characters, those of the digest's own notation among them, so that different splits of one string are common
awkward = st.text(alphabet="a1:,;", max_size=4)
fields = st.dictionaries(awkward, st.lists(awkward, min_size=1, max_size=3), max_size=3)


def counted(document):
    return document.text, {name: tuple(tokens) for name, tokens in document.fields.items()}


@given(st.text(), fields)
def test_the_digest_is_of_the_text_and_the_fields_alone(text, groups):
    bare = Document(text, fields=groups)
    known = Document(text, "label", "id", groups, datetime(2024, 1, 1, tzinfo=UTC), "group", ("defect",))
    assert known.digest == bare.digest
    assert len(bare.digest) == 16


@given(st.text(), fields)
def test_the_digest_does_not_depend_on_the_order_or_the_kind_of_the_containers(text, groups):
    turned = {name: tuple(groups[name]) for name in reversed(groups)}
    assert Document(text, fields=turned).digest == Document(text, fields=groups).digest


@given(st.builds(Document, awkward, fields=fields), st.builds(Document, awkward, fields=fields))
@settings(max_examples=300)
def test_documents_have_one_digest_only_if_text_and_fields_are_the_same(one, other):
    assert (one.digest == other.digest) == (counted(one) == counted(other))


@given(st.lists(awkward, min_size=1, max_size=6), st.data())
@settings(max_examples=300)
def test_the_same_characters_cut_elsewhere_have_another_digest(tokens, data):
    cut = data.draw(st.integers(0, len(tokens)))
    places = {
        ("text",): Document("".join(tokens)),
        ("one field", len(tokens)): Document("", fields={"a": tokens}),
        ("two fields", cut): Document("", fields={"a": tokens[:cut], "a1": tokens[cut:]}),
        ("one token",): Document("", fields={"a": ["".join(tokens)]}),
    }
    distinct = {repr(counted(document)) for document in places.values()}
    assert len({document.digest for document in places.values()}) == len(distinct)


def test_a_digest_is_the_same_in_every_run():
    document = Document("日本語", fields={"subject": ["猫"]})
    assert document.digest == pickle.loads(pickle.dumps(document)).digest
    assert Document("").digest.hex() == "4b06a0124273e166a8d3f60f2a9abbce"


def test_half_a_surrogate_pair_has_a_digest():
    assert Document("\ud800").digest != Document("\ud801").digest

"""Where messages go by the verdict, and names of folders in modified UTF-7."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.mail.decision import Verdict
from textnb.mail.destinations import Destinations, decode_folder_name, encode_folder_name, parse_class_pairs

CLASSES = ["ham", "spam", "仕事"]
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text("a&-,/+é仕😀", max_size=12)


def test_a_sure_message_goes_to_the_folder_of_its_class_and_others_stay():
    to = Destinations(parse_class_pairs(["spam=Junk", "仕事=仕事 2026"], CLASSES, "--move"))
    assert to(Verdict("spam", 1.0, unsure=False)) == "Junk"
    assert to(Verdict("仕事", 1.0, unsure=False)) == "仕事 2026"
    assert to(Verdict("ham", 1.0, unsure=False)) is None
    assert to(Verdict("spam", 0.5, unsure=True)) is None
    assert to.names == ["Junk", "仕事 2026"]


def test_the_unsure_have_a_folder_where_one_is_named():
    to = Destinations({name: name for name in CLASSES}, unsure="Look")
    assert to(Verdict("spam", 0.5, unsure=True)) == "Look"
    assert to(Verdict("spam", 0.5, unsure=False)) == "spam"
    assert to.names == ["Look", *CLASSES]


def test_an_equals_sign_may_be_part_of_either_name():
    assert parse_class_pairs(["spam=a=b"], CLASSES, "--move") == {"spam": "a=b"}
    assert parse_class_pairs(["a=b=c"], ["a=b", "d"], "--move") == {"a=b": "c"}
    assert parse_class_pairs(["=x"], ["", "d"], "--move") == {"": "x"}


@pytest.mark.parametrize(
    ("pairs", "error"),
    [
        (["Junk"], "such as ham=NAME, not 'Junk'"),
        (["spma=Junk"], "--move spma=Junk: 'spma' is not among the model's classes: ham, spam, 仕事"),
        (["spam="], "--move spam=: write a name after '='"),
        (["spam=Junk", "spam=Bin"], "'spam' twice: 'Junk' and 'Bin'"),
    ],
)
def test_what_cannot_be_meant_is_refused(pairs, error):
    with pytest.raises(InputError) as refused:
        parse_class_pairs(pairs, CLASSES, "--move")
    assert error in str(refused.value)


def test_the_folder_of_the_unsure_has_a_name():
    with pytest.raises(InputError, match="name a folder"):
        Destinations(unsure="")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),  # RFC 3501, 5.1.3
        ("&", "&-"),
        ("&&é", "&-&-&AOk-"),
        ("迷惑メール", "&j,dg0TDhMPww6w-"),
        ("😀", "&2D3eAA-"),
        ("\t", "&AAk-"),
        ("", ""),
    ],
)
def test_names_have_the_form_of_the_rfc(name, code):
    assert encode_folder_name(name) == code
    assert decode_folder_name(code) == name


@settings(max_examples=50, deadline=None)
@given(NAMES)
def test_decoding_undoes_encoding_and_all_is_printable_ascii(name):
    code = encode_folder_name(name)
    assert code.isascii()
    assert code.isprintable()
    assert decode_folder_name(code) == name


@settings(max_examples=50, deadline=None)
@given(NAMES)
def test_imapclient_has_the_same_form(name):
    imap_utf7 = pytest.importorskip("imapclient.imap_utf7", reason="needs IMAPClient, the oracle")
    assert imap_utf7.encode(name) == encode_folder_name(name).encode()


@settings(max_examples=50, deadline=None)
@given(st.text("a&-,+AOkTU仕", max_size=8))
def test_what_is_decoded_is_encoded_the_same_way_and_all_else_is_refused(code):
    try:
        name = decode_folder_name(code)
    except InputError as error:
        assert "modified UTF-7" in str(error)
    else:
        assert encode_folder_name(name) == code


@pytest.mark.parametrize(
    "code", ["&", "&AOk", "&AGE-", "&AOk-&AOk-", "&A-", "&2D0-", "&/,-", "é", "&AOl-", "&=-", "&é-"]
)
def test_forms_that_are_never_given_are_refused(code):
    with pytest.raises(InputError, match="not a folder's name"):
        decode_folder_name(code)


def test_half_a_character_has_no_form():
    with pytest.raises(InputError, match="half a surrogate pair"):
        encode_folder_name("a\ud800")

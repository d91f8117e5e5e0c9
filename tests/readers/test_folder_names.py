"""Names of mail folders in modified UTF-7."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textnb.errors import InputError
from textnb.readers.folder_names import decode_folder_name, encode_folder_name

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text("a&-,/+é仕😀", max_size=12)


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

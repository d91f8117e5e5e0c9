"""Files to documents: folders, tables, lines, mail, and the decoding of bytes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from textnb.readers.columns import Columns, read_columns
from textnb.readers.corpus import READERS, is_mail, read_corpus, read_input, read_table
from textnb.readers.decoding import decoded
from textnb.readers.document import Document
from textnb.readers.mail_corpus import read_mail_stream
from textnb.readers.settings import Settings
from textnb.readers.tables import read_lines
from textnb.readers.trouble import Troubles

if TYPE_CHECKING:
    from textnb.readers.mail.features import MailFeatures
    from textnb.readers.mail.message import read_message
    from textnb.readers.mail.token_set import token_set

__all__ = [
    "READERS",
    "Columns",
    "Document",
    "MailFeatures",
    "Settings",
    "Troubles",
    "decoded",
    "is_mail",
    "read_columns",
    "read_corpus",
    "read_input",
    "read_lines",
    "read_mail_stream",
    "read_message",
    "read_table",
    "token_set",
]

_HOME = {"MailFeatures": "features", "read_message": "message", "token_set": "token_set"}


def __getattr__(name: str) -> Any:
    """What is for mail alone, loaded when first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'textnb.readers' has no attribute {name!r}")
    value = getattr(import_module(f"textnb.readers.mail.{_HOME[name]}"), name)
    globals()[name] = value
    return value

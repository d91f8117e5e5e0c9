"""Files to documents: folders, tables, lines, mail, and the decoding of bytes."""

from typing import TYPE_CHECKING

from textnb.document import Document
from textnb.extension import dir_of, names_of
from textnb.readers.columns import Columns, read_columns
from textnb.readers.corpus import (
    READERS,
    OpenCorpus,
    open_corpora,
    open_corpus,
    open_input,
    read_corpus,
    read_input,
    read_table,
)
from textnb.readers.decoding import decoded
from textnb.readers.mail_corpus import read_mail_stream
from textnb.readers.settings import Settings, Troubles
from textnb.readers.tables import read_lines

if TYPE_CHECKING:
    from textnb.readers.message.features import MailFeatures
    from textnb.readers.message.message import Heading, read_heading, read_message

__all__ = [
    "READERS",
    "Columns",
    "Document",
    "Heading",
    "MailFeatures",
    "OpenCorpus",
    "Settings",
    "Troubles",
    "decoded",
    "open_corpora",
    "open_corpus",
    "open_input",
    "read_columns",
    "read_corpus",
    "read_heading",
    "read_input",
    "read_lines",
    "read_mail_stream",
    "read_message",
    "read_table",
]

if not TYPE_CHECKING:
    # Names for mail alone are imported when first used.
    _OF_MESSAGES = dict.fromkeys(("Heading", "read_heading", "read_message"), "message.message")
    __getattr__ = names_of(__name__, {"MailFeatures": "message.features", **_OF_MESSAGES})

__dir__ = dir_of(__name__)

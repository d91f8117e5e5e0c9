"""Files to documents: folders, tables, lines, mail, and the decoding of bytes."""

from typing import TYPE_CHECKING

from textnb.document import Document
from textnb.extension import names_of
from textnb.readers.columns import Columns, read_columns
from textnb.readers.corpus import (
    READERS,
    OpenCorpus,
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
    from textnb.readers.message.message import read_message

__all__ = [
    "READERS",
    "Columns",
    "Document",
    "MailFeatures",
    "OpenCorpus",
    "Settings",
    "Troubles",
    "decoded",
    "open_corpus",
    "open_input",
    "read_columns",
    "read_corpus",
    "read_input",
    "read_lines",
    "read_mail_stream",
    "read_message",
    "read_table",
]

# Names for mail alone are imported when first used.
__getattr__ = names_of(__name__, {"MailFeatures": "message.features", "read_message": "message.message"})

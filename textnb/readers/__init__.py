"""Files to documents: folders, tables, lines, mail, and the decoding of bytes."""

from textnb.readers.columns import Columns, read_columns
from textnb.readers.corpus import READERS, read_corpus, read_input, read_table
from textnb.readers.decoding import decoded
from textnb.readers.document import Document
from textnb.readers.mail import MailFeatures, read_message, token_set
from textnb.readers.mail_corpus import read_mail_stream
from textnb.readers.settings import Settings
from textnb.readers.tables import read_lines
from textnb.readers.trouble import Troubles

__all__ = [
    "READERS",
    "Columns",
    "Document",
    "MailFeatures",
    "Settings",
    "Troubles",
    "decoded",
    "read_columns",
    "read_corpus",
    "read_input",
    "read_lines",
    "read_mail_stream",
    "read_message",
    "read_table",
    "token_set",
]

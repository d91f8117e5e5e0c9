"""Files to documents: folders, tables, lines, mail, and the decoding of bytes."""

from typing import TYPE_CHECKING

from textnb.lazily import names_of
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

__getattr__ = names_of(  # what is for mail alone
    __name__,
    {"MailFeatures": "mail.features", "read_message": "mail.message", "token_set": "mail.token_set"},
)

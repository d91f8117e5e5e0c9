"""Mail: the bytes of a message to a Document, and the tokens it gives beside its words."""

from textnb.readers.mail.features import GROUPS, MailFeatures
from textnb.readers.mail.message import LONGEST_MESSAGE, read_message
from textnb.readers.mail.token_set import token_set

__all__ = ["GROUPS", "LONGEST_MESSAGE", "MailFeatures", "read_message", "token_set"]

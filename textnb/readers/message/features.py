"""Groups of tokens that a message gives besides its words: subject, sender, relays, links, attachments and others.

Each group is one field of the Document, counted as ``group:token``, each token once. Every group can be left out.
Header fields with the verdict of another filter (X-Spam-Status, X-Bogosity, ...) or with where the owner filed the
message (Status, X-Keywords, ...) are never tokens, because they reveal the label.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from textnb.errors import InputError

GROUPS = {
    "subject": "the words of the subject, their case kept; Japanese in pairs of characters",
    "from": "the words of From: name, address, host and its last labels",
    "to": "the words of To and Cc: name, address, host and its last labels",
    "list": "the words of List-Id",
    "header": "the names of all other fields and the words in them, as name:word",
    "received": "the hosts that passed the message on, with their last labels, and their networks",
    "zone": "the time zone of the date",
    "link": "the hosts of links, with their last labels",
    "type": "the content types and transfer encodings of all parts",
    "charset": "the charsets that are named",
    "attachment": "name, extension, type and size of attachments; never their content",
    "hidden": "words that a page hides from its reader",
    "defect": "the kinds of what is wrong with the message",
}

_FILTER_FIELD = re.compile(
    rb"x-(?:spam|bogosity|barracuda|milter|crm114|dspam|virus|popfile|text-classification|rspamd|proofpoint|ironport|amavis"
    rb"|razor|pyzor|dcc|sa-|junk|bayes|antivirus|anti-?spam|gmx-anti|mailscanner|ms-exchange-organization-scl|forefront"
    rb"|microsoft-antispam|ms-exchange-antispam|tm-as|cloudmark|vade|textnb|filter|scanned|kaspersky|clamav|norton|sophos"
    rb"|avast|symantec|brightmail|mailcleaner|ovh-spam|cmae|yandex-spam|qq-spam|ui-filter|ham-report|.*spam|.*mailscanner)"
)
_OWNER_FIELDS = frozenset(
    b"status x-status x-uid x-uidl x-keywords x-mozilla-status x-mozilla-status2 x-mozilla-keys x-evolution "
    b"x-gmail-labels x-gm-thrid x-imap x-imapbase lines content-length x-folder x-label x-apparently-to".split()
)


@dataclass(frozen=True)
class MailFeatures:
    """Choice of the ``groups`` of tokens that a message gives, from GROUPS; by default all.

    >>> MailFeatures().without("received", "to").recipe["groups"][:3]
    ['subject', 'from', 'list']
    """

    groups: tuple[str, ...] = tuple(GROUPS)

    def __post_init__(self) -> None:
        for name in self.groups:
            if name not in GROUPS:
                raise InputError("unknown group {name!r} of mail tokens; use {all}", name=name, all=", ".join(GROUPS))
        object.__setattr__(self, "groups", tuple(name for name in GROUPS if name in self.groups))

    def without(self, *names: str) -> "MailFeatures":
        """Choice without some groups."""
        MailFeatures(names)
        return MailFeatures(tuple(name for name in self.groups if name not in names))

    @property
    def recipe(self) -> dict[str, Any]:
        """Groups as plain JSON values."""
        return {"groups": list(self.groups)}

    @classmethod
    def of(cls, recipe: Mapping[str, Any]) -> "MailFeatures":
        """Rebuild the choice from its recipe."""
        return cls(tuple(recipe["groups"]))


@lru_cache(4096)
def reveals_label(name: bytes) -> bool:
    """Whether a header field has the verdict of another filter or of the owner."""
    return name in _OWNER_FIELDS or (name.startswith(b"x-") and _FILTER_FIELD.match(name) is not None)


def attachment_tokens(name: str, kind: str, size: int) -> list[str]:
    """Tokens of an attachment: name, extension, type, and size as a power of two."""
    folded = name.lower().strip()
    stem, dot, extension = folded.rpartition(".")
    named = [f"name:{folded[-60:]}"] if folded else []
    if dot and stem and len(extension) <= 8:
        named.append(f"extension:{extension}")
    return [*named, f"type:{kind[:80]}", f"size:{1 << max(size - 1, 0).bit_length()}"]

"""The start of IDLE, as RFC 2177 has it: what IMAPClient makes of it does not suffice.

+ ...               the server consents
* ...               it has news first; IMAPClient takes that for a failure, and stumbles over the consent
TAG NO, TAG BAD     it refuses; DONE would be one more command that it does not understand
"""

from imaplib import IMAP4
from typing import Any

_MOST = 1000
"""Lines of news before the consent."""


def idle(client: Any) -> bool:
    """Begin IDLE, in place of the method of an IMAPClient. Whether there were news first."""
    client._idle_tag = tag = client._imap._command("IDLE")  # idle_done() ends what has this tag
    for heard in range(_MOST):
        if client._imap._get_response() is None:
            return heard > 0
        if client._imap.tagged_commands[tag]:
            word, said = client._imap.tagged_commands.pop(tag)
            raise IMAP4.error(f"IDLE is answered by {word} {said[0]!r}")
    raise IMAP4.abort("IDLE is not answered")

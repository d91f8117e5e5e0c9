"""A connection to an IMAP server: encrypted, its certificate verified; and every failure one clear line.

    tls         encrypted from the first byte, port 993; what is meant unless another is asked for
    starttls    encrypted before anything is said, port 143; refused where the server does not offer it
    plain       not encrypted at all, port 143; to this machine only, unless the user insists

Whatever a server or IMAPClient does wrong comes out of ``connected`` as a ``ServerError``: the connection is of no use
any more. Where the server has understood and said no it is a ``RefusedError``, and the connection goes on.
"""

import imaplib
import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal

from textnb.errors import InputError, TextnbError
from textnb.mail.imap.password import AskPassword, Password

Client = Any
"""An IMAPClient, which ships no types; or what does the same."""

Security = Literal["tls", "starttls", "plain"]
PORTS: Mapping[Security, int] = {"tls": 993, "starttls": 143, "plain": 143}

_PASSING = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]")
"""Codes (RFC 5530) of a refusal to let somebody in that has nothing to do with the password."""


class ServerError(InputError):
    """The server cannot be reached, has hung up, or says what is not IMAP."""


class RefusedError(ServerError):
    """The server has understood a command and refused it."""


class LoginError(InputError):
    """There is no way in: the certificate, the user or the password is at fault, and to try again would not help."""


@dataclass(frozen=True)
class Account:
    """Whose mailbox, and how it is reached. seconds: how long to wait for the server at any time."""

    host: str
    user: str
    security: Security = "tls"
    port: int = 0
    cafile: Path | None = None
    seconds: float = 30.0

    @property
    def place(self) -> str:
        """The server, for its user to read."""
        return f"{self.host}:{self.port or PORTS[self.security]}"

    @property
    def is_here(self) -> bool:
        """Whether the server is this machine by its name.

        >>> [Account(host, "me").is_here for host in ("localhost", "::1", "127.0.0.9", "localhost.example.jp")]
        [True, True, True, False]
        """
        with suppress(ValueError):
            return ip_address(self.host).is_loopback
        return self.host.lower() == "localhost"


@contextmanager
def connect(account: Account, ask: AskPassword) -> Iterator[Client]:
    """A client whose user is logged in; afterwards it is logged out, or hung up where something failed."""
    context = _context(account)
    password = ask()
    client = _opened(account, context)
    try:
        careful = guard(client, account)
        _log_in(careful, account, password)
        yield careful
        with suppress(ServerError):  # all is done
            careful.logout()
    finally:
        with suppress(OSError):  # the line may be closed already
            client.shutdown()


def _opened(account: Account, context: ssl.SSLContext | None) -> Client:
    try:
        from imapclient import IMAPClient
    except ImportError:
        raise InputError("IMAP needs the package IMAPClient: pip install 'textnb[imap]'") from None
    with _reported(account, "cannot be reached"):
        client = IMAPClient(
            account.host,
            account.port or PORTS[account.security],
            ssl=account.security == "tls",
            ssl_context=context if account.security == "tls" else None,
            timeout=account.seconds,
        )
        if account.security == "starttls":
            try:
                client.starttls(context)
            except BaseException:
                with suppress(OSError):  # the line may be closed already
                    client.shutdown()
                raise
        client.folder_encode = False  # names are encoded by us, and those that cannot be decoded do no harm
    return client


def _context(account: Account) -> ssl.SSLContext | None:
    if account.security == "plain":
        return None
    try:
        return ssl.create_default_context(cafile=account.cafile)
    except OSError as error:
        raise InputError(f"--cafile {account.cafile} holds no certificates: {error.strerror or error}") from error


def _log_in(client: Client, account: Account, password: Password) -> None:
    try:
        if client.has_capability("AUTH=PLAIN"):
            client.plain_login(account.user, password.secret)
        elif client.has_capability("LOGINDISABLED"):
            raise LoginError(f"{account.place} takes no password over this connection; --starttls encrypts it")
        elif not (account.user + password.secret).isascii():
            raise LoginError(f"{account.place} takes only ASCII in names and passwords (it has no AUTH=PLAIN)")
        else:
            client.login(account.user, password.secret)
    except ServerError as error:  # without its cause, which may hold the password
        said = str(error)
        if password.appears_in(said, account.user):
            said = f"{account.place} says no, and repeats the password"
        if not isinstance(error, RefusedError) or any(code in str(error) for code in _PASSING):
            raise ServerError(said) from None
        raise LoginError(f"{said}; is it the right --user ({account.user}) and password?") from None


def guard(client: Client, account: Account) -> Client:
    """The client, all of whose failures are errors of textnb's own."""

    class Guarded:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            method = getattr(client, name)

            @wraps(method)
            def asked(*arguments: Any, **named: Any) -> Any:
                with _reported(account, "has broken the connection off"):
                    return method(*arguments, **named)

            return asked

    return Guarded()


@contextmanager
def parsing_answer() -> Iterator[None]:
    """An answer is taken apart; where that fails it was none, whatever IMAPClient has made of it."""
    try:
        yield
    except TextnbError:
        raise
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise ServerError(f"the server answers what is not IMAP: {error!r}") from error


def as_text(given: object) -> str:
    """A word of an answer; IMAPClient takes words of digits for numbers, and NIL for None.

    >>> [as_text(word) for word in (b"$Junk", 2024, None)]
    ['$Junk', '2024', 'NIL']
    """
    if isinstance(given, bytes):
        return given.decode("latin-1")
    return "NIL" if given is None else str(given)


@contextmanager
def _reported(account: Account, lost: str) -> Iterator[None]:
    try:
        yield
    except (TextnbError, MemoryError):
        raise
    except ssl.SSLCertVerificationError as error:
        raise LoginError(
            f"{account.place} does not prove to be {account.host}: {error.verify_message.rstrip('.')}; where the "
            "server is your own, --cafile names the file of its certificate authority"
        ) from error
    except ssl.SSLError as error:
        hint = "; is it a port for TLS? --starttls is for others" if account.security == "tls" else ""
        raise ServerError(f"{account.place} {lost}: {error.reason or error}{hint}") from error
    except OSError as error:
        raise ServerError(f"{account.place} {lost}: {_why(error)}") from error
    except imaplib.IMAP4.readonly as error:
        raise RefusedError(f"{account.place} lets the folder only be read") from error
    except imaplib.IMAP4.abort as error:
        raise ServerError(f"{account.place} {lost}: {error}") from error
    except imaplib.IMAP4.error as error:
        said = re.sub(r"^b(['\"])(.*)\1$", r"\2", str(error))  # imaplib shows bytes as they are written in Python
        raise RefusedError(f"{account.place} says: {said}") from error
    except Exception as error:  # what IMAPClient comes upon when the answer is no IMAP
        raise ServerError(f"{account.place} answers what is not IMAP: {error!r}") from error


def _why(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "it has not answered in time"
    return error.strerror or str(error)

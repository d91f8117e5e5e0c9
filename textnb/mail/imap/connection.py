"""A connection to an IMAP server: encrypted, its certificate verified, every failure one clear line.

    tls         encrypted from the first byte, port 993; the default
    starttls    encrypted before anything else is sent, port 143; refused if the server does not offer it
    plain       not encrypted, port 143; only to this machine, unless the user insists

All errors of a server or of IMAPClient leave ``connect`` as a ``ServerError``: the connection cannot be used any more.
A command that the server understood and refused is a ``RefusedError``, and the connection can still be used.
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
"""An IMAPClient, which ships no types, or an object with the same methods."""

Security = Literal["tls", "starttls", "plain"]
PORTS: Mapping[Security, int] = {"tls": 993, "starttls": 143, "plain": 143}

_TEMPORARY_CODES = ("[UNAVAILABLE]", "[INUSE]", "[LIMIT]", "[SERVERBUG]")
"""Codes (RFC 5530) of a failed login that has nothing to do with the password."""


class ServerError(InputError):
    """The server cannot be reached, closed the connection, or does not speak IMAP."""


class RefusedError(ServerError):
    """The server understood a command and refused it."""


class LoginError(InputError):
    """Login failed (certificate, user or password); retrying will not help."""


@dataclass(frozen=True)
class Account:
    """Account on a server and how to connect to it. timeout: seconds to wait for any answer."""

    host: str
    user: str
    security: Security = "tls"
    port: int = 0
    cafile: Path | None = None
    timeout: float = 30.0

    @property
    def address(self) -> str:
        """Host and port, for messages."""
        return f"{self.host}:{self.port or PORTS[self.security]}"

    @property
    def is_local(self) -> bool:
        """Whether the server's name says that it is this machine.

        >>> [Account(host, "me").is_local for host in ("localhost", "::1", "127.0.0.9", "localhost.example.jp")]
        [True, True, True, False]
        """
        with suppress(ValueError):
            return ip_address(self.host).is_loopback
        return self.host.lower() == "localhost"


@contextmanager
def connect(account: Account, ask: AskPassword) -> Iterator[Client]:
    """Log in and yield the client; log out afterwards, or just disconnect after an error."""
    context = _ssl_context(account)
    password = ask()
    client = _open(account, context)
    try:
        guarded = guard(client, account)
        _log_in(guarded, account, password)
        yield guarded
        with suppress(ServerError):  # all work is done
            guarded.logout()
    finally:
        with suppress(OSError):  # it may be closed already
            client.shutdown()


def _open(account: Account, context: ssl.SSLContext | None) -> Client:
    try:
        from imapclient import IMAPClient
    except ImportError:
        raise InputError("IMAP needs the package IMAPClient; run pip install 'textnb[imap]'") from None
    with _reporting(account, "cannot reach {address}"):
        client = IMAPClient(
            account.host,
            account.port or PORTS[account.security],
            ssl=account.security == "tls",
            ssl_context=context if account.security == "tls" else None,
            timeout=account.timeout,
        )
        if account.security == "starttls":
            try:
                client.starttls(context)
            except BaseException:
                with suppress(OSError):  # it may be closed already
                    client.shutdown()
                raise
        client.folder_encode = False  # textnb encodes names itself and tolerates those that cannot be decoded
    return client


def _ssl_context(account: Account) -> ssl.SSLContext | None:
    if account.security == "plain":
        return None
    try:
        return ssl.create_default_context(cafile=account.cafile)
    except OSError as error:
        template = "--cafile {path} has no usable certificates: {reason}"
        raise InputError(template, path=account.cafile, reason=error.strerror or error) from error


def _log_in(client: Client, account: Account, password: Password) -> None:
    try:
        if client.has_capability("AUTH=PLAIN"):
            client.plain_login(account.user, password.secret)
        elif client.has_capability("LOGINDISABLED"):
            raise LoginError("{host} accepts no password without encryption; use --starttls", host=account.address)
        elif not (account.user + password.secret).isascii():
            raise LoginError("{host} accepts only ASCII user names and passwords", host=account.address)
        else:
            client.login(account.user, password.secret)
    except ServerError as error:  # without its cause, which may contain the password
        said = str(error)
        if password.appears_in(said, account.user):
            said = f"{account.address} refuses the login and repeats the password"
        if not isinstance(error, RefusedError) or any(code in str(error) for code in _TEMPORARY_CODES):
            raise ServerError("{said}", said=said) from None
        raise LoginError("{said}; check --user ({user}) and the password", said=said, user=account.user) from None


def guard(client: Client, account: Account) -> Client:
    """Wrap a client so that all its failures are errors of textnb."""

    class Guarded:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            method = getattr(client, name)

            @wraps(method)
            def asked(*arguments: Any, **named: Any) -> Any:
                with _reporting(account, "lost the connection to {address}"):
                    return method(*arguments, **named)

            return asked

    return Guarded()


@contextmanager
def parsing_answer() -> Iterator[None]:
    """Raise ServerError if an answer of the server, as parsed by IMAPClient, turns out to be malformed."""
    try:
        yield
    except TextnbError:
        raise
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise ServerError("the server's answer is not IMAP: {error}", error=repr(error)) from error


def as_text(given: object) -> str:
    """Word of an answer as text; IMAPClient parses digits as a number and NIL as None.

    >>> [as_text(word) for word in (b"$Junk", 2024, None)]
    ['$Junk', '2024', 'NIL']
    """
    if isinstance(given, bytes):
        return given.decode("latin-1")
    return "NIL" if given is None else str(given)


@contextmanager
def _reporting(account: Account, lost: str) -> Iterator[None]:
    """Raise errors of the network, imaplib and IMAPClient as errors of textnb; ``lost`` is a template."""
    address = account.address
    try:
        yield
    except (TextnbError, MemoryError):
        raise
    except ssl.SSLCertVerificationError as error:
        template = "the certificate of {address} is not valid for {host}: {reason}; for your own server, use --cafile"
        reason = error.verify_message.rstrip(".")
        raise LoginError(template, address=address, host=account.host, reason=reason) from error
    except ssl.SSLError as error:
        hint = "; if the port is not for TLS, use --starttls" if account.security == "tls" else ""
        raise ServerError(lost + ": {reason}" + hint, address=address, reason=error.reason or error) from error
    except TimeoutError as error:
        raise ServerError(lost + ": no answer in time", address=address) from error
    except OSError as error:
        raise ServerError(lost + ": {reason}", address=address, reason=error.strerror or error) from error
    except imaplib.IMAP4.readonly as error:
        raise RefusedError("{address} has opened the folder read-only", address=address) from error
    except imaplib.IMAP4.abort as error:
        raise ServerError(lost + ": {reason}", address=address, reason=error) from error
    except imaplib.IMAP4.error as error:
        said = re.sub(r"^b(['\"])(.*)\1$", r"\2", str(error))  # imaplib shows bytes as written in Python
        raise RefusedError("{address} says: {said}", address=address, said=said) from error
    except Exception as error:  # IMAPClient fails on a malformed answer
        raise ServerError(
            "{address} sent an invalid IMAP answer: {error}", address=address, error=repr(error)
        ) from error

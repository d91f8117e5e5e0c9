"""The way into an account on a server: --password-command, --starttls and their kin."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.errors import InputError

if TYPE_CHECKING:
    from textnb.mail.imap.connection import Account
    from textnb.mail.imap.password import Ask


def _entry(name: str, metavar: str | None, help: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help, rich_help_panel="Connection")


@dataclass(frozen=True)
class Entering:
    """The way into an account, beside its host and user."""

    password_command: Annotated[
        str | None, _entry("--password-command", "COMMAND", "A command whose first line is the password; no shell.")
    ] = None
    password_file: Annotated[
        Path | None, _entry("--password-file", "FILE", "A file, of mode 0600, whose first line is the password.")
    ] = None
    port: Annotated[int | None, _entry("--port", "N", "[default: 993; 143 with --starttls and --plain]")] = None
    starttls: Annotated[bool, _entry("--starttls", None, "Encrypt by STARTTLS.")] = False
    plain: Annotated[bool, _entry("--plain", None, "Do not encrypt; for a server on this machine.")] = False
    insecure: Annotated[
        bool, _entry("--insecure", None, "--plain for any server: password and mail can be read on the way.")
    ] = False
    cafile: Annotated[
        Path | None, _entry("--cafile", "FILE", "Certificates (PEM) to believe in place of the system's.")
    ] = None
    timeout: Annotated[float, _entry("--timeout", "SECONDS", "How long to wait for the server.")] = 30.0

    def account(self, host: str, user: str) -> "Account":
        """The account, if the way there is safe."""
        from textnb.mail.imap.connection import Account, Security

        if self.starttls and self.plain:
            raise InputError("--starttls encrypts and --plain does not; choose one")
        if not self.timeout > 0:
            raise InputError(f"--timeout must be a number of seconds above 0, not {self.timeout:g}")
        security: Security = "starttls" if self.starttls else "plain" if self.plain else "tls"
        account = Account(host, user, security, self.port or 0, self.cafile, self.timeout)
        if self.plain and not (account.is_here or self.insecure):
            raise InputError(f"--plain would send the password to {host} for all to read; --insecure insists on it")
        return account

    @property
    def ask(self) -> "Ask":
        """How to come by the password."""
        from textnb.mail.imap.password import password_from

        return password_from(command=self.password_command, file=self.password_file)

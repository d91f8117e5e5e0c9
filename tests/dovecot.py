"""Debian's dovecot on loopback, for tests of IMAP: its own configuration, users and mail in a folder of its own."""

import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

PASSWORD = "hunter2 ひみつ"
PLAIN_USERS = [f"user{number}" for number in range(100)]
PREFIXED = "userdb_namespace/inbox/prefix=INBOX. userdb_namespace/inbox/separator=."
SPECIAL_USERS = {"prefixed": PREFIXED, "old": "userdb_imap_capability=IMAP4rev1"}
"""One whose folders are all below INBOX; one for whom the server is as of 2003: no MOVE, UIDPLUS, NAMESPACE, IDLE."""

_CONFIGURATION = """
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = {internal}
default_internal_group = {group}
default_login_user = {internal}
first_valid_uid = 1
mail_location = maildir:{folder}/mail/%u
mail_fsync = never
namespace inbox {{
  inbox = yes
  separator = /
}}
passdb {{
  driver = passwd-file
  args = {folder}/users
}}
userdb {{
  driver = passwd-file
  args = {folder}/users
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {plain}
  }}
  inet_listener imaps {{
    port = {tls}
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
"""


class UnavailableError(Exception):
    """There is no dovecot here, or it does not start; the message says why."""


class Dovecot:
    """A server: ``plain`` and ``tls`` are its ports, ``certificate`` what proves it to be localhost."""

    def __init__(self) -> None:
        program = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if program is None or shutil.which("openssl") is None or not Path("/usr/lib/dovecot/imap").exists():
            raise UnavailableError("needs dovecot with IMAP (dovecot-imapd), and openssl")
        self.folder = Path(tempfile.mkdtemp(prefix="textnb-imap-"))  # short, for the names of its sockets
        self.plain, self.tls = free_port(), free_port()
        self.certificate = self.folder / "cert.pem"
        try:
            self._prepare()
            command = [program, "-F", "-c", str(self.folder / "conf")]
            with (self.folder / "said").open("w") as said:
                self._process = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True)
            self._wait()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # it has a session of its own, and nothing to save
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _prepare(self) -> None:
        is_root = os.geteuid() == 0
        owner = pwd.getpwnam("nobody") if is_root else pwd.getpwuid(os.geteuid())
        self.folder.chmod(0o755)
        (self.folder / "mail").mkdir()
        if is_root:
            os.chown(self.folder / "mail", owner.pw_uid, owner.pw_gid)
        certify(self.folder, "localhost")
        users = {**dict.fromkeys(PLAIN_USERS, ""), **SPECIAL_USERS}
        lines = [
            f"{name}:{{PLAIN}}{PASSWORD}:{owner.pw_uid}:{owner.pw_gid}::{self.folder}/mail/{name}::{extra}\n"
            for name, extra in users.items()
        ]
        (self.folder / "users").write_text("".join(lines))
        values = {"folder": self.folder, "internal": owner.pw_name, "group": grp.getgrgid(owner.pw_gid).gr_name}
        (self.folder / "conf").write_text(_CONFIGURATION.format(**values, plain=self.plain, tls=self.tls))

    def _wait(self) -> None:
        for _ in range(200):
            if self._process.poll() is not None:
                break
            with suppress(OSError), closing(socket.create_connection(("127.0.0.1", self.plain), timeout=5)) as line:
                if line.recv(100).startswith(b"* OK"):
                    return
            time.sleep(0.05)
        said = [path.read_text() for path in (self.folder / "said", self.folder / "log") if path.exists()]
        raise UnavailableError(f"dovecot does not start: {' '.join(said)[-300:]!r}")


def certify(folder: Path, name: str) -> None:
    """A certificate that nobody has signed but itself, and its key."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-nodes", "-days", "2"]
    names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as line:
        return int(line.getsockname()[1])

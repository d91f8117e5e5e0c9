"""``textnb filterd``: a service that answers messages over a Unix socket, one per connection (see ``protocol``).

Only the owner may connect (mode 0600). A client that is slow, silent, gone or sends too much affects only its own
connection: each has a limited time to send and to take the reply, and a limited number is served at once.
``Service.stop`` lets the clients being answered finish, and removes the socket.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.mail.protocol import FAILED, MAX_MESSAGE_BYTES, Answer, Reply

_log = logging.getLogger("textnb")
_READ_BYTES = 1 << 18
_SHUTDOWN_SECONDS = 5.0


class ServiceLimits(NamedTuple):
    """Limits for clients: seconds to send and to take the reply, bytes of a message, clients at once."""

    seconds: float = 30.0
    longest: int = MAX_MESSAGE_BYTES
    clients: int = 32


class Service:
    """Service that answers clients until it is stopped.

    answer: from a message to the reply, and what to do once the client has it (or None); it runs in threads.
    """

    def __init__(self, answer: Callable[[bytes], Answer], limits: ServiceLimits | None = None) -> None:
        self.answer, self.limits = answer, limits or ServiceLimits()
        self._stop = asyncio.Event()
        self._slots = asyncio.Semaphore(self.limits.clients)
        self._busy: set[asyncio.Future[None]] = set()

    def stop(self) -> None:
        """Stop once the connected clients have been answered."""
        self._stop.set()

    async def run(self, listening: socket.socket) -> None:
        """Answer the clients that connect to a socket made by ``listen_at``."""
        path = listening.getsockname()
        mine = _inode(path)
        with listening, ThreadPoolExecutor(self.limits.clients) as threads:
            asyncio.get_running_loop().set_default_executor(threads)
            await self._accept(listening)
            if self._busy:
                await asyncio.wait(self._busy, timeout=min(self.limits.seconds, _SHUTDOWN_SECONDS))
        if _inode(path) == mine:
            with suppress(FileNotFoundError):
                Path(path).unlink()

    async def _accept(self, listening: socket.socket) -> None:
        """Accept clients, a limited number at once, until stopped."""
        listening.setblocking(False)
        stopped = asyncio.ensure_future(self._stop.wait())
        while not stopped.done():
            coming = asyncio.ensure_future(self._accept_one(listening))
            await asyncio.wait([coming, stopped], return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                serving = asyncio.ensure_future(self._serve(coming.result()))
                self._busy.add(serving)
                serving.add_done_callback(self._release)
            else:
                coming.cancel()

    async def _accept_one(self, listening: socket.socket) -> socket.socket:
        await self._slots.acquire()
        while True:
            try:
                return (await asyncio.get_running_loop().sock_accept(listening))[0]
            except OSError as error:  # for instance too many open files, which is temporary
                _log.info("cannot accept a client, will keep trying: %s", error.strerror or error)
                await asyncio.sleep(1)

    def _release(self, serving: asyncio.Future[None]) -> None:
        self._busy.discard(serving)
        self._slots.release()

    async def _serve(self, line: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=line, limit=_READ_BYTES)
        try:
            await self._answer(reader, writer)
        except TimeoutError:
            _log.info("client too slow, disconnected")
        except OSError as error:
            _log.info("client has disconnected: %s", error.strerror or error)
        except Exception as error:  # an error of one client must not affect the next
            _log.info("client could not be answered: %r", error)
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self.limits.seconds):
            message = await self._read_message(reader)
        reply, afterwards = Reply(FAILED, b"", f"the message has more than {self.limits.longest:,} bytes"), None
        if message is not None:
            reply, afterwards = await loop.run_in_executor(None, self.answer, message)
        async with asyncio.timeout(self.limits.seconds):
            writer.writelines([reply.line, reply.message])
            writer.close()
            await writer.wait_closed()
        if afterwards is not None:
            await loop.run_in_executor(None, afterwards)

    async def _read_message(self, reader: asyncio.StreamReader) -> bytes | None:
        """Read a message; None if it is too long."""
        pieces, size = [], 0
        while piece := await reader.read(_READ_BYTES):
            pieces.append(piece)
            size += len(piece)
            if size > self.limits.longest:
                return None
        return b"".join(pieces)


def listen_at(path: Path) -> socket.socket:
    """Make a listening socket that only its owner may use; a stale one of that name is replaced."""
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("this system has no Unix sockets; use textnb filter without --socket")
    line = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        _remove_stale_socket(path)
        line.bind(str(path))
        line.listen(128)
    except (InputError, OSError) as error:
        line.close()
        if isinstance(error, InputError):
            raise
        raise InputError("cannot listen at {path}: {reason}", path=path, reason=error.strerror or error) from error
    finally:
        os.umask(before)
    return line


def _remove_stale_socket(path: Path) -> None:
    """Remove a socket that no process listens at; raise InputError for one in use and for any other file."""
    if not path.exists():
        return
    if not path.is_socket():
        raise InputError("{path} already exists and is not a socket; choose another name", path=path)
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1.0)
        try:
            line.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise InputError("a service already listens at {path}; stop it first or choose another name", path=path)


def _inode(path: str) -> int | None:
    with suppress(OSError):
        return Path(path).stat().st_ino
    return None

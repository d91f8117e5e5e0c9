"""``textnb filterd``: messages answered over a Unix socket, one a connection, as ``protocol`` has it.

Nobody but the owner may connect (mode 0600). A client that is slow, silent, too long or gone costs nothing but its own
connection: each has so many seconds to send and as many to take the reply, and only so many are heard at once. The end
(``Service.stop``) lets those finish that are being answered, and removes the socket.
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
_PIECE = 1 << 18
_LAST_SECONDS = 5.0


class ServiceLimits(NamedTuple):
    """What a client may use up: seconds to send, and to take the reply; bytes of a message; clients at once."""

    seconds: float = 30.0
    longest: int = MAX_MESSAGE_BYTES
    clients: int = 32


class Service:
    """Answers clients until it is told to stop.

    answer: from a message to the reply; it runs in threads.
    """

    def __init__(self, answer: Callable[[bytes], Answer], limits: ServiceLimits | None = None) -> None:
        self.answer, self.limits = answer, limits or ServiceLimits()
        self._stop = asyncio.Event()
        self._slots = asyncio.Semaphore(self.limits.clients)
        self._busy: set[asyncio.Future[None]] = set()

    def stop(self) -> None:
        """End as soon as those are answered that have been heard."""
        self._stop.set()

    async def run(self, listening: socket.socket) -> None:
        """Answer whoever comes to a socket of ``listening_at``."""
        path = listening.getsockname()
        mine = _inode(path)
        with listening, ThreadPoolExecutor(self.limits.clients) as threads:
            asyncio.get_running_loop().set_default_executor(threads)
            await self._accept(listening)
            if self._busy:
                await asyncio.wait(self._busy, timeout=min(self.limits.seconds, _LAST_SECONDS))
        if _inode(path) == mine:
            with suppress(FileNotFoundError):
                Path(path).unlink()

    async def _accept(self, listening: socket.socket) -> None:
        """Hear clients, no more than so many at once, until it is time to stop."""
        listening.setblocking(False)
        stopped = asyncio.ensure_future(self._stop.wait())
        while not stopped.done():
            coming = asyncio.ensure_future(self._next(listening))
            await asyncio.wait([coming, stopped], return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                heard = asyncio.ensure_future(self._heard(coming.result()))
                self._busy.add(heard)
                heard.add_done_callback(self._left)
            else:
                coming.cancel()

    async def _next(self, listening: socket.socket) -> socket.socket:
        await self._slots.acquire()
        while True:
            try:
                return (await asyncio.get_running_loop().sock_accept(listening))[0]
            except OSError as error:  # too many open files, for instance: that passes
                _log.info("a client could not be heard: %s", error.strerror or error)
                await asyncio.sleep(1)

    def _left(self, heard: asyncio.Future[None]) -> None:
        self._busy.discard(heard)
        self._slots.release()

    async def _heard(self, line: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=line, limit=_PIECE)
        try:
            await self._answered(reader, writer)
        except TimeoutError:
            _log.info("a client was too slow and is heard no longer")
        except OSError as error:
            _log.info("a client has gone: %s", error.strerror or error)
        except Exception as error:  # the next client is not to suffer from what this one met with
            _log.info("a client could not be answered: %r", error)
        finally:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self.limits.seconds):
            message = await self._message(reader)
        reply, afterwards = Reply(FAILED, b"", f"the message has more than {self.limits.longest:,} bytes"), None
        if message is not None:
            reply, afterwards = await loop.run_in_executor(None, self.answer, message)
        async with asyncio.timeout(self.limits.seconds):
            writer.writelines([reply.line, reply.message])
            writer.close()
            await writer.wait_closed()
        if afterwards is not None:
            await loop.run_in_executor(None, afterwards)

    async def _message(self, reader: asyncio.StreamReader) -> bytes | None:
        """The message; None where it is too long."""
        pieces, size = [], 0
        while piece := await reader.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > self.limits.longest:
                return None
        return b"".join(pieces)


def listen_at(path: Path) -> socket.socket:
    """A socket that listens, in place of one that was left behind; for the owner alone."""
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("this system has no Unix sockets; use textnb filter without --socket")
    line = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        _remove_what_is_left(path)
        line.bind(str(path))
        line.listen(128)
    except (InputError, OSError) as error:
        line.close()
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} cannot be listened at: {error.strerror or error}") from error
    finally:
        os.umask(before)
    return line


def _remove_what_is_left(path: Path) -> None:
    """Remove a socket that nobody listens at; refuse one that somebody does, and whatever is none."""
    if not path.exists():
        return
    if not path.is_socket():
        raise InputError(f"{path} is there already and no socket; choose another name")
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1.0)
        try:
            line.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise InputError(f"{path} is listened at already; stop that service first, or choose another name")


def _inode(path: str) -> int | None:
    with suppress(OSError):
        return Path(path).stat().st_ino
    return None

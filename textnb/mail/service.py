"""``textnb filterd``: a service that answers messages over a Unix socket, one per connection (see ``protocol``).

Only the owner may connect (mode 0600). A client that is slow, silent, gone or sends too much affects only its own
connection. What a client can occupy:

    sending its message     a connection, for a limited time
    being answered          a thread, for as long as the answer takes
    receiving the reply     a connection, for a limited time
    all the time            memory; the bytes of all messages are limited, except the first few of each

Good clients send and receive at once. When connections or memory run out, the client that has been sending or receiving
longest is disconnected, if that takes longer than GRACE_SECONDS; if there is none, new ones wait.
``Service.stop`` lets the clients being answered finish, and removes the socket.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.mail.protocol import FAILED, MAX_MESSAGE_BYTES, Answer, Reply

GRACE_SECONDS = 1.0
"""Time after which a client that is still sending or receiving may be disconnected to make room."""

TIDY_SECONDS = 60.0
"""Time between two calls of what a service does regularly."""

_log = logging.getLogger("textnb")
_READ_BYTES = 1 << 16
_SMALL_BYTES = 1 << 16  # bytes of a message that need not wait for memory
_SHUTDOWN_SECONDS = 5.0
_RETRY_SECONDS = 0.02
_BACKLOG = 4096  # the system may allow fewer
_SPARE_FILES = 64  # open files that are not clients


class ServiceLimits(NamedTuple):
    """Limits: seconds to send and to receive, bytes per message and of all, clients connected, and threads."""

    seconds: float = 30.0
    longest: int = MAX_MESSAGE_BYTES
    total: int = 4 * MAX_MESSAGE_BYTES
    clients: int = 4096
    threads: int = 32


class Service:
    """Service that answers clients until it is stopped.

    answer: from a message to the reply, and what to do once the client has it (or None); it runs in threads.
    tidy: what to do every TIDY_SECONDS, in the thread of what follows answers.
    """

    def __init__(
        self,
        answer: Callable[[bytes], Answer],
        limits: ServiceLimits | None = None,
        tidy: Callable[[], object] | None = None,
    ) -> None:
        self.answer, self.limits, self.tidy = answer, limits or ServiceLimits(), tidy
        self._stop = asyncio.Event()
        self._clients: set[asyncio.Task[None]] = set()
        self._awaited: dict[asyncio.Task[None] | None, float] = {}  # clients that send or receive, since when
        self._held = 0  # bytes of all messages
        self._memory = asyncio.Lock()  # held by the client that waits for memory

    def stop(self) -> None:
        """Stop once the connected clients have been answered."""
        self._stop.set()

    async def run(self, listening: socket.socket) -> None:
        """Answer the clients that connect to a socket made by ``listen_at``."""
        path = listening.getsockname()
        mine = _inode(path)
        allow_open_files(self.limits.clients + _SPARE_FILES)
        self._answering = ThreadPoolExecutor(self.limits.threads)
        self._following = ThreadPoolExecutor(1)  # what follows an answer may take long; it delays no other answer
        with listening:
            await self._accept_until_stopped(listening)
            if self._clients:
                await asyncio.wait(self._clients, timeout=min(self.limits.seconds, _SHUTDOWN_SECONDS))
        for threads in (self._answering, self._following):
            threads.shutdown(cancel_futures=True)
        if _inode(path) == mine:
            with suppress(FileNotFoundError):
                Path(path).unlink()

    async def _accept_until_stopped(self, listening: socket.socket) -> None:
        accepting = asyncio.create_task(self._accept(listening))
        stopped = asyncio.create_task(self._stop.wait())
        tidying = asyncio.create_task(self._tidy_regularly())
        await asyncio.wait([accepting, stopped], return_when=asyncio.FIRST_COMPLETED)
        tidying.cancel()
        if accepting.done():
            accepting.result()
        accepting.cancel()

    async def _tidy_regularly(self) -> None:
        while self.tidy is not None:
            await asyncio.sleep(TIDY_SECONDS)
            try:
                await asyncio.get_running_loop().run_in_executor(self._following, self.tidy)
            except Exception as error:
                _log.info("tidying failed, will keep trying: %r", error)

    async def _accept(self, listening: socket.socket) -> None:
        """Accept clients; if there are too many, disconnect those that the service has awaited longest."""
        listening.setblocking(False)
        said = False
        while True:
            while len(self._clients) >= self.limits.clients:
                await self._disconnect_oldest()
            try:
                line = (await asyncio.get_running_loop().sock_accept(listening))[0]
            except OSError as error:  # for instance too many open files
                if not said:
                    _log.info("cannot accept a client, will keep trying: %s", error.strerror or error)
                said = True
                await self._disconnect_oldest()
            else:
                said = False
                client = asyncio.create_task(self._serve(line))
                self._clients.add(client)
                client.add_done_callback(self._clients.discard)

    async def _disconnect_oldest(self) -> None:
        """Disconnect the client that the service has awaited longest; if none is overdue, wait a moment."""
        oldest, since = next(iter(self._awaited.items()), (None, 0.0))
        if oldest is None or time.monotonic() - since < GRACE_SECONDS:
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            del self._awaited[oldest]
            oldest.cancel()
            await asyncio.wait([oldest])

    async def _serve(self, line: socket.socket) -> None:
        """Serve one client; no error of one client may affect the next."""
        message = bytearray()
        try:
            with line:
                follow_up = await self._converse(line, message)
            if follow_up is not None:
                await self._follow(follow_up)
        except (TimeoutError, asyncio.CancelledError):
            _log.info("client too slow, disconnected")
        except OSError as error:
            _log.info("client has disconnected: %s", error.strerror or error)
        except Exception as error:
            _log.info("client could not be answered: %r", error)
        finally:
            self._held -= len(message)

    async def _converse(self, line: socket.socket, message: bytearray) -> Callable[[], object] | None:
        """Read the message and send the reply; return what to do afterwards."""
        loop = asyncio.get_running_loop()
        line.setblocking(False)
        async with self._awaiting():
            await self._read(line, message)
        if len(message) > self.limits.longest:
            reply, follow_up = Reply(FAILED, b"", f"the message has more than {self.limits.longest:,} bytes"), None
        else:
            reply, follow_up = await loop.run_in_executor(self._answering, self.answer, bytes(message))
        async with self._awaiting():
            await loop.sock_sendall(line, reply.line)
            await loop.sock_sendall(line, reply.message)
        return follow_up

    async def _follow(self, follow_up: Callable[[], object]) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._following, follow_up)
        except asyncio.CancelledError:
            _log.info("the service was stopped before it could learn a message")

    @asynccontextmanager
    async def _awaiting(self) -> AsyncIterator[None]:
        """Limit the time of a client that sends or receives; when others need room, it is disconnected earlier."""
        client = asyncio.current_task()
        self._awaited[client] = time.monotonic()
        try:
            async with asyncio.timeout(self.limits.seconds):
                yield
        finally:
            self._awaited.pop(client, None)

    async def _read(self, line: socket.socket, message: bytearray) -> None:
        """Read a message to its end, or to where it is too long."""
        while len(message) <= self.limits.longest:
            if self._held >= self.limits.total and len(message) > _SMALL_BYTES:
                async with self._memory:
                    while self._held >= self.limits.total:
                        await self._disconnect_oldest()
            piece = await asyncio.get_running_loop().sock_recv(line, _READ_BYTES)
            if not piece:
                return
            message += piece
            self._held += len(piece)


def allow_open_files(number: int) -> None:
    """Raise this process's limit of open files to a number, as far as the system allows."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number if hard == resource.RLIM_INFINITY else min(number, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listen_at(path: Path) -> socket.socket:
    """Make a listening socket that only its owner may use; a stale one of that name is replaced."""
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("this system has no Unix sockets; use textnb filter without --socket")
    line = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        _remove_stale_socket(path)
        line.bind(str(path))
        line.listen(_BACKLOG)
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

"""Servers that do not behave: one that cuts the connection to a good one, and one that says what it is told to."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

END = b"\r\n"


class Relay:
    """A line to a server, cut when the client says a word: before the server hears it, or after it has answered."""

    def __init__(self, port: int, word: bytes, *, heard: bool) -> None:
        self._port, self._word, self._heard = port, word, heard
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.cuts = 0

    def __enter__(self) -> "Relay":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self._listening.accept()[0]
                server = socket.create_connection(("127.0.0.1", self._port))
                answers = threading.Thread(target=self._answers, args=(server, client), daemon=True)
                answers.start()
                self._requests(client, server)

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with client, server, suppress(OSError):
            while data := client.recv(1 << 16):
                if self._word in data and not self.cuts:
                    self.cuts += 1
                    if self._heard:
                        client.shutdown(socket.SHUT_RD)
                        self._mute = True
                        server.sendall(data + b"z LOGOUT" + END)
                        self._ended.wait(5)
                    return
                server.sendall(data)

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        self._mute, self._ended = False, threading.Event()
        with suppress(OSError):
            while data := server.recv(1 << 16):
                if not self._mute:
                    client.sendall(data)
        self._ended.set()


@contextmanager
def saying(answer: Callable[[bytes, bytes], bytes | None], greeting: bytes = b"* OK ready") -> Iterator[int]:
    """The port of a server; ``answer`` is what it says to a tag and a command, None to hang up."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                with listening.accept()[0] as line, line.makefile("rb") as lines:
                    line.sendall(greeting + END)
                    for request in lines:
                        tag, _, command = request.rstrip(END).partition(b" ")
                        said = answer(tag, command)
                        if said is None:
                            break
                        line.sendall(said)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.close()

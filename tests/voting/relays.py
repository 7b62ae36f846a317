"""A relay (proxy) between a Redis client and a Redis server that counts round trips."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from tempfile import mkdtemp
from threading import Event, Lock, Thread
from time import sleep
from urllib.parse import unquote, urlsplit

import pytest
from django.conf import settings

QUIET = 0.004
"""If a client sends nothing for this many seconds, the relay considers its request complete."""
LONG_QUIET = 0.2
"""Like QUIET, but after a long piece of a request.

Clients send long requests in pieces, and on a busy machine the next piece may come late.
"""
LONG = 4_096
PIECE = 1 << 16
END = b"\r\n"
"""The end of each line in Redis's protocol."""


def server_socket() -> Path:
    """Return the path of the test server's socket. Skip the test if the server is a cluster."""
    if settings.REDIS_URL.startswith("redis+cluster://"):
        pytest.skip("counted on the line to one server; tests/cluster counts on a cluster")
    return Path(unquote(urlsplit(settings.REDIS_URL).path))


@dataclass
class Relay:
    """Passes data between the clients that connect to `path` and the server at `target`."""

    path: Path
    target: str
    round_trips: int = 0
    bytes_back: int = 0
    losing_replies: bool = False
    """Whether to drop replies and close the connection, as when a network fails."""
    delay: float = 0.0
    """Seconds by which every reply is delayed."""
    stop_before: bytes = b""
    """A request with these bytes is not sent to the server, so the client waits for ever."""
    stop_after: bytes = b""
    """A request with these bytes is sent to the server, but the reply is dropped, so the client
    waits for ever.
    """
    stopped: Event = field(default_factory=Event)
    """Set when a request with the bytes in `stop_before` or `stop_after` has arrived."""
    meanwhile: dict[bytes, Callable[[], object]] = field(default_factory=dict)
    """Maps bytes to functions. The relay calls a function just before it sends a request that
    contains the bytes to the server.
    """
    _lock: Lock = field(default_factory=Lock)

    @property
    def url(self) -> str:
        return f"unix://{self.path}?db=0"

    @contextmanager
    def counting(self) -> Iterator["Relay"]:
        """Set the counts of round trips and received bytes to zero before a `with` block runs."""
        with self._lock:
            self.round_trips = self.bytes_back = 0
        yield self

    def serve(self, listener: socket.socket) -> None:
        """Accept clients until the listening socket is closed."""
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        with client, server, suppress(OSError):
            server.connect(self.target)
            while True:
                ready, _, _ = select([client, server], [], [])
                if client in ready:
                    data = _receive_request(client)
                    if not data:
                        return
                    with self._lock:
                        self.round_trips += 1
                    if self.stop_before and self.stop_before in data:
                        self._wait_for_the_end(client)
                        return
                    for words, function in self.meanwhile.items():
                        if words in data:
                            function()
                    server.sendall(data)
                    if self.stop_after and self.stop_after in data:
                        server.recv(PIECE)
                        self._wait_for_the_end(client)
                        return
                if server in ready:
                    answer = server.recv(PIECE)
                    if not answer or self.losing_replies:
                        return
                    with self._lock:
                        self.bytes_back += len(answer)
                    sleep(self.delay)
                    client.sendall(answer)

    def _wait_for_the_end(self, client: socket.socket) -> None:
        """Wait until the client disconnects, without sending data to the client."""
        self.stopped.set()
        while client.recv(PIECE):
            pass


def _receive_request(client: socket.socket) -> bytes:
    """Receive a client's whole request, which may arrive in several pieces."""
    data = piece = client.recv(PIECE)
    while piece and (not _is_whole(data) or _has_more(client, piece)):
        piece = client.recv(PIECE)
        data += piece
    return data


def _has_more(client: socket.socket, piece: bytes) -> bool:
    return bool(select([client], [], [], QUIET if len(piece) < LONG else LONG_QUIET)[0])


def _is_whole(data: bytes) -> bool:
    """Return whether the data ends with a complete command."""
    at = 0
    while at < len(data):
        words, at = _number(data, at)
        for _ in range(words):
            length, at = _number(data, at)
            at += length + len(END)
    return at == len(data)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number in the line that starts at `at`, and where the next line starts."""
    end = data.find(END, at)
    return (int(data[at + 1 : end]), end + len(END)) if end >= 0 else (0, len(data) + 1)


@contextmanager
def relay(target: Path) -> Iterator[Relay]:
    """Run a relay (proxy) to the server at `target` until the `with` block ends."""
    path = Path(mkdtemp(prefix="relay-")) / "r.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        passing = Relay(path, str(target))
        Thread(target=passing.serve, args=(listener,), daemon=True).start()
        try:
            yield passing
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            path.unlink()
            path.parent.rmdir()

"""A relay between client and server that counts round trips.

It can also be slow, lose replies, fall silent at a certain command, or call a function at it.
"""

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
"""Seconds without a byte after which a client has said all it wants to say for now."""
LONG_QUIET = 0.2
"""The same after a long piece: clients cut what they say after some 6,000 bytes, and a busy machine
may let one wait before it says the rest."""
LONG = 4_096
PIECE = 1 << 16
END = b"\r\n"
"""Of each line of what clients say."""


def server_socket() -> Path:
    """Return the socket of the tests' server; a cluster has none."""
    if settings.REDIS_URL.startswith("redis+cluster://"):
        pytest.skip("counted on the line to one server; tests/cluster counts on a cluster")
    return Path(unquote(urlsplit(settings.REDIS_URL).path))


@dataclass
class Relay:
    """Passes bytes on, from clients of `path` to the server at `target`."""

    path: Path
    target: str
    round_trips: int = 0
    bytes_back: int = 0
    losing_replies: bool = False
    """Replies go nowhere and the connection ends, as when a network fails."""
    delay: float = 0.0
    """Seconds that every reply takes longer."""
    stop_before: bytes = b""
    """Words that the server must not hear: who says them waits for ever."""
    stop_after: bytes = b""
    """Words that the server hears; who says them waits for the reply for ever."""
    stopped: Event = field(default_factory=Event)
    """Set when such words were said."""
    meanwhile: dict[bytes, Callable[[], object]] = field(default_factory=dict)
    """What happens just before the server hears certain words."""
    _lock: Lock = field(default_factory=Lock)

    @property
    def url(self) -> str:
        return f"unix://{self.path}?db=0"

    @contextmanager
    def counting(self) -> Iterator["Relay"]:
        """Count from zero."""
        with self._lock:
            self.round_trips = self.bytes_back = 0
        yield self

    def serve(self, listener: socket.socket) -> None:
        """Accept clients until the listener is closed."""
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
                    said = _all_said(client)
                    if not said:
                        return
                    with self._lock:
                        self.round_trips += 1
                    if self.stop_before and self.stop_before in said:
                        self._wait_for_the_end(client)
                        return
                    for words, happens in self.meanwhile.items():
                        if words in said:
                            happens()
                    server.sendall(said)
                    if self.stop_after and self.stop_after in said:
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
        """Stay silent until the client disconnects."""
        self.stopped.set()
        while client.recv(PIECE):
            pass


def _all_said(client: socket.socket) -> bytes:
    """Return everything that a client sends at once, in however many pieces."""
    said = piece = client.recv(PIECE)
    while piece and (not _is_whole(said) or _goes_on(client, piece)):
        piece = client.recv(PIECE)
        said += piece
    return said


def _goes_on(client: socket.socket, piece: bytes) -> bool:
    return bool(select([client], [], [], QUIET if len(piece) < LONG else LONG_QUIET)[0])


def _is_whole(said: bytes) -> bool:
    """Return whether the data ends with a complete command."""
    at = 0
    while at < len(said):
        words, at = _number(said, at)
        for _ in range(words):
            length, at = _number(said, at)
            at += length + len(END)
    return at == len(said)


def _number(said: bytes, at: int) -> tuple[int, int]:
    """Return what a line counts, words or letters, and where the next begins. Where it is cut: 0,
    and a place that is not there.
    """
    end = said.find(END, at)
    return (int(said[at + 1 : end]), end + len(END)) if end >= 0 else (0, len(said) + 1)


@contextmanager
def relay(target: Path) -> Iterator[Relay]:
    """Run a relay to the server at `target`."""
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

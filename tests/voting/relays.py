"""A relay between a client and a server, which counts how often they wait for each other."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from tempfile import mkdtemp
from threading import Lock, Thread
from urllib.parse import unquote, urlsplit

from django.conf import settings

QUIET = 0.004
"""Seconds without a byte after which a client has said all it wants to say for now."""
PIECE = 1 << 16


def server_socket() -> Path:
    """Return the socket of the server the tests run on."""
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
                    server.sendall(said)
                if server in ready:
                    answer = server.recv(PIECE)
                    if not answer or self.losing_replies:
                        return
                    with self._lock:
                        self.bytes_back += len(answer)
                    client.sendall(answer)


def _all_said(client: socket.socket) -> bytes:
    """Return what a client sends in one go, however many pieces it comes in."""
    said = client.recv(PIECE)
    while said and select([client], [], [], QUIET)[0]:
        more = client.recv(PIECE)
        if not more:
            break
        said += more
    return said


@contextmanager
def relay(target: Path) -> Iterator[Relay]:
    """Give a relay to the server that listens at `target`."""
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

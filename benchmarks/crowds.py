"""Clients that send requests to a web server without pauses.

Pauses would distort measurements: a page uses more CPU if the server was idle before.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from select import select

from benchmarks.sites import Site

PEOPLE = 8
PIECE = 1 << 17
HELLO = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Crowd:
    """Simulated clients of one site, each with an open connection."""

    def __init__(self, connections: Sequence[socket.socket]) -> None:
        self._connections = connections

    def ask(self, requests: Sequence[bytes], status: int, times: int) -> None:
        """Send `times` requests in total over all connections, and wait for all responses.

        After the last request of the list `requests`, sends the first one again. Raises SystemExit
        if the status of a response isn't `status`.
        """
        remaining = cycle(requests)
        left = times
        asking: dict[socket.socket, bytes] = {}
        for connection in self._connections[:times]:
            connection.sendall(next(remaining))
            asking[connection] = b""
            left -= 1
        while asking:
            for connection in select(list(asking), [], [])[0]:
                answer = asking[connection] + connection.recv(PIECE)
                asking[connection] = answer
                if not _complete(answer, status):
                    continue
                del asking[connection]
                if left:
                    connection.sendall(next(remaining))
                    asking[connection] = b""
                    left -= 1


def _complete(answer: bytes, status: int) -> bool:
    """Return whether all bytes of a response have arrived.

    Raises SystemExit if the status of the response isn't `status`.
    """
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end and answer:
        return False
    first, *fields = head.decode().lower().split("\r\n")
    if f" {status} " not in first:
        raise SystemExit(f"A request was answered with {first or 'silence'}.")
    sizes = [int(line.partition(":")[2]) for line in fields if line.startswith("content-length:")]
    return len(body) >= sizes[0]


@contextmanager
def crowd(site: Site) -> Iterator[Crowd]:
    """Connect clients to a site, with the same number of connections to each web process.

    If one process had all connections, pages would take up to 0.4 ms longer.
    """
    share = dict.fromkeys(site.workers(), PEOPLE // len(site.workers()))
    connections = []
    with ExitStack() as stack:
        while any(share.values()):
            connection = socket.create_connection(("127.0.0.1", site.port), timeout=30)
            stack.enter_context(connection)
            Crowd([connection]).ask([HELLO], 200, 1)
            holder = site.holder(connection)
            if share[holder]:
                share[holder] -= 1
                connections.append(connection)
            else:
                connection.close()
        yield Crowd(connections)

"""Gunicorn's threaded process, which waits for nobody who sends nothing.

Gunicorn's own closes connections where it also takes new ones: of ten visitors who were answered
and did not hang up, each kept everybody waiting for two seconds, and a stop too. That stop also
waited for connections on which no request had begun. Here the other side may take its time, and a
stop as long as the longest request.
"""

import socket
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from mmap import mmap
from selectors import EVENT_READ
from threading import Timer
from time import monotonic
from types import FrameType
from typing import Any
from weakref import WeakSet

from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn, ThreadWorker

ON_THE_WAY = 0.5
"""Seconds after the begin of a stop in which a request that was sent may still arrive."""
LINGER = 2.0
"""Seconds that somebody who was answered may take to hang up, or to send what nobody reads."""
PIECE = 65_536

_reloads = mmap(-1, 1)
"""How often this server was reloaded, modulo 256: shared by all its processes."""


def count_reload() -> None:
    """Have processes that run now end as after a reload, and not as at a stop."""
    _reloads[0] = (_reloads[0] + 1) % 256


class WebWorker(ThreadWorker):
    """A process that serves pages."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._born = _reloads[0]
        self._deaf = False
        self._known: WeakSet[TConn] = WeakSet()
        self._answering: set[TConn] = set()
        self._leaving: deque[TConn] = deque()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take no more connections; at a stop, soon wait only for requests that have begun.

        After a reload others serve, and visitors' connections may end in their own time.
        """
        super().handle_exit(sig, frame)
        if _reloads[0] == self._born:
            timer = Timer(ON_THE_WAY, self.method_queue.defer, [self._hear_no_more])
            timer.daemon = True
            timer.start()

    def enqueue_req(self, conn: TConn) -> None:
        """Give a connection to a thread."""
        self._known.add(conn)
        super().enqueue_req(conn)

    def handle_request(self, req: Request, conn: TConn) -> bool:
        """Answer a request."""
        self._answering.add(conn)
        try:
            return bool(super().handle_request(req, conn))
        finally:
            self._answering.discard(conn)

    def finish_request(self, conn: TConn, fs: "Future[Any]") -> None:
        """Keep a connection for the next request, or hang up; neither waits for the other side."""
        if self._deaf:
            _shut(conn, socket.SHUT_RD)
        if fs.cancelled() or fs.exception() or fs.result():
            super().finish_request(conn, fs)
        else:
            self._hang_up(conn)

    def murder_pending(self) -> None:
        """Close connections whose time is over."""
        super().murder_pending()
        while self._leaving and self._leaving[0].timeout <= monotonic():
            self._close(self._leaving[0])

    def _hear_no_more(self) -> None:
        # What has arrived can still be read, and then the end.
        self._deaf = True
        for conn in set(self._known) - self._answering:
            _shut(conn, socket.SHUT_RD)

    def _hang_up(self, conn: TConn) -> None:
        """Say that all was said, and close once the other side does or its time is over: closed
        before, what it still sends would destroy what it has not read.
        """
        _shut(conn, socket.SHUT_WR)
        conn.timeout = monotonic() + LINGER
        self._leaving.append(conn)
        try:
            conn.sock.setblocking(False)
            self.poller.register(conn.sock, EVENT_READ, partial(self._drop_what_comes, conn))
        except (OSError, ValueError):
            self._close(conn)

    def _drop_what_comes(self, conn: TConn, sock: socket.socket) -> None:
        try:
            if sock.recv(PIECE):
                return
        except BlockingIOError:
            return
        except OSError:
            pass  # it is gone
        self._close(conn)

    def _close(self, conn: TConn) -> None:
        self._leaving.remove(conn)
        with suppress(KeyError, ValueError):
            self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()


def _shut(conn: TConn, how: int) -> None:
    with suppress(OSError):
        conn.sock.shutdown(how)

"""Counts round trips to servers. Requests sent at the same time count as one round trip."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis.connection import Connection


class Line:
    """Counts a client's round trips."""

    def __init__(self) -> None:
        self.round_trips = 0
        self._speaking = False

    @contextmanager
    def counting(self) -> Iterator["Line"]:
        """In the `with` block, count round trips from zero."""
        self.round_trips, self._speaking = 0, False
        yield self

    def speaks(self) -> None:
        """Record that the client sends data. If it has just read a reply, a round trip begins."""
        self.round_trips += not self._speaking
        self._speaking = True

    def listens(self) -> None:
        """Record that the client reads a reply."""
        self._speaking = False


def tapped(monkeypatch: pytest.MonkeyPatch) -> Line:
    """Return a counter for the round trips of all redis-py connections in this process."""
    heard = Line()
    send: Any = Connection.send_packed_command
    read: Any = Connection.read_response

    def sending(self: Any, *args: Any, **options: Any) -> Any:
        heard.speaks()
        return send(self, *args, **options)

    def reading(self: Any, *args: Any, **options: Any) -> Any:
        heard.listens()
        return read(self, *args, **options)

    monkeypatch.setattr(Connection, "send_packed_command", sending)
    monkeypatch.setattr(Connection, "read_response", reading)
    return heard

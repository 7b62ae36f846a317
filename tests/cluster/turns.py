"""Counts round trips to any servers: turns from sending to receiving."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis.connection import Connection


class Line:
    """Records when a client sends and receives, with any number of servers at once."""

    def __init__(self) -> None:
        self.round_trips = 0
        self._speaking = False

    @contextmanager
    def counting(self) -> Iterator["Line"]:
        """Count from zero."""
        self.round_trips, self._speaking = 0, False
        yield self

    def speaks(self) -> None:
        """Start another round trip, unless one has just started."""
        self.round_trips += not self._speaking
        self._speaking = True

    def listens(self) -> None:
        """Wait for a reply."""
        self._speaking = False


def tapped(monkeypatch: pytest.MonkeyPatch) -> Line:
    """Return a line that records what redis-py's connections do."""
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

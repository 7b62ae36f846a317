"""Caches small values that every page shows in this process."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from django.db import DatabaseError

Value = TypeVar("Value")
SECONDS = 2.0
"""Time until another process's change shows."""


class Remembered(Generic[Value]):
    """A value that is read from SQL every two seconds at most, and kept while SQL is down.

    While one thread reads it, others use the old value.
    """

    def __init__(self, read: Callable[[], Value], unknown: Value) -> None:
        self._read = read
        self._value = unknown
        self._read_at: float | None = None
        self._lock = Lock()

    def get(self) -> Value:
        """Return the value, or the default if SQL never responded. Usually no query."""
        if self._read_at is None or monotonic() - self._read_at > SECONDS:
            self._refresh(wait=self._read_at is None)
        return self._value

    def forget(self) -> None:
        """Read the value again at the next use. Call it after the commit of a change."""
        self._read_at = None

    def _refresh(self, *, wait: bool) -> None:
        if self._lock.acquire(blocking=wait):
            try:
                self._value = self._read()
            except DatabaseError:
                pass
            finally:
                self._read_at = monotonic()
                self._lock.release()

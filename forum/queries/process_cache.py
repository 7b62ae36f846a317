"""Caches in this process small values that every page shows."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from django.db import DatabaseError

Value = TypeVar("Value")
SECONDS = 2.0
"""Seconds until this process notices a change made by another process."""


class Remembered(Generic[Value]):
    """A value that is read from SQL every two seconds at most.

    While SQL is down, the last known value stays. While one thread reads the value again, other
    threads use the old one.
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
        """Drop the value, so that the next use reads it from SQL.

        Call this after a change is committed.
        """
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

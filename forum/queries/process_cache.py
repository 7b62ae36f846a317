"""Caches small values that every page shows, in this process."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

from django.db import DatabaseError

Value = TypeVar("Value")
SECONDS = 2.0
"""For how many seconds this process uses a cached value before it reads the value again."""


class ProcessCache(Generic[Value]):
    """A value that is read from SQL at most every two seconds.

    The cached value stays in use while SQL is down, or while another thread reads the value.
    """

    def __init__(self, read: Callable[[], Value], unknown: Value) -> None:
        self._read = read
        self._value = unknown
        self._read_at: float | None = None
        self._lock = Lock()

    def get(self) -> Value:
        """Return the value, usually from this process's memory without a query.

        Returns a default value if no attempt to read from SQL has succeeded yet.
        """
        if self._read_at is None or monotonic() - self._read_at > SECONDS:
            self._refresh(wait=self._read_at is None)
        return self._value

    def forget(self) -> None:
        """Drop the cached value, so that the next use reads it from SQL.

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

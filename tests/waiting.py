"""Makes tests wait until a condition is true."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event
from time import monotonic, sleep
from typing import TypeVar

from redis.exceptions import RedisError

from voting.errors import StoreUnavailable

Found = TypeVar("Found")


def until(condition: Callable[[], Found], what: str, seconds: float = 120.0) -> Found:
    """Wait until a condition is true, and return its value.

    If the condition raises an error of Redis, it is tried again. After `seconds` seconds, the test
    fails, and `what` describes the condition in the error message.
    """
    deadline = monotonic() + seconds
    while monotonic() < deadline:
        with suppress(StoreUnavailable, RedisError):
            value = condition()
            if value:
                return value
        sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


@contextmanager
def set_at_end(event: Event) -> Iterator[None]:
    """Set an event at the end of the `with` block, even after a failure, so that threads stop."""
    try:
        yield
    finally:
        event.set()

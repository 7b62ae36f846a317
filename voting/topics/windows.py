"""Sliding windows as scripts take them (`lua/shared/windows.lua`)."""

from secrets import token_hex

from voting.keys.daily import window
from voting.redis.scripts import Argument
from voting.types.limits import Pace


def times_key(pace: Pace) -> str:
    """Return the key of a subject's hits."""
    return window(pace.action, pace.subject)


def hit_arguments(now: float) -> tuple[Argument, ...]:
    """Return the time (ms) and the name of a new hit: sent twice, it is still one."""
    return int(now * 1_000), token_hex(6)


def window_arguments(pace: Pace) -> tuple[Argument, ...]:
    """Return what the scripts read at the end of their arguments: hits and span (ms) of each."""
    return tuple(part for one in pace.windows for part in (one.hits, one.seconds * 1_000))

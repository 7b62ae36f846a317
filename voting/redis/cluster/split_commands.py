"""Splits a command with many keys into one command per key, because a cluster needs that."""

from collections.abc import Callable, Sequence
from time import sleep
from typing import Any

from voting.redis.scripts import Argument

Words = tuple[Argument, ...]
Join = Callable[[Sequence[Any]], Any]

KEYLESS = frozenset({"CONFIG", "INFO", "PING", "SCRIPT"})
"""Commands without keys, which apply to a whole server."""


def split(words: Sequence[Argument]) -> tuple[list[Words], Join]:
    """Split a command, given as a sequence of words, into one command per key.

    Returns the commands, and a function that joins their replies.
    """
    name, *rest = words
    if name == "MGET":
        return [("GET", key) for key in rest], list
    if name == "MSET":
        return [("SET", *rest[at : at + 2]) for at in range(0, len(rest), 2)], all
    if name in {"DEL", "UNLINK", "EXISTS"}:
        return [(name, key) for key in rest], sum
    if name == "XREAD":
        return _streams(rest)
    return [tuple(words)], _only


def _only(replies: Sequence[Any]) -> Any:
    return replies[0]


def _streams(rest: Sequence[Argument]) -> tuple[list[Words], Join]:
    """Split XREAD into one command per stream, without BLOCK.

    On a cluster, no command can wait (BLOCK) for entries on several servers. Instead, if there are
    no entries, the function that joins the replies sleeps for the time given in BLOCK.
    """
    options, named = list(rest[: rest.index("STREAMS")]), rest[rest.index("STREAMS") + 1 :]
    half = len(named) // 2
    block_ms = 0
    if "BLOCK" in options:
        at = options.index("BLOCK")
        block_ms = int(options[at + 1])
        del options[at : at + 2]
    parts: list[Words] = [
        ("XREAD", *options, "STREAMS", stream, after)
        for stream, after in zip(named[:half], named[half:], strict=True)
    ]

    def join(replies: Sequence[Any]) -> list[Any]:
        found = [entry for reply in replies for entry in reply or ()]
        if not found and block_ms:
            sleep(block_ms / 1_000)
        return found

    return parts, join

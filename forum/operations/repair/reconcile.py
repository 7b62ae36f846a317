"""Finds differences between SQL and Redis while people vote.

A difference is real only if the data in Redis stayed the same while SQL was read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from forum.ledger.archiver import archive_waiting

ATTEMPTS = 5
"""How many times to compare a post or comment again if people keep voting on it."""

Key = TypeVar("Key")
State = TypeVar("State")


def stable_differences(
    keys: list[Key],
    inspect: Callable[[list[Key]], Mapping[Key, State]],
    compare: Callable[[list[Key], Mapping[Key, State]], Iterable[tuple[Key, str]]],
) -> Iterator[tuple[Key, str]]:
    """Yield the key of each post or comment that differs from SQL, with a sentence that says how.

    `inspect` reads the states of the posts or comments with these keys, for example from Redis.
    `compare` compares the states with SQL, and yields a key and a sentence for each difference. A
    difference counts only if `inspect` returns the same state before and after the comparison.
    """
    suspects = _keys(compare(keys, inspect(keys)))
    for _ in range(ATTEMPTS):
        if not suspects:
            return
        before = inspect(suspects)
        archive_waiting()
        differences = list(compare(suspects, before))
        after = inspect(suspects)
        stable = {key for key in suspects if before.get(key) == after.get(key)}
        yield from (pair for pair in differences if pair[0] in stable)
        suspects = [key for key in _keys(differences) if key not in stable]


def _keys(differences: Iterable[tuple[Key, str]]) -> list[Key]:
    return list(dict.fromkeys(key for key, _ in differences))

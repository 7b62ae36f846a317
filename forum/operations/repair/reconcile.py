"""Comparing what people vote on meanwhile: what seems to differ is looked at until it rests."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from forum.gateway.service import get_voting_service
from forum.ledger.archiver import archive_rest

LOOKS = 5
"""How often something that seems to differ is looked at while people vote on it."""

Key = TypeVar("Key")
Held = TypeVar("Held")


def differing(
    wanted: list[Key],
    inspect: Callable[[list[Key]], Mapping[Key, Held]],
    compare: Callable[[list[Key], Mapping[Key, Held]], Iterable[tuple[Key, str]]],
) -> Iterator[tuple[Key, str]]:
    """Yield what differs, each with a sentence. Those that seem to are looked at until nobody votes
    meanwhile: then SQL was read when it had all the votes that Redis had.

    `inspect` says what Redis holds, `compare` names what differs from SQL, each with a sentence.
    """
    suspects = _named(compare(wanted, inspect(wanted)))
    for _ in range(LOOKS):
        if not suspects:
            return
        held = inspect(suspects)
        archive_waiting()
        found = list(compare(suspects, held))
        again = inspect(suspects)
        resting = {one for one in suspects if held.get(one) == again.get(one)}
        yield from (pair for pair in found if pair[0] in resting)
        suspects = [one for one in _named(found) if one not in resting]


def _named(found: Iterable[tuple[Key, str]]) -> list[Key]:
    return list(dict.fromkeys(one for one, _ in found))


def archive_waiting() -> None:
    """Bring to SQL what waits in the ledger. Raises StoreUnavailable."""
    archive_rest(get_voting_service().maintenance.generations.current())

"""Generations: the mark that Redis has been filled, and with which rules.

Each hash tag holds one. A server that was emptied or exchanged has none, so that nobody can
mistake it for a young site.
"""

from itertools import islice
from secrets import token_hex

from voting import keys, scripts
from voting.client import Store
from voting.errors import StoreEmpty
from voting.keys import people
from voting.types import Rules

CLOSE = scripts.load("close")
SCANNED = 1_000
"""Keys dropped by one step of `clear`."""


def current(store: Store) -> str:
    """Return the generation. Raises StoreEmpty where a hash tag misses it. One round trip."""
    found = set(store.command("MGET", *(keys.generation(tag) for tag in keys.tags())))
    if len(found) != 1 or None in found:
        raise StoreEmpty("a generation is missing")
    return str(found.pop())


def fits(store: Store, rules: Rules) -> bool:
    """Say whether the scores in Redis were made with `rules`. One round trip."""
    return bool(store.command("GET", keys.rules()) == rules.signature())


def open_store(store: Store, rules: Rules) -> str:
    """Mark Redis as filled with `rules`; from here on anyone may use it. One round trip."""
    generation = token_hex(16)
    marks = [part for tag in keys.tags() for part in (keys.generation(tag), generation)]
    store.command("MSET", keys.rules(), rules.signature(), *marks)
    return generation


def close_store(store: Store) -> str | None:
    """Take the mark away and return it: every call but a rebuild's now says StoreEmpty.

    Until `clear` it is remembered, for somebody who closes again what a dead rebuild left closed.
    None where there is nothing to remember. Two round trips.
    """
    ended: str | None = store.run(CLOSE((keys.generation(keys.RANK_TAG), keys.ended())))[0]
    store.command("DEL", *(keys.generation(tag) for tag in keys.tags()))
    return ended


def reopen_store(store: Store) -> None:
    """Give back the generation that `close_store` took, where nothing was dropped or loaded since.

    Three round trips.
    """
    ended = store.command("GET", keys.ended())
    if ended is not None:
        marks = [part for tag in keys.tags() for part in (keys.generation(tag), ended)]
        store.command("MSET", *marks)
        store.command("DEL", keys.ended())


def clear(store: Store) -> None:
    """Drop what a rebuild fills again, and not the leases, a thousand a round trip."""
    for pattern in ("{s[0-9][0-9]}:*", f"{keys.RANK_TAG}:*", people.EVERYBODY):
        _drop(store, pattern)


def clear_people(store: Store) -> None:
    """Drop people's lists and unread counts, but for what they liked, a thousand a round trip."""
    _drop(store, people.EVERYBODY, people.LIKED)


def _drop(store: Store, pattern: str, *spared: str) -> None:
    every = store.scan(pattern)
    doomed = (key for key in every if _is_rebuilt(key) and not key.endswith(spared))
    while some := list(islice(doomed, SCANNED)):
        store.command("UNLINK", *some)


def wipe(store: Store) -> None:
    """Drop all that voting keeps, also what no rebuild brings back, a thousand a round trip."""
    for pattern in keys.EVERYTHING:
        every = store.scan(pattern)
        while some := list(islice(every, SCANNED)):
            store.command("UNLINK", *some)


def _is_rebuilt(key: str) -> bool:
    if key.startswith(people.BEGINNING):
        return key.endswith(people.REBUILT)
    return not key.endswith(":lease")

"""A person's own lists of posts: saved, hidden, liked last, viewed last; and the groups hidden.

SQL keeps what is saved and hidden, and the archive of votes what is liked; what was viewed is only
here, for thirty days.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from voting.keys import people
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.readings import Reading, read
from voting.redis.scripts import Call
from voting.topics.person_lists import ALL, generation, in_batches, member_call, reading, spelled
from voting.types.person_lists import LIKED_KEPT, VIEWED_KEPT, Item, Items, Kept

BAR = scripts.load("bar")
VISIT = scripts.load("visit")
LISTS: dict[Kept, Callable[[int], str]] = {
    Kept.SAVED: people.saved,
    Kept.HIDDEN: people.hidden,
    Kept.LIKED: people.liked,
    Kept.VIEWED: people.viewed,
}
LONGEST = {Kept.LIKED: LIKED_KEPT}
"""Posts a list keeps, where it does not keep all."""
VISIT_SECONDS = 1_800
"""Opened again within this time, a thread is still being visited."""


class Lists:
    """What people keep. Reached as `VotingService.lists`; may raise StoreUnavailable."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    # Changes

    def put(self, kept: Kept, person: int, post_id: int, at: float | None) -> None:
        """Put a post in a list with its time (s), or take it out where None. One round trip."""
        self._store.run(_call(kept, person, post_id, at))

    def set_liked(self, votes: Mapping[tuple[int, int], float | None]) -> None:
        """Note when (s) people voted posts up, or None where the vote is no longer up; by person
        and post. The newest 200 of a person stay. One round trip.
        """
        if votes:
            calls = (_call(Kept.LIKED, *who_what, at) for who_what, at in votes.items())
            self._store.run(*calls)

    def hide_group(self, person: int, name: str, hidden: bool) -> None:
        """Hide a group from a person's lists, or show it again. One round trip."""
        key = people.hidden_groups(person)
        self._store.run(BAR((key, generation(person)), name, int(hidden)))

    def clear_viewed(self, person: int) -> None:
        """Forget what a person viewed. One round trip."""
        self._store.command("UNLINK", people.viewed(person), people.seen(person))

    def fill(self, kept: Kept, items: Iterable[tuple[int, int, float]]) -> None:
        """Load people's posts with their times.

        A round trip a thousand. No more of a person than the list keeps.
        """
        for pipeline, (person, post_id, at) in in_batches(self._store, items):
            pipeline.zadd(LISTS[kept](person), {str(post_id): spelled(at)})

    def fill_hidden_groups(self, names: Iterable[tuple[int, str]]) -> None:
        """Load the groups that people hide, alike."""
        for pipeline, (person, name) in in_batches(self._store, names):
            pipeline.sadd(people.hidden_groups(person), name)

    def held(self, kept: Kept, persons: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield what these people's lists hold, as person and post. One round trip."""
        with self._store.pipeline() as pipeline:
            for person in persons:
                pipeline.zrange(LISTS[kept](person), 0, -1)
            replies = pipeline.execute()
        for person, found in zip(persons, replies, strict=True):
            yield from ((person, int(post_id)) for post_id in found)

    def held_groups(self, persons: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield who hides which group. One round trip."""
        with self._store.pipeline() as pipeline:
            for person in persons:
                pipeline.smembers(people.hidden_groups(person))
            replies = pipeline.execute()
        for person, names in zip(persons, replies, strict=True):
            yield from ((person, name) for name in names)

    # Reading

    def page(self, kept: Kept, person: int, start: int, count: int) -> Items:
        """Return a part of a list, the newest first; nothing older than 30 days of what was
        viewed. One round trip.
        """
        key, oldest = LISTS[kept](person), "-inf"
        if kept is Kept.VIEWED:
            oldest = f"({self._now() - people.VIEWED_LIFE}"
        part: tuple[Any, ...] = ("+inf", oldest, "BYSCORE", "REV", "LIMIT", start, count)
        asked = reading(
            {person},
            _items,
            ("ZCOUNT", key, oldest, "+inf"),
            ("ZRANGE", key, *part, "WITHSCORES"),
        )
        return read(self._store, asked)

    def hidden_groups(self, person: int) -> frozenset[str]:
        """Return the groups that a person hides. One round trip."""
        asked: Reading[frozenset[str]]
        asked = reading({person}, frozenset, ("SMEMBERS", people.hidden_groups(person)))
        return read(self._store, asked)


def visit_call(user_id: int, post_id: int, comments: int, now: int) -> Call:
    """Return the call that notes an opened thread with the comments it has, at `now` (s)."""
    return VISIT(
        (people.viewed(user_id), people.seen(user_id)),
        post_id,
        comments,
        now,
        VIEWED_KEPT,
        people.VIEWED_LIFE,
        VISIT_SECONDS,
    )


def _items(total: int, found: Sequence[str]) -> Items:
    pairs = zip(found[::2], found[1::2], strict=True)
    return Items(total, tuple(Item(int(one), float(at)) for one, at in pairs))


def _call(kept: Kept, person: int, post_id: int, at: float | None) -> Call:
    """Return the call that brings a post of a person's list to a state."""
    return member_call(LISTS[kept](person), person, post_id, at, LONGEST.get(kept, ALL))

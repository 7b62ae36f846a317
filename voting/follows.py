"""Who follows whom, as lists by time, and what is worth following.

A bond between two people stands in two lists, of the one who follows and of the one followed, each
under its own person's hash tag: two steps that bring a state about and may be repeated.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from voting.client import Store
from voting.keys import people
from voting.person_lists import ask, in_batches, member_call, spelled
from voting.types.follows import (
    Bond,
    Bonds,
    GroupBond,
    GroupTies,
    Side,
    Sources,
    Suggestion,
    Ties,
)

COMPARED = 1_000
"""The newest follows that are looked at for those in common."""
ASKED = 50
"""Those I follow whom I am given suggestions of, and how many of theirs are looked at."""
GROUPS_SHOWN = 1_000
FEED_PEOPLE, FEED_GROUPS = 300, 200
"""Whom and what a feed is made of at most: the newest follows."""
LISTS: dict[Side, Callable[[int], str]] = {
    Side.FOLLOWS: people.follows,
    Side.FANS: people.fans,
}


class Follows:
    """What people follow. Reached as `VotingService.follows`; may raise StoreUnavailable."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # Changes

    def set_person(self, follower: int, person: int, at: float | None) -> None:
        """Make one follow another since `at` (s), or no more where None. One round trip."""
        self._store.run(
            member_call(people.fans(person), person, follower, at),
            member_call(people.follows(follower), follower, person, at),
        )

    def set_group(self, follower: int, name: str, at: float | None) -> None:
        """Make a person follow a group since `at` (s), or no more where None. One round trip."""
        self._store.run(member_call(people.group_follows(follower), follower, name, at))

    def fill(self, bonds: Iterable[tuple[int, int, float]]) -> None:
        """Load who follows whom since when, while the store is closed. A round trip a thousand."""
        for pipeline, (follower, person, at) in in_batches(self._store, bonds):
            pipeline.zadd(people.follows(follower), {str(person): spelled(at)})
            pipeline.zadd(people.fans(person), {str(follower): spelled(at)})

    def fill_groups(self, bonds: Iterable[tuple[int, str, float]]) -> None:
        """Load who follows which group since when, while the store is closed, alike."""
        for pipeline, (follower, name, at) in in_batches(self._store, bonds):
            pipeline.zadd(people.group_follows(follower), {name: spelled(at)})

    def held(self, persons: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield who follows whom, as lists of either side have it; some twice. One round trip."""
        keys_of = [(people.follows(one), people.fans(one)) for one in persons]
        replies = iter(self._members(chain.from_iterable(keys_of)))
        for one in persons:
            yield from ((one, int(person)) for person in next(replies))
            yield from ((int(follower), one) for follower in next(replies))

    def held_groups(self, persons: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield who follows which group. One round trip."""
        replies = self._members(map(people.group_follows, persons))
        for one, names in zip(persons, replies, strict=True):
            yield from ((one, name) for name in names)

    def _members(self, lists: Iterable[str]) -> list[Any]:
        with self._store.pipeline() as pipeline:
            for key in lists:
                pipeline.zrange(key, 0, -1)
            return pipeline.execute()

    # Lists

    def ties(self, person: int, viewer: int | None = None) -> Ties:
        """Return how many a person follows and is followed by. One round trip."""
        asked: list[tuple[str, ...]] = [
            ("ZCARD", people.follows(person)),
            ("ZCARD", people.group_follows(person)),
            ("ZCARD", people.fans(person)),
        ]
        if viewer is not None:
            asked.append(("ZSCORE", people.follows(viewer), str(person)))
        follows, groups, fans, *since = ask(self._store, {person, viewer or person}, *asked)
        return Ties(follows, groups, fans, any(at is not None for at in since))

    def group_ties(self, person: int, name: str) -> GroupTies:
        """Return whether a person follows a group or hides it. One round trip."""
        since, hidden = ask(
            self._store,
            {person},
            ("ZSCORE", people.group_follows(person), name),
            ("SISMEMBER", people.hidden_groups(person), name),
        )
        return GroupTies(since is not None, bool(hidden))

    def page(self, side: Side, person: int, start: int, count: int) -> Bonds:
        """Return a part of a person's follows or fans, the newest first. One round trip."""
        key = LISTS[side](person)
        total, found = ask(
            self._store,
            {person},
            ("ZCARD", key),
            ("ZRANGE", key, start, start + count - 1, "REV", "WITHSCORES"),
        )
        return Bonds(total, tuple(Bond(int(one), float(at)) for one, at in _pairs(found)))

    def groups(self, person: int) -> tuple[GroupBond, ...]:
        """Return the groups a person follows, the newest thousand first. One round trip."""
        key = people.group_follows(person)
        (found,) = ask(
            self._store, {person}, ("ZRANGE", key, 0, GROUPS_SHOWN - 1, "REV", "WITHSCORES")
        )
        return tuple(GroupBond(name, float(at)) for name, at in _pairs(found))

    def sources(self, person: int) -> Sources:
        """Return whose posts a person's feed is made of. One round trip."""
        found, groups = ask(
            self._store,
            {person},
            ("ZRANGE", people.follows(person), 0, FEED_PEOPLE - 1, "REV"),
            ("ZRANGE", people.group_follows(person), 0, FEED_GROUPS - 1, "REV"),
        )
        return Sources(tuple(map(int, found)), tuple(groups))

    def common(self, one: int, other: int) -> tuple[int, ...]:
        """Return whom both follow, in the order in which one of them began, the newest first.

        Looks at the newest 1,000 of the shorter list. Two round trips, three where `one` follows
        more than that.
        """
        looked_at, compared = people.follows(one), people.follows(other)
        mine, theirs, found = ask(
            self._store,
            {one, other},
            ("ZCARD", looked_at),
            ("ZCARD", compared),
            _newest(looked_at, COMPARED),
        )
        if mine > COMPARED and mine > theirs:
            looked_at, compared = compared, looked_at
            (found,) = ask(self._store, {other}, _newest(looked_at, COMPARED))
        if not found:
            return ()
        (since,) = ask(self._store, {one, other}, ("ZMSCORE", compared, *found))
        return tuple(int(who) for who, at in zip(found, since, strict=True) if at is not None)

    def suggestions(self, person: int, count: int) -> tuple[Suggestion, ...]:
        """Return people whom those I follow follow, the most often followed first.

        Looks at my newest 50 follows and the newest 50 of each. Without me and those whom I
        follow (the newest 1,000). Two round trips.
        """
        (mine,) = ask(self._store, {person}, _newest(people.follows(person), COMPARED))
        asked = [int(one) for one in mine[:ASKED]]
        if not asked:
            return ()
        theirs = ask(
            self._store, set(asked), *(_newest(people.follows(one), ASKED) for one in asked)
        )
        through: defaultdict[int, list[int]] = defaultdict(list)
        known = {person, *map(int, mine)}
        for one, found in zip(asked, theirs, strict=True):
            for other in map(int, found):
                if other not in known:
                    through[other].append(one)
        ranked = sorted(through.items(), key=lambda item: (-len(item[1]), item[0]))
        return tuple(Suggestion(other, tuple(by)) for other, by in ranked[:count])


def _newest(key: str, count: int) -> tuple[str | int, ...]:
    return ("ZRANGE", key, 0, count - 1, "REV")


def _pairs(found: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """Return members with their scores."""
    return zip(found[::2], found[1::2], strict=True)

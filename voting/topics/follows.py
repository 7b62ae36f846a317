"""Who follows whom, as lists by time, and what is worth following.

A bond between two people stands in two lists, of the one who follows and of the one followed, each
under its own person's hash tag: two steps that bring a state about and may be repeated.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from voting.keys import people
from voting.redis.connection import Store
from voting.redis.readings import Reading, read
from voting.topics.person_lists import in_batches, member_call, reading, spelled
from voting.types.follows import (
    Bond,
    Bonds,
    ChosenGroups,
    GroupBond,
    GroupTies,
    Side,
    Sources,
    Suggestion,
    Ties,
)

COMPARED = 1_000
"""The newest follows that are looked at for those in common, and to suggest nobody among them."""
ASKED = 50
"""Those I follow whom I am given suggestions of, and how many of theirs are looked at."""
GROUPS_SHOWN = 1_000
FEED_GROUPS = 200
"""Groups a feed is made of at most: the newest follows."""
Suggestions = tuple[Suggestion, ...]
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
        """Load who follows whom since when. A round trip a thousand."""
        for pipeline, (follower, person, at) in in_batches(self._store, bonds):
            pipeline.zadd(people.follows(follower), {str(person): spelled(at)})
            pipeline.zadd(people.fans(person), {str(follower): spelled(at)})

    def fill_groups(self, bonds: Iterable[tuple[int, str, float]]) -> None:
        """Load who follows which group since when, alike."""
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
        return read(self._store, ties(person, viewer))

    def page(self, side: Side, person: int, start: int, count: int) -> Bonds:
        """Return a part of a person's follows or fans, the newest first. One round trip."""
        key = LISTS[side](person)
        asked = reading(
            {person},
            _bonds,
            ("ZCARD", key),
            ("ZRANGE", key, start, start + count - 1, "REV", "WITHSCORES"),
        )
        return read(self._store, asked)

    def groups(self, person: int) -> tuple[GroupBond, ...]:
        """Return the groups a person follows, the newest thousand first. One round trip."""
        newest = (*_newest(people.group_follows(person), GROUPS_SHOWN), "WITHSCORES")
        return read(self._store, reading({person}, _group_bonds, newest))

    def chosen_groups(self, person: int) -> ChosenGroups:
        """Return the groups a person follows, of the newest thousand, and hides. One round trip."""

        def chosen(followed: Sequence[str], hidden: Iterable[str]) -> ChosenGroups:
            return ChosenGroups(frozenset(followed), frozenset(hidden))

        newest = _newest(people.group_follows(person), GROUPS_SHOWN)
        hidden = ("SMEMBERS", people.hidden_groups(person))
        return read(self._store, reading({person}, chosen, newest, hidden))

    def sources(self, person: int) -> Sources:
        """Return whom and what a person follows, the newest first: at most 1,000 people and 200
        groups. One round trip.
        """
        asked = reading(
            {person},
            _sources,
            _newest(people.follows(person), COMPARED),
            _newest(people.group_follows(person), FEED_GROUPS),
        )
        return read(self._store, asked)


def ties(person: int, viewer: int | None) -> Reading[Ties]:
    """Return what reads how many a person follows and is followed by."""

    def counted(follows: int, groups: int, fans: int, since: str | None = None) -> Ties:
        return Ties(follows, groups, fans, since is not None)

    asked: list[tuple[str, ...]] = [
        ("ZCARD", people.follows(person)),
        ("ZCARD", people.group_follows(person)),
        ("ZCARD", people.fans(person)),
    ]
    if viewer is not None:
        asked.append(("ZSCORE", people.follows(viewer), str(person)))
    return reading({person, viewer or person}, counted, *asked)


def group_ties(person: int, name: str) -> Reading[GroupTies]:
    """Return what reads whether a person follows a group or hides it."""
    return reading(
        {person},
        lambda since, hidden: GroupTies(since is not None, bool(hidden)),
        ("ZSCORE", people.group_follows(person), name),
        ("SISMEMBER", people.hidden_groups(person), name),
    )


def common(one: int, other: int) -> Reading[Reading[tuple[int, ...]]]:
    """Return what finds whom both follow, in the order in which one of them began, the newest
    first. In two steps: its answer is what is to be read next.

    Looks at the newest 1,000 of the shorter list.
    """
    lists = people.follows(one), people.follows(other)

    def compared(
        mine: int, theirs: int, my_newest: Sequence[str], their_newest: Sequence[str]
    ) -> Reading[tuple[int, ...]]:
        shorter = mine <= COMPARED or mine <= theirs
        found, longer = (my_newest, lists[1]) if shorter else (their_newest, lists[0])
        if not found:
            return Reading((), lambda _replies: ())
        return reading({one, other}, partial(_both, found), ("ZMSCORE", longer, *found))

    asked = [("ZCARD", key) for key in lists], [_newest(key, COMPARED) for key in lists]
    return reading({one, other}, compared, *chain(*asked))


def suggestions(person: int, followed: Sequence[int], count: int) -> Reading[Suggestions]:
    """Return what finds people whom those `followed` by a person (the newest first) follow, the
    most often followed first. Without the person and the `followed`.

    Looks at the newest 50 of them and the newest 50 of each.
    """
    asked, known = followed[:ASKED], {person, *followed}

    def ranked(*theirs: Sequence[str]) -> Suggestions:
        through: defaultdict[int, list[int]] = defaultdict(list)
        for one, found in zip(asked, theirs, strict=True):
            for other in map(int, found):
                if other not in known:
                    through[other].append(one)
        best = sorted(through.items(), key=lambda item: (-len(item[1]), item[0]))
        return tuple(Suggestion(other, tuple(by)) for other, by in best[:count])

    return reading(asked, ranked, *(_newest(people.follows(one), ASKED) for one in asked))


def _newest(key: str, count: int) -> tuple[str | int, ...]:
    return ("ZRANGE", key, 0, count - 1, "REV")


def _both(found: Sequence[str], since: Sequence[str | None]) -> tuple[int, ...]:
    """Return those found in one list who have a time in the other."""
    return tuple(int(who) for who, at in zip(found, since, strict=True) if at is not None)


def _bonds(total: int, found: Sequence[str]) -> Bonds:
    return Bonds(total, tuple(Bond(int(one), float(at)) for one, at in _pairs(found)))


def _group_bonds(found: Sequence[str]) -> tuple[GroupBond, ...]:
    return tuple(GroupBond(name, float(at)) for name, at in _pairs(found))


def _sources(found: Sequence[str], groups: Sequence[str]) -> Sources:
    return Sources(tuple(map(int, found)), tuple(groups))


def _pairs(found: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Return members with their scores."""
    return zip(found[::2], found[1::2], strict=True)

"""Follows: the people and groups that a person follows, followers, and suggestions.

A follow between two people is stored in two lists, one for each person. All lists are read newest
first.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from voting.keys import people
from voting.redis.connection import Store
from voting.redis.queries import Query, fetch
from voting.topics.person_lists import in_batches, member_call, person_query, spelled
from voting.types.follows import (
    ChosenGroups,
    FeedSources,
    Follow,
    FollowCounts,
    FollowPage,
    FollowSide,
    GroupFollow,
    GroupRelation,
    Suggestion,
)

COMPARED = 1_000
"""How many of a person's newest follows are read for feeds, suggestions and common follows."""
DEPTH = 50
"""For suggestions, only this many newest follows of each person are read."""
MAX_GROUPS_SHOWN = 1_000
FEED_GROUPS = 200
"""The most groups in a feed: those that the person followed last."""
Suggestions = tuple[Suggestion, ...]
LISTS: dict[FollowSide, Callable[[int], str]] = {
    FollowSide.FOLLOWS: people.follows,
    FollowSide.FOLLOWERS: people.fans,
}


class Follows:
    """The follows of all people. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # Changes

    def set_person(self, follower: int, person: int, at: float | None) -> None:
        """Record that `follower` has followed a person since the time `at` (seconds).

        If `at` is None, removes the follow. One round trip.
        """
        self._store.run(
            member_call(people.fans(person), person, follower, at),
            member_call(people.follows(follower), follower, person, at),
        )

    def set_group(self, follower: int, name: str, at: float | None) -> None:
        """Add a follow of a group at the time `at` (seconds), or remove the follow if `at` is None.

        One round trip.
        """
        self._store.run(member_call(people.group_follows(follower), follower, name, at))

    def fill(self, follows: Iterable[tuple[int, int, float]]) -> None:
        """Write many follows between people to Redis. One round trip per 1,000 follows.

        Each item has the follower, the person followed, and the time (seconds) of the follow.
        """
        for pipeline, (follower, person, at) in in_batches(self._store, follows):
            pipeline.zadd(people.follows(follower), {str(person): spelled(at)})
            pipeline.zadd(people.fans(person), {str(follower): spelled(at)})

    def fill_groups(self, follows: Iterable[tuple[int, str, float]]) -> None:
        """Write many follows of groups to Redis. One round trip per 1,000 follows.

        Each item has the follower, the group, and the time (seconds) of the follow.
        """
        for pipeline, (follower, name, at) in in_batches(self._store, follows):
            pipeline.zadd(people.group_follows(follower), {name: spelled(at)})

    # Reading

    def of_people(self, persons: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield pairs (follower, followed person) in which one or both are given in `persons`.

        If both are in `persons`, yields the pair twice. One round trip.
        """
        keys_of = [(people.follows(one), people.fans(one)) for one in persons]
        replies = iter(self._members(chain.from_iterable(keys_of)))
        for one in persons:
            yield from ((one, int(person)) for person in next(replies))
            yield from ((int(follower), one) for follower in next(replies))

    def groups_of_people(self, persons: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield pairs of a person and a group, for all groups that the given people follow.

        One round trip.
        """
        replies = self._members(map(people.group_follows, persons))
        for one, names in zip(persons, replies, strict=True):
            yield from ((one, name) for name in names)

    def _members(self, lists: Iterable[str]) -> list[Any]:
        with self._store.pipeline() as pipeline:
            for key in lists:
                pipeline.zrange(key, 0, -1)
            return pipeline.execute()

    def counts(self, person: int, viewer: int | None = None) -> FollowCounts:
        """Return how many people and groups a person follows, and the number of followers.

        One round trip.
        """
        return fetch(self._store, counts_query(person, viewer))

    def page(self, side: FollowSide, person: int, start: int, count: int) -> FollowPage:
        """Return some of the people whom a person follows, or of the person's followers.

        Returns `count` people from index `start`; the newest follow has index 0.

        One round trip.
        """
        key = LISTS[side](person)
        query = person_query(
            {person},
            _follow_page,
            ("ZCARD", key),
            ("ZRANGE", key, start, start + count - 1, "REV", "WITHSCORES"),
        )
        return fetch(self._store, query)

    def groups(self, person: int) -> tuple[GroupFollow, ...]:
        """Return the 1,000 groups that a person followed last, newest first. One round trip."""
        newest = (*_newest(people.group_follows(person), MAX_GROUPS_SHOWN), "WITHSCORES")
        return fetch(self._store, person_query({person}, _group_follows, newest))

    def chosen_groups(self, person: int) -> ChosenGroups:
        """Return the last 1,000 groups that a person followed, and all groups that they hide.

        One round trip.
        """

        def chosen(followed: Sequence[str], hidden: Iterable[str]) -> ChosenGroups:
            return ChosenGroups(frozenset(followed), frozenset(hidden))

        newest = _newest(people.group_follows(person), MAX_GROUPS_SHOWN)
        hidden = ("SMEMBERS", people.hidden_groups(person))
        return fetch(self._store, person_query({person}, chosen, newest, hidden))

    def feed_sources(self, person: int) -> FeedSources:
        """Return the last 1,000 people and 200 groups that a person followed, newest first.

        A feed has posts of the groups, and of the first 300 of the people. One round trip.
        """

        def sources(found: Sequence[str], groups: Sequence[str]) -> FeedSources:
            return FeedSources(tuple(map(int, found)), tuple(groups))

        query = person_query(
            {person},
            sources,
            _newest(people.follows(person), COMPARED),
            _newest(people.group_follows(person), FEED_GROUPS),
        )
        return fetch(self._store, query)


def counts_query(person: int, viewer: int | None) -> Query[FollowCounts]:
    """Return the query that counts a person's follows, followed groups and followers.

    If there is a `viewer`, the query also reads whether the viewer follows the person.
    """

    def counted(
        follows: int, groups: int, followers: int, since: str | None = None
    ) -> FollowCounts:
        return FollowCounts(follows, groups, followers, since is not None)

    commands: list[tuple[str, ...]] = [
        ("ZCARD", people.follows(person)),
        ("ZCARD", people.group_follows(person)),
        ("ZCARD", people.fans(person)),
    ]
    if viewer is not None:
        commands.append(("ZSCORE", people.follows(viewer), str(person)))
    return person_query({person, viewer or person}, counted, *commands)


def group_relation_query(person: int, name: str) -> Query[GroupRelation]:
    """Return the query that reads whether a person follows or hides a group."""
    return person_query(
        {person},
        lambda since, hidden: GroupRelation(since is not None, bool(hidden)),
        ("ZSCORE", people.group_follows(person), name),
        ("SISMEMBER", people.hidden_groups(person), name),
    )


def common_query(one: int, other: int) -> Query[Query[tuple[int, ...]]]:
    """Return a query that prepares to find the people whom two people both follow.

    Its result is a second query, which returns the ids of these people, newest follow first.
    Considers only the newest 1,000 follows of the person who follows fewer people.
    """
    lists = people.follows(one), people.follows(other)

    def compared(
        mine: int, theirs: int, my_newest: Sequence[str], their_newest: Sequence[str]
    ) -> Query[tuple[int, ...]]:
        shorter = mine <= COMPARED or mine <= theirs
        found, longer = (my_newest, lists[1]) if shorter else (their_newest, lists[0])
        if not found:
            return Query((), lambda _replies: ())
        return person_query({one, other}, partial(_in_both, found), ("ZMSCORE", longer, *found))

    commands = [("ZCARD", key) for key in lists], [_newest(key, COMPARED) for key in lists]
    return person_query({one, other}, compared, *chain(*commands))


def suggestions_query(person: int, followed: Sequence[int], count: int) -> Query[Suggestions]:
    """Return the query for people whom a person might want to follow.

    `followed` contains the people whom the person follows, newest first. Suggestions come from the
    newest 50 follows of each of the first 50 people in `followed`. A suggestion comes earlier if
    more of these people follow the suggested person.
    """
    sources, known = followed[:DEPTH], {person, *followed}

    def ranked(*theirs: Sequence[str]) -> Suggestions:
        via: defaultdict[int, list[int]] = defaultdict(list)
        for one, found in zip(sources, theirs, strict=True):
            for other in map(int, found):
                if other not in known:
                    via[other].append(one)
        best = sorted(via.items(), key=lambda item: (-len(item[1]), item[0]))
        return tuple(Suggestion(other, tuple(by)) for other, by in best[:count])

    return person_query(sources, ranked, *(_newest(people.follows(one), DEPTH) for one in sources))


def _newest(key: str, count: int) -> tuple[str | int, ...]:
    return ("ZRANGE", key, 0, count - 1, "REV")


def _in_both(found: Sequence[str], since: Sequence[str | None]) -> tuple[int, ...]:
    """Return the ids of people whom two people both follow.

    `found` has the ids of people whom the first person follows. For each of these people, in the
    same order, `since` has the time when the second person followed them, or None.
    """
    return tuple(int(one) for one, at in zip(found, since, strict=True) if at is not None)


def _follow_page(total: int, found: Sequence[str]) -> FollowPage:
    return FollowPage(total, tuple(Follow(int(one), float(at)) for one, at in _pairs(found)))


def _group_follows(found: Sequence[str]) -> tuple[GroupFollow, ...]:
    return tuple(GroupFollow(name, float(at)) for name, at in _pairs(found))


def _pairs(found: Sequence[str]) -> Iterable[tuple[str, str]]:
    return zip(found[::2], found[1::2], strict=True)

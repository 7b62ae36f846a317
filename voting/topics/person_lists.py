"""A person's lists of posts (saved, hidden, liked, viewed), and hidden groups.

SQL has the saved posts, hidden posts, hidden groups and archived votes. Only Redis has the viewed
posts, for 30 days. The functions at the end of this module are shared with `voting.topics.follows`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from redis.client import Pipeline

from voting import keys
from voting.errors import StoreEmpty
from voting.keys import people
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.queries import Answer, Query, fetch
from voting.redis.scripts import Argument, Call, Command
from voting.types.person_lists import MAX_LIKED, MAX_VIEWED, ListEntry, ListPage, PersonList

SET_MEMBER = scripts.load("set_member")
HIDE_GROUP = scripts.load("hide_group")
VISIT = scripts.load("visit")
LISTS: dict[PersonList, Callable[[int], str]] = {
    PersonList.SAVED: people.saved,
    PersonList.HIDDEN: people.hidden,
    PersonList.LIKED: people.liked,
    PersonList.VIEWED: people.viewed,
}
UNLIMITED = 0
LENGTHS = {PersonList.LIKED: MAX_LIKED}
"""How many of its newest posts a list keeps. `put` doesn't shorten other lists."""
VISIT_SECONDS = 1_800
"""Opening a thread twice within this many seconds counts as one visit."""
BATCH = 1_000
"""Entries that one round trip writes while lists are filled."""

Member = TypeVar("Member")


class PersonLists:
    """Reads and changes any person's lists. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    # Changes

    def put(self, which: PersonList, person: int, post_id: int, at: float | None) -> None:
        """Add a post with the time `at` (seconds) to a person's list, or remove it if `at` is None.

        One round trip.
        """
        self._store.run(_put_call(which, person, post_id, at))

    def set_liked(self, votes: Mapping[tuple[int, int], float | None]) -> None:
        """Update the lists of posts that people voted up. One round trip.

        `votes` maps (person, post) to the time of the up vote (seconds), or to None to remove the
        post. Each list keeps its newest 200 posts.
        """
        if votes:
            calls = (_put_call(PersonList.LIKED, *one, at) for one, at in votes.items())
            self._store.run(*calls)

    def hide_group(self, person: int, name: str, hidden: bool) -> None:
        """Hide a group from a person's listings, or show the group again. One round trip."""
        key = people.hidden_groups(person)
        self._store.run(HIDE_GROUP((key, generation(person)), name, int(hidden)))

    def clear_viewed(self, person: int) -> None:
        """Delete a person's viewing history. One round trip."""
        self._store.command("UNLINK", people.viewed(person), people.seen(person))

    def fill(self, which: PersonList, posts: Iterable[tuple[int, int, float]]) -> None:
        """Write many people's lists of the kind `which` to Redis.

        Each item of `posts` has a person's id, a post's id and a time (seconds). Don't pass more
        posts of one person than such a list may contain. One round trip per 1,000 posts.
        """
        for pipeline, (person, post_id, at) in in_batches(self._store, posts):
            pipeline.zadd(LISTS[which](person), {str(post_id): spelled(at)})

    def fill_hidden_groups(self, names: Iterable[tuple[int, str]]) -> None:
        """Write the hidden groups of many people to Redis. One round trip per 1,000 hidden groups.

        Each pair in `names` is a person's id and the name of a group that the person hides.
        """
        for pipeline, (person, name) in in_batches(self._store, names):
            pipeline.sadd(people.hidden_groups(person), name)

    # Reading

    def members(self, which: PersonList, persons: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield a pair (person, post) for each post in these people's lists. One round trip."""
        with self._store.pipeline() as pipeline:
            for person in persons:
                pipeline.zrange(LISTS[which](person), 0, -1)
            replies = pipeline.execute()
        for person, found in zip(persons, replies, strict=True):
            yield from ((person, int(post_id)) for post_id in found)

    def hidden_groups_of(self, persons: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Yield a person and a group for each group that the given people hide. One round trip."""
        with self._store.pipeline() as pipeline:
            for person in persons:
                pipeline.smembers(people.hidden_groups(person))
            replies = pipeline.execute()
        for person, names in zip(persons, replies, strict=True):
            yield from ((person, name) for name in names)

    def page(self, which: PersonList, person: int, start: int, count: int) -> ListPage:
        """Return `count` posts of a list from index `start`, newest first. One round trip.

        The list of viewed posts contains only posts that the person opened in the last 30 days.
        """
        key, oldest = LISTS[which](person), "-inf"
        if which is PersonList.VIEWED:
            oldest = f"({self._now() - people.VIEWED_LIFE}"
        part: tuple[Any, ...] = ("+inf", oldest, "BYSCORE", "REV", "LIMIT", start, count)
        query = person_query(
            {person},
            _list_page,
            ("ZCOUNT", key, oldest, "+inf"),
            ("ZRANGE", key, *part, "WITHSCORES"),
        )
        return fetch(self._store, query)

    def hidden_groups(self, person: int) -> frozenset[str]:
        """Return the groups that a person hides. One round trip."""
        query: Query[frozenset[str]]
        query = person_query({person}, frozenset, ("SMEMBERS", people.hidden_groups(person)))
        return fetch(self._store, query)


def visit_call(user_id: int, post_id: int, comments: int, now: int) -> Call:
    """Return the call that records a person's visit to a thread at `now` (seconds).

    `comments` is the number of comments in the thread.
    """
    return VISIT(
        (people.viewed(user_id), people.seen(user_id)),
        post_id,
        comments,
        now,
        MAX_VIEWED,
        people.VIEWED_LIFE,
        VISIT_SECONDS,
    )


def _list_page(total: int, found: Sequence[str]) -> ListPage:
    pairs = zip(found[::2], found[1::2], strict=True)
    return ListPage(total, tuple(ListEntry(int(post_id), float(at)) for post_id, at in pairs))


def _put_call(which: PersonList, person: int, post_id: int, at: float | None) -> Call:
    return member_call(LISTS[which](person), person, post_id, at, LENGTHS.get(which, UNLIMITED))


# Shared with follows


def spelled(at: float) -> str:
    """Return a time (seconds) as a text with microseconds, so that entries of a list rarely tie."""
    return f"{at:.6f}"


def generation(person: int) -> str:
    """Return the key that marks the data of a person's shard as complete."""
    return keys.generation(people.tag(person))


def member_call(
    key: str, person: int, member: str | int, at: float | None, longest: int = UNLIMITED
) -> Call:
    """Return the call that adds a member to a person's list with the time `at` (seconds).

    If `at` is None, the call removes the member. The list keeps only its newest `longest` members.
    """
    return SET_MEMBER((key, generation(person)), member, "" if at is None else spelled(at), longest)


def in_batches(store: Store, members: Iterable[Member]) -> Iterator[tuple[Pipeline, Member]]:
    """Yield (pipeline, member) for each member. The caller adds a command to the pipeline.

    The commands are sent in batches: one round trip per 1,000 members.
    """
    remaining = iter(members)
    while batch := list(islice(remaining, BATCH)):
        with store.pipeline() as pipeline:
            for member in batch:
                yield pipeline, member
            pipeline.execute()


def person_query(
    whose: Iterable[int], decode: Callable[..., Answer], *commands: Sequence[Argument]
) -> Query[Answer]:
    """Return a query that runs Redis commands on people's lists.

    `decode` gets each command's reply as an argument, and returns the query's result. `whose` are
    the people's ids. The query raises StoreEmpty if the shard of one of them has not been filled.
    """
    generations = [("EXISTS", key) for key in sorted({generation(person) for person in whose})]

    def checked(replies: Sequence[Any]) -> Answer:
        if not all(replies[len(commands) :]):
            raise StoreEmpty("the generation of a person's shard is missing")
        return decode(*replies[: len(commands)])

    return Query([Command(tuple(words)) for words in (*commands, *generations)], checked)

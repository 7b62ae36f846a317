"""People: a person's counters, and the data on a profile page."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from voting.keys import people
from voting.redis.connection import Store
from voting.redis.queries import Query, fetch, fetch_all
from voting.topics.comments import tallies_query
from voting.topics.follows import common_query, counts_query
from voting.topics.inbox import unread_query
from voting.topics.person_lists import person_query
from voting.topics.posts import rows_query
from voting.types import Rules, Target
from voting.types.people import PersonCounts, PersonView

NOTHING: Query[None] = Query((), lambda _replies: None)
BATCH = 500
"""People whose counters are written in one round trip."""
FIELDS = ("posts", "comments", "likes_given", "karma")
"""Counters in a person's hash. Follows and followers are counted from lists instead."""


class People:
    """The people of one site. Methods raise StoreUnavailable if Redis is down."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def counts(self, user_id: int) -> PersonCounts | None:
        """Return a person's counters, or None if Redis doesn't have them. One round trip."""
        return fetch(self._store, _counts_query(user_id))

    def set_counts(self, counts: Mapping[int, PersonCounts]) -> None:
        """Set people's counters, except follows and followers. One round trip per 500 people."""
        remaining = iter(counts.items())
        while batch := list(islice(remaining, BATCH)):
            with self._store.pipeline() as pipeline:
                for user_id, counted in batch:
                    values = ((name, getattr(counted, name)) for name in FIELDS)
                    pipeline.hset(people.user(user_id), items=[x for pair in values for x in pair])
                pipeline.execute()

    def view(
        self,
        person: int,
        *,
        viewer: int | None = None,
        post_ids: Sequence[int] = (),
        comments: Sequence[Target] = (),
        compared: bool = False,
    ) -> PersonView:
        """Return the data for a person's profile page, with the viewer's votes.

        Rows are in the order of the given posts. Unknown posts and comments are left out. One round
        trip; two if `compared` asks for the people whom both the viewer and the person follow.
        """
        other = None if viewer == person else viewer
        counts, follows, rows, tallies, unread, common = fetch_all(
            self._store,
            _counts_query(person),
            counts_query(person, other),
            rows_query(self._rules, self._now(), post_ids, viewer),
            tallies_query(self._rules, self._now(), comments, viewer),
            NOTHING if viewer is None else unread_query(viewer),
            common_query(other, person) if compared and other is not None else NOTHING,
        )
        return PersonView(
            counts,
            follows,
            rows,
            tallies,
            unread.total if unread else None,
            fetch(self._store, common) if common else (),
        )


def _counts_query(user_id: int) -> Query[PersonCounts | None]:
    def counts(fields: Sequence[str], follows: int, followers: int) -> PersonCounts | None:
        if None in fields:
            return None
        posts, comments, likes_given, karma = map(int, fields)
        return PersonCounts(posts, comments, likes_given, karma, follows, followers)

    return person_query(
        {user_id},
        counts,
        ("HMGET", people.user(user_id), *FIELDS),
        ("ZCARD", people.follows(user_id)),
        ("ZCARD", people.fans(user_id)),
    )

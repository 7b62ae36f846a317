"""Feeds: posts of the people and groups somebody follows, ranked by `hot`.

Built by one script from the tops of what is followed, and remembered for as long as a mix. The
key names whom and what it is made of, so following somebody else shows at once.
"""

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2s

from voting import keys
from voting.redis import scripts
from voting.redis.connection import Store
from voting.redis.readings import read_all
from voting.redis.scripts import Call
from voting.topics import follows, rankings
from voting.types import Cursor, Direction, Hiding, Order, Page, Rules
from voting.types.follows import Sources

FOLLOWING = scripts.load("following")
KEPT = 1_000
"""Posts of a feed: 40 pages."""
LIVING = 500
"""Feeds remembered at most; about 90 kB each."""
PEOPLE = 300
"""Whom a feed is made of at most: the newest follows."""
GROUP_POSTS, ALL_GROUP_POSTS = 200, 2_000
"""Posts taken from the top of one group, and of all together at most."""
PERSON_POSTS, ALL_PERSON_POSTS = 50, 1_500
"""Newest posts taken of one person, and of all together at most."""


class Feeds:
    """What people follow, as listings. Reached as `VotingService.feeds`."""

    def __init__(self, store: Store, rules: Rules, now: Callable[[], int]) -> None:
        self._store = store
        self._rules = rules
        self._now = now

    def page(
        self,
        user_id: int,
        number: int,
        sources: Sources,
        *,
        cursor: Cursor | None = None,
        hiding: Hiding | None = None,
        suggested: int = 0,
    ) -> Page:
        """Return a page (from 1) of what a person follows, with the person's own votes, and so many
        people worth following.

        The best thousand of the best posts in groups and the newest of people. Without the
        person's hidden rows as in `VotingService.listing`. May raise StoreUnavailable. One round
        trip.
        """
        now = self._now()
        page = rankings.reading(
            self._rules,
            now,
            (key(user_id, sources),),
            number,
            viewer=user_id,
            direction=Direction.DESC,
            cursor=cursor,
            hidden=rankings.hidden_keys(user_id, None, hiding),
            before=(call(self._rules, now, user_id, sources),),
        )
        others = follows.suggestions(user_id, sources.people if suggested else (), suggested)
        found: Page
        found, suggestions = read_all(self._store, page, others)
        return replace(found, suggestions=suggestions)


def key(user_id: int, sources: Sources) -> str:
    """Return the key of the feed made of these sources."""
    made_of = f"{sources.people[:PEOPLE]} {sources.groups}"
    return keys.feed(user_id, blake2s(made_of.encode(), digest_size=8).hexdigest())


def call(rules: Rules, now: int, user_id: int, sources: Sources) -> Call:
    """Return the call that builds a feed unless a fresh one is there."""
    return FOLLOWING(
        (
            key(user_id, sources),
            keys.feeds(),
            keys.generation(keys.RANK_TAG),
            keys.ranking(Order.HOT),
            *(keys.ranking(Order.HOT, name) for name in sources.groups),
            *(keys.author(person) for person in sources.people[:PEOPLE]),
        ),
        rules.mix_seconds,
        now,
        LIVING,
        KEPT,
        len(sources.groups),
        _share(GROUP_POSTS, ALL_GROUP_POSTS, len(sources.groups)),
        _share(PERSON_POSTS, ALL_PERSON_POSTS, len(sources.people[:PEOPLE])),
    )


def _share(most: int, together: int, sources: int) -> int:
    """Return the posts to take of each source, so that building a feed stays short."""
    return min(most, together // max(1, sources))

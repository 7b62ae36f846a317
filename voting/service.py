"""The only door to voting. What pages ask of it is a method of `VotingService`; what workers and
commands ask, of its `upkeep`.

All times are whole seconds since 1970; all methods may raise StoreUnavailable. Threads may share
a service.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import time

from voting import keys
from voting.embedded.disk_space import low_space
from voting.errors import UnknownTarget
from voting.maintenance import Upkeep
from voting.redis.connection import Store
from voting.redis.pool import TIMEOUT
from voting.redis.readings import Reading, read, read_all
from voting.redis.urls import connect as connect_store
from voting.redis.urls import is_redis_url
from voting.scores import comment_score, hot_score
from voting.topics import groups, listings, posts, rankings, rows, threads, votes
from voting.topics.activity import Activity
from voting.topics.boards import Boards
from voting.topics.comments import Comments
from voting.topics.counters import Counters
from voting.topics.feeds import Feeds
from voting.topics.follows import Follows
from voting.topics.groups import parse as parse_mix
from voting.topics.inbox import Inbox
from voting.topics.limits import Limits
from voting.topics.listings import Listed
from voting.topics.lists import Lists
from voting.topics.people import People
from voting.types import (
    Ballot,
    Cursor,
    Direction,
    Hiding,
    Mix,
    Order,
    Page,
    Post,
    Row,
    Rules,
    Target,
    Vote,
)
from voting.types.comments import Sort, ThreadState
from voting.types.limits import Pace
from voting.types.standing import Standing

__all__ = ["TIMEOUT", "VotingService", "connect", "is_redis_url", "low_space", "parse_mix"]


class VotingService:
    """Votes, rankings and groups of one site."""

    def __init__(self, store: Store, rules: Rules, clock: Callable[[], float] = time) -> None:
        self.store = store
        self.rules = rules
        self._clock = clock
        self.upkeep = Upkeep(store, rules, self.now)
        self.counters = Counters(store, rules, self.now)
        self.boards = Boards(store, rules, self.now)
        self.activity = Activity(store, self.now)
        self.comments = Comments(store, rules, self.now)
        self.limits = Limits(store, clock)
        self.inbox = Inbox(store)
        self.follows = Follows(store)
        self.people = People(store, rules, self.now)
        self.feeds = Feeds(store, rules, self.now)
        self.lists = Lists(store, self.now)

    def now(self) -> int:
        """Return the time by the service's clock."""
        return int(self._clock())

    # Posts

    def publish(self, post: Post) -> None:
        """Make a post what `post` says; the first time, open voting with its author's up vote.

        May be repeated; an older version than is known changes nothing. One round trip.
        """
        posts.publish(self.store, self.rules, self.now(), post)

    def retract(self, post_id: int, version: int = 0) -> None:
        """Take a post out of every listing at once and close it to votes. One round trip.

        Its tallies and voters stay. A `version` older than is known changes nothing.
        """
        posts.retract(self.store, self.rules, self.now(), post_id, version)

    def restore(self, post_id: int) -> None:
        """Bring a retracted post back with its votes. Raises UnknownTarget. One round trip."""
        posts.regroup(self.store, self.rules, self.now(), post_id, restore=True)

    def set_groups(
        self, post_id: int, add: Iterable[str] = (), remove: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Add and remove several groups at once; return what the post is in. One round trip.

        Raises UnknownTarget.
        """
        return posts.regroup(self.store, self.rules, self.now(), post_id, add=add, remove=remove)

    # Votes

    def cast_vote(
        self, user_id: int, target: Target, wanted: Vote, *, pace: Pace | None = None
    ) -> Ballot:
        """Bring a person's vote to `wanted` and return how it stands. One round trip.

        Raises VotingClosed (with the ballot that stands), UnknownTarget, and Throttled where a
        change would be more than `pace` allows. May be repeated.
        """
        return read(self.store, self._casting(user_id, target, wanted, pace))

    def cast_and_show(
        self, user_id: int, post_id: int, wanted: Vote, *, pace: Pace | None = None
    ) -> tuple[Ballot, Row]:
        """Bring a person's vote on a post to `wanted` and return the post's row as it is then, too.

        Raises what `cast_vote` does. One round trip. On a cluster the row is read beside the vote,
        so the ballot says how that stands.
        """
        casting = self._casting(user_id, Target(post_id), wanted, pace)
        shown = rows.reading(self.rules, self.now(), (post_id,), user_id)
        ballot, found = read_all(self.store, casting, shown)
        if not found:  # retracted since
            raise UnknownTarget(ballot.target)
        return ballot, replace(found[0], up=ballot.up, down=ballot.down, vote=ballot.vote)

    def _casting(
        self, user_id: int, target: Target, wanted: Vote, pace: Pace | None
    ) -> Reading[Ballot]:
        return votes.casting(self.store, self.rules, self._clock(), user_id, target, wanted, pace)

    def is_open(self, posted_at: int) -> bool:
        """Say whether a target of that time may still be voted on. No round trip."""
        return self.now() < posted_at + self.rules.window

    def keeps_voters(self, posted_at: int) -> bool:
        """Say whether Redis still knows who voted on a target of that time. No round trip."""
        return self.now() < posted_at + self.rules.window + keys.VOTERS_GRACE

    # Listings

    def listing(
        self,
        order: Order,
        page: int,
        *,
        group: str | Mix | None = None,
        viewer: int | None = None,
        direction: Direction = Direction.DESC,
        cursor: Cursor | None = None,
        hiding: Hiding | None = None,
        pinned: Sequence[int] = (),
    ) -> Page:
        """Return a page (from 1) of the site, a group or a mix, with the viewer's own votes.

        Past the end it has no rows; an unknown group is an empty one; one group's says what the
        viewer makes of it. Hidden rows are filled up from the ranks behind them, 200 at the most.

        Given the `last` of the page before as `cursor`, the page starts right after that place,
        whatever came or went meanwhile. Without it, it starts where its number says.

        The first page has the rows of `pinned` posts apart; they also stand where they rank. One
        round trip.
        """
        asked = Listed(order, page, group, viewer, direction, cursor, hiding, tuple(pinned))
        return listings.read_page(self.store, self.rules, self.now(), asked)

    def rows(self, post_ids: Sequence[int], *, viewer: int | None = None) -> tuple[Row, ...]:
        """Return rows of posts in the order asked for, without unknown ones. One round trip."""
        asked = rows.reading(self.rules, self.now(), post_ids, viewer)
        return read(self.store, asked, from_copies=viewer is None)

    def post(self, post_id: int, *, viewer: int | None = None) -> tuple[Row, Standing]:
        """Return what a post's own page shows. Raises UnknownTarget. One round trip."""
        shown, standing = read_all(
            self.store,
            rows.reading(self.rules, self.now(), (post_id,), viewer),
            rankings.explaining(self.rules, post_id),
        )
        if not shown:
            raise UnknownTarget(Target(post_id))
        return shown[0], standing

    def thread(
        self,
        post_id: int,
        comment_ids: Sequence[int],
        *,
        viewer: int | None = None,
        visitor: str = "",
        comments: int | None = None,
    ) -> ThreadState:
        """Return what a post's own page shows of the post and of comments in its thread, with the
        viewer's own votes, and count the visitor's view. Raises UnknownTarget. One round trip.

        Where it is told how many `comments` the thread has, the viewer's visit is recorded, and
        the one before is returned.
        """
        viewing = [self.counters.view_call(post_id, visitor)] if visitor else []
        return threads.read(
            *(self.store, self.rules, self.now(), post_id, comment_ids, viewer),
            viewing=viewing,
            comments=comments,
        )

    def explain(self, post_id: int) -> Standing:
        """Return why a post is where it is in `hot`. Raises UnknownTarget. One round trip."""
        return read(self.store, rankings.explaining(self.rules, post_id))

    def standings(self, post_ids: Sequence[int]) -> dict[int, Standing]:
        """Return where posts stand, without unknown ones. One round trip."""
        return rankings.standings(self.store, self.rules, post_ids)

    def score(self, posted_at: int, points: int, weight: float | None = None) -> float:
        """Return a score in `hot` (s); `weight`: seconds a vote is worth. No round trip."""
        return hot_score(self.rules.weighing(weight or self.rules.weight), posted_at, points)

    def comment_score(self, sort: Sort, up: int, down: int, *, answer: bool = False) -> float:
        """Return what ranks a comment among others, the highest first. No round trip."""
        return comment_score(self.rules, sort, up, down, answer=answer)

    def group_sizes(self, names: Sequence[str]) -> dict[str, int]:
        """Return how many posts each group has. One round trip."""
        return groups.sizes(self.store, names)

    def ping(self) -> None:
        """Raise StoreUnavailable unless Redis answers. One round trip."""
        self.store.command("PING")


def connect(
    url: str,
    rules: Rules,
    *,
    clock: Callable[[], float] = time,
    timeout: float = TIMEOUT,
    wait_replicas: int = 0,
    read_replicas: bool = False,
) -> VotingService:
    """Return a service on what is at `url`; replies may take `timeout` s. No round trip."""
    return VotingService(connect_store(url, timeout, wait_replicas, read_replicas), rules, clock)

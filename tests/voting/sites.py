"""A voting site for tests: people, posts, and clocks that tests can set."""

from collections.abc import Callable, Iterable
from time import time

from voting.service import VotingService, connect
from voting.types import Ballot, Direction, Mix, Order, Page, Post, PostRecord, Rules, Target, Vote

ADA, BRAM, CLEO, DINA = 1, 2, 3, 4
"""Ada writes the posts. The other people read and vote."""
HOUR, DAY, WEEK = 3_600, 86_400, 604_800
PATIENT = 30
"""Timeout in seconds for a healthy Redis. It is long, because the machine may be busy."""
USUAL = Rules()


class Clock:
    """The site's clock in seconds since 1970, which tests can set.

    This clock starts at the real time, because Redis expires keys by Redis's own clock.
    """

    def __init__(self) -> None:
        self.now = int(time())

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: int) -> None:
        self.now += seconds


class Seconds:
    """A clock that tests can set, in seconds. Breakers use it to time their pauses."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def site_at(url: str, rules: Rules = USUAL, clock: Callable[[], float] = time) -> VotingService:
    """Return a voting site on the Redis at a URL, with a long timeout."""
    return connect(url, rules, timeout=PATIENT, clock=clock)


def made(
    site: VotingService,
    post_id: int,
    *,
    groups: Iterable[str] = ("python",),
    author: int = ADA,
    ago: int = 0,
    version: int = 1,
) -> Post:
    """Return an unpublished post, written `ago` seconds before now."""
    return Post(
        id=post_id,
        author_id=author,
        posted_at=site.now() - ago,
        groups=tuple(groups),
        card=f"post {post_id}, version {version}",
        version=version,
    )


def publish(
    site: VotingService,
    post_id: int,
    *,
    groups: Iterable[str] = ("python",),
    author: int = ADA,
    ago: int = 0,
    version: int = 1,
) -> Post:
    """Publish a post written `ago` seconds before now, and return the post."""
    post = made(site, post_id, groups=groups, author=author, ago=ago, version=version)
    site.posts.publish(post)
    return post


def vote(site: VotingService, person: int, post_id: int, wanted: Vote = Vote.UP) -> Ballot:
    return site.votes.cast(person, Target(post_id), wanted)


def crowd(site: VotingService, post_id: int, ups: int, downs: int = 0, first: int = 1_000) -> None:
    """Cast `ups` up votes and `downs` down votes on a post. The voters' ids start at `first`."""
    for number in range(ups + downs):
        vote(site, first + number, post_id, Vote.UP if number < ups else Vote.DOWN)


def ids(page: Page) -> list[int]:
    return [row.id for row in page.rows]


def listed(
    site: VotingService,
    order: Order = Order.NEW,
    group: str | Mix | None = None,
    direction: Direction = Direction.DESC,
) -> list[int]:
    """Read all pages of a listing, and return the posts' ids in order."""
    number, found = 1, []
    while rows := site.listings.page(order, number, group=group, direction=direction).rows:
        found += [row.id for row in rows]
        number += 1
    return found


def record(post: Post, *, ups: Iterable[int] = (ADA,), downs: Iterable[int] = ()) -> PostRecord:
    """Return a post with its voters, in the form in which the site loads posts from SQL."""
    up, down = tuple(ups), tuple(downs)
    return PostRecord(post, len(up), len(down), up, down)

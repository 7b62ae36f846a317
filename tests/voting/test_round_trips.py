"""Round trips of a page, counted by a relay (proxy) between the site and Redis."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from django.conf import settings

from tests.voting.relays import Relay, relay, server_socket
from tests.voting.sites import ADA, BRAM, CLEO, publish, site_at, vote
from voting.keys.daily import days_up_to
from voting.service import VotingService, parse_mix
from voting.types import Hiding, Order, Rules, Target, Vote
from voting.types.follows import FeedSources, FollowSide
from voting.types.limits import DailyVotes, RateLimit, Window
from voting.types.person_lists import PersonList

PAGE = 25
TODAY = datetime.now(UTC).date()
LIMIT = RateLimit("u9", "vote", (Window(10_000, 60),))
DAILY = DailyVotes(on_author=100, down=20, down_on_author=10)
FEED = FeedSources((ADA, CLEO), ("python", "redis"))


@pytest.fixture
def line(site: VotingService) -> Iterator[Relay]:
    """A relay (proxy) to the Redis of a site with two full pages of posts."""
    for post_id in range(1, 61):
        publish(site, post_id, groups=("python", "redis", "lua")[: 1 + post_id % 3])
        vote(site, BRAM, post_id, Vote.DOWN)
    with relay(server_socket()) as passing:
        yield passing


@pytest.fixture
def far(line: Relay) -> VotingService:
    """A site whose connections to Redis are already open and go through a relay (a proxy)."""
    site = site_at(line.url, Rules(page_size=PAGE))
    site.maintenance.server.ping()
    return site


Operation = Callable[[VotingService], object]
ONE_ROUND_TRIP: dict[str, Operation] = {
    "a vote": lambda site: site.votes.cast(CLEO, Target(7), Vote.UP),
    "a switch": lambda site: site.votes.cast(BRAM, Target(7), Vote.UP),
    "a vote with its row": lambda site: site.votes.cast(CLEO, Target(7), Vote.DOWN, with_row=True),
    "a vote taken back": lambda site: site.votes.cast(ADA, Target(7), Vote.NONE),
    "a new post": lambda site: publish(site, 99, groups=("python", "redis", "lua")),
    "a post changed": lambda site: publish(site, 7, groups=("web",), version=2),
    "a post retracted": lambda site: site.posts.retract(7),
    "the front page": lambda site: site.listings.page(Order.HOT, 1, viewer=BRAM),
    "a page with pinned posts": lambda site: site.listings.page(
        Order.HOT, 1, viewer=BRAM, hiding=Hiding(), pinned=(1, 2)
    ),
    "page 2 of new": lambda site: site.listings.page(Order.NEW, 2, viewer=BRAM),
    "a page past the end": lambda site: site.listings.page(Order.HOT, 99, viewer=BRAM),
    "the top of the day": lambda site: site.listings.page(Order.TOP_DAY, 1, viewer=BRAM),
    "a group's page": lambda site: site.listings.page(Order.HOT, 1, group="python", viewer=BRAM),
    "a group's top": lambda site: site.listings.page(
        Order.TOP_WEEK, 1, group="python", viewer=BRAM
    ),
    "a mix that is built": lambda site: site.listings.page(
        Order.HOT, 1, group=parse_mix("lua+redis"), viewer=BRAM
    ),
    "the top of a mix of four": lambda site: site.listings.page(
        Order.TOP_DAY, 1, group=parse_mix("a+lua+python+redis"), viewer=BRAM
    ),
    "a post's page": lambda site: site.posts.get(7, viewer=BRAM),
    "an explanation": lambda site: site.posts.standing(7),
    "a hundred rows": lambda site: site.posts.rows(range(1, 101), viewer=BRAM),
    "the standings of a hundred": lambda site: site.posts.standings(range(1, 101)),
    "following somebody": lambda site: site.follows.set_person(BRAM, ADA, 100.0),
    "how many follow": lambda site: site.follows.counts(ADA, viewer=BRAM),
    "a page of who follows": lambda site: site.follows.page(FollowSide.FOLLOWERS, ADA, 0, PAGE),
    "a feed that is built": lambda site: site.listings.feed(BRAM, 1, FEED),
    "a feed with whom to follow": lambda site: site.listings.feed(BRAM, 1, FEED, suggested=5),
    "a saved post": lambda site: site.person_lists.put(PersonList.SAVED, BRAM, 7, 100.0),
    "a page of what was saved": lambda site: site.person_lists.page(
        PersonList.SAVED, BRAM, 0, PAGE
    ),
    "a thread with the visit kept": lambda site: site.comments.thread(
        7, range(1, 101), viewer=BRAM, visitor="u2", comments=100
    ),
    "a click that counts": lambda site: site.views.count(7, "u9"),
    "a person with a page of posts": lambda site: site.people.view(
        ADA, viewer=BRAM, post_ids=range(1, 26)
    ),
    "the counters of a person": lambda site: site.people.counts(ADA),
    "the leaders of a day": lambda site: site.boards.day(TODAY, page=2),
    "the leaders of a week that is built": lambda site: site.boards.week(TODAY, group="lua"),
    "being here": lambda site: site.activity.record(ADA),
    "a year of one person": lambda site: site.activity.days_of(ADA, days_up_to(TODAY, 366)),
    "a rate limit": lambda site: site.limits.check(LIMIT),
    "a rate-limited vote": lambda site: site.votes.cast(CLEO, Target(8), Vote.UP, limit=LIMIT),
    "a vote with limits a day": lambda site: site.votes.cast(
        CLEO, Target(8), Vote.DOWN, limit=LIMIT, daily=DAILY
    ),
    "the sizes of groups": lambda site: site.groups.sizes(["python", "redis", "lua"]),
}


@pytest.mark.parametrize("operation", ONE_ROUND_TRIP.values(), ids=ONE_ROUND_TRIP.keys())
def test_one_round_trip_is_enough(line: Relay, far: VotingService, operation: Operation) -> None:
    operation(site_at(settings.REDIS_URL))  # the server has loaded the scripts now
    with line.counting():
        operation(far)
    assert line.round_trips == 1


def test_unknown_script_takes_two_round_trips(line: Relay, far: VotingService) -> None:
    far.store.command("SCRIPT", "FLUSH")
    with line.counting():
        assert vote(far, CLEO, 7).changed
    assert line.round_trips == 2, "the counter distinguishes one from two"


def test_a_page_of_25_with_own_votes_is_one_small_reply(line: Relay, far: VotingService) -> None:
    far.listings.page(Order.HOT, 1, viewer=BRAM)
    with line.counting():
        page = far.listings.page(Order.HOT, 1, viewer=BRAM)
    assert len(page.rows) == PAGE
    assert all(row.vote is Vote.DOWN for row in page.rows)
    cards = sum(len(row.card) for row in page.rows)
    assert line.bytes_back - cards < PAGE * 130, "a row has about a hundred bytes besides its card"


def test_parallel_pages_send_only_their_own_calls(line: Relay, far: VotingService) -> None:
    far.listings.page(Order.NEW, 1)  # the server has loaded the script now
    with line.counting():
        for number in (1, 2):
            far.listings.page(Order.NEW, number, viewer=BRAM)
    assert line.round_trips == 2

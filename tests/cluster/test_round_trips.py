"""Round trips of voting and listings on a cluster."""

import pytest

from tests.cluster.nodes import Cluster
from tests.cluster.turns import Line
from tests.voting.comments import POST, comment
from tests.voting.sites import BRAM, CLEO, publish, site_at, vote
from tests.voting.test_comment_round_trips import ONE_ROUND_TRIP as ABOUT_COMMENTS
from tests.voting.test_round_trips import DAILY, LIMIT, ONE_ROUND_TRIP, PAGE, Operation
from voting import keys
from voting.service import VotingService, parse_mix
from voting.types import Direction, Hiding, Order, Rules, Target, Vote
from voting.types.limits import NO_DAILY_LIMITS, DailyVotes
from voting.types.person_lists import PersonList

pytestmark = pytest.mark.cluster
MOST = 3
EXACT = {
    "a vote": 2,
    "a switch": 2,
    "a vote with its row": 2,
    "a new post": 2,
    "a post retracted": 2,
    "the front page": 2,
    "a page with pinned posts": 2,
    "the top of the day": 2,
    "a group's page": 2,
    "a mix that is built": 2,
    "a feed that is built": 2,
    "a feed with whom to follow": 2,
    "a person with a page of posts": 1,
    "a post's page": 2,
    "a thread with the visit kept": 2,
    "a hundred rows": 1,
    "a vote on a comment": 1,
    "a thread of a thousand with own votes": 2,
    "a page of newest comments": 1,
    "following somebody": 1,
    "a saved post": 1,
    "being here": 1,
}
"""The exact number of round trips of the most important operations, by description.

All other operations may take at most `MOST` round trips.
"""


@pytest.fixture(scope="module")
def far(shared: Cluster) -> VotingService:
    """A voting service with two full pages of posts, a long thread and open connections."""
    site = site_at(shared.url, Rules(page_size=PAGE))
    site.maintenance.generations.open()
    for post_id in range(1, 61):
        publish(site, post_id, groups=("python", "redis", "lua")[: 1 + post_id % 3])
        vote(site, BRAM, post_id, Vote.DOWN)
    publish(site, POST)
    site.comments.publish(*(comment(site, number) for number in range(1, 1_001)))
    page = site.comments.newest(POST, count=1)
    everything = [(number, 1, f"comment {number}") for number in range(1_000, 0, -1)]
    site.comments.fill_newest(POST, str(page.filler), everything, floor=0)
    return site


ALSO: dict[str, Operation] = {
    "the newest of the month": lambda site: site.listings.page(Order.TOP_MONTH, 2, viewer=BRAM),
    "the best ever, from below": lambda site: site.listings.page(
        Order.TOP_ALL, 1, viewer=BRAM, direction=Direction.ASC
    ),
    "what was viewed most": lambda site: site.listings.page(Order.VIEWS, 1, viewer=BRAM),
    "where people talk": lambda site: site.listings.page(
        Order.ACTIVE, 1, group="python", viewer=BRAM
    ),
    "in both of two groups": lambda site: site.listings.page(
        Order.NEW, 1, group=parse_mix("lua&redis"), viewer=BRAM
    ),
    "in one and not the other": lambda site: site.listings.page(
        Order.NEW, 1, group=parse_mix("redis~lua"), viewer=BRAM
    ),
    "what is unread": lambda site: site.listings.page(
        Order.NEW, 1, viewer=BRAM, hiding=Hiding(posts=True, read=True)
    ),
    "whom two follow": lambda site: site.people.view(CLEO, viewer=BRAM, compared=True),
    "what a feed is made of": lambda site: site.follows.feed_sources(BRAM),
    "the groups that are hidden": lambda site: site.person_lists.hidden_groups(BRAM),
    "the groups that are followed and hidden": lambda site: site.follows.chosen_groups(BRAM),
    "what was viewed": lambda site: site.person_lists.page(PersonList.VIEWED, BRAM, 0, PAGE),
}
OPERATIONS = ONE_ROUND_TRIP | ABOUT_COMMENTS | ALSO


@pytest.mark.parametrize("what", OPERATIONS)
def test_nothing_takes_more_than_three_round_trips_on_a_cluster(
    line: Line, far: VotingService, what: str
) -> None:
    publish(far, POST, version=2)  # one of the requests retracts the post
    OPERATIONS[what](far)  # the servers have loaded the scripts now
    with line.counting():
        OPERATIONS[what](far)
    assert line.round_trips <= EXACT.get(what, MOST)


def test_vote_takes_two_round_trips(line: Line, far: VotingService) -> None:
    for person in (800, 801):
        with line.counting():
            assert vote(far, person, 8).changed
    assert line.round_trips == 2


LIMITED = {"a post": (Target(8), 3), "a comment": (Target(POST, 9), 2)}


@pytest.mark.parametrize(
    ("daily", "people"),
    [(NO_DAILY_LIMITS, (900, 901)), (DAILY, (902, 903))],
    ids=["", "with limits a day"],
)
@pytest.mark.parametrize(("on", "taken"), LIMITED.values(), ids=LIMITED.keys())
def test_rate_limited_vote_takes_three_round_trips(
    line: Line,
    far: VotingService,
    on: Target,
    taken: int,
    daily: DailyVotes,
    people: tuple[int, int],
) -> None:
    for person in people:
        with line.counting():
            assert far.votes.cast(person, on, Vote.UP, limit=LIMIT, daily=daily).changed
    assert line.round_trips == taken
    with line.counting():
        assert not far.votes.cast(people[1], on, Vote.UP, limit=LIMIT, daily=daily).changed
    assert line.round_trips == MOST, "the unused hit is removed"


def test_posts_people_and_rankings_are_on_different_servers(shared: Cluster) -> None:
    tags = {
        "posts": [keys.post(one) for one in range(keys.SHARDS)],
        "people": [keys.generation(one) for one in keys.people.tags()],
    }
    for what, spelled in tags.items():
        ports = [shared.master_of(key).port for key in spelled]
        shares = sorted(ports.count(port) for port in set(ports))
        assert len(shares) == 3, f"{what} are on every server"
        assert shares[0] >= keys.SHARDS // 6, f"{what} are spread: {shares}"
    ranks = shared.master_of(keys.ranking(Order.HOT)).port
    assert any(shared.master_of(key).port != ranks for key in tags["posts"])

"""How often a page waits for a cluster: the turns between speaking to servers and hearing them."""

import pytest

from tests.cluster.lines import Line
from tests.cluster.nodes import Cluster
from tests.voting.sites import BRAM, CLEO, publish, vote
from tests.voting.talk import POST, comment
from tests.voting.test_comment_round_trips import ONE_ROUND_TRIP as ABOUT_COMMENTS
from tests.voting.test_round_trips import ONE_ROUND_TRIP, PAGE
from voting import keys
from voting.service import VotingService, connect
from voting.types import Hiding, Order, Rules, Target, Vote
from voting.types.limits import Pace, Window
from voting.types.lists import Kept

pytestmark = pytest.mark.cluster
MOST = 3
EXACT = {
    "a vote": 2,
    "a switch": 2,
    "a new post": 2,
    "a post retracted": 2,
    "the front page": 2,
    "the top of the day": 2,
    "a group's page": 2,
    "a mix that is built": 2,
    "a feed that is built": 2,
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
"""Round trips of those that matter; the others take `MOST` or fewer."""


@pytest.fixture(scope="module")
def far(shared: Cluster) -> VotingService:
    """A site with two full pages and a long thread, which has been spoken to before."""
    site = connect(shared.url, Rules(page_size=PAGE))
    site.upkeep.open_store()
    for post_id in range(1, 61):
        publish(site, post_id, groups=("python", "redis", "lua")[: 1 + post_id % 3])
        vote(site, BRAM, post_id, Vote.DOWN)
    publish(site, POST)
    site.comments.publish(*(comment(site, number) for number in range(1, 1_001)))
    page = site.comments.newest(POST, count=1)
    everything = [(number, 1, f"comment {number}") for number in range(1_000, 0, -1)]
    site.comments.fill(POST, str(page.filler), everything, floor=0)
    return site


ASKED = ONE_ROUND_TRIP | ABOUT_COMMENTS


@pytest.mark.parametrize("what", ASKED)
def test_on_a_cluster_nothing_takes_more_than_three(
    line: Line, far: VotingService, what: str
) -> None:
    far.restore(POST)  # one of them takes it back
    ASKED[what](far)  # the servers know the scripts by now
    with line.counting():
        ASKED[what](far)
    assert line.round_trips <= EXACT.get(what, MOST)


def test_a_vote_takes_two(line: Line, far: VotingService) -> None:
    for person in (800, 801):
        with line.counting():
            assert vote(far, person, 8).changed
    assert line.round_trips == 2


def test_a_vote_that_is_limited_takes_three(line: Line, far: VotingService) -> None:
    pace = Pace("vote", "u9", (Window(100, 60),))
    for person in (900, 901):
        with line.counting():
            assert far.cast_vote(person, Target(8), Vote.UP, pace=pace).changed
    assert line.round_trips == MOST


def test_a_page_whose_hidden_rows_are_filled_up_takes_three(line: Line, far: VotingService) -> None:
    for post_id in range(40, 50):
        far.lists.put(Kept.HIDDEN, CLEO, post_id, 100.0)
    far.lists.hide_group(CLEO, "lua", True)
    hiding = Hiding(posts=True)
    far.listing(Order.NEW, 1, viewer=CLEO, hiding=hiding)
    with line.counting():
        page = far.listing(Order.NEW, 1, viewer=CLEO, hiding=hiding)
    assert line.round_trips == MOST
    assert len(page.rows) == PAGE
    assert not any("lua" in row.groups or row.id in range(40, 50) for row in page.rows)


def test_posts_people_and_rankings_do_not_sit_on_one_server(shared: Cluster) -> None:
    tags = {
        "posts": [keys.post(one) for one in range(keys.SHARDS)],
        "people": [keys.generation(one) for one in keys.people.tags()],
    }
    for what, spelled in tags.items():
        held = [shared.master_of(key).port for key in spelled]
        shares = sorted(held.count(port) for port in set(held))
        assert len(shares) == 3, f"{what} are on every server"
        assert shares[0] >= keys.SHARDS // 6, f"{what} are spread: {shares}"
    ranks = shared.master_of(keys.ranking(Order.HOT)).port
    assert any(shared.master_of(key).port != ranks for key in tags["posts"])

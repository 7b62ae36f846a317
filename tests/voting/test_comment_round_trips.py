"""Round trips of a thread's pages, counted by a relay (proxy) between the site and Redis."""

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings

from tests.voting.comments import POST, comment, publish_comment
from tests.voting.relays import Relay, relay, server_socket
from tests.voting.sites import BRAM, CLEO, publish, site_at
from voting.service import VotingService
from voting.types import Target, Vote

EMPTY = POST + 1
"""A post for which Redis lacks the list of newest comments."""


@pytest.fixture
def line(site: VotingService) -> Iterator[Relay]:
    """A relay (proxy) to the Redis of a site with a long thread."""
    publish(site, POST)
    publish(site, EMPTY)
    site.comments.publish(*(comment(site, number) for number in range(1, 1_001)))
    page = site.comments.newest(POST, count=1)
    everything = [(number, 1, f"comment {number}") for number in range(1_000, 0, -1)]
    site.comments.fill_newest(POST, str(page.filler), everything, floor=0)
    with relay(server_socket()) as passing:
        yield passing


@pytest.fixture
def far(line: Relay) -> VotingService:
    """A site that has connected to Redis through the relay (a proxy)."""
    site = site_at(line.url)
    site.maintenance.server.ping()
    return site


Operation = Callable[[VotingService], object]
ONE_ROUND_TRIP: dict[str, Operation] = {
    "a vote on a comment": lambda site: site.votes.cast(CLEO, Target(POST, 5), Vote.UP),
    "a new comment": lambda site: publish_comment(site, 1_001),
    "fifty comments": lambda site: site.comments.publish(
        *(comment(site, number, version=2) for number in range(1, 51))
    ),
    "a comment taken back": lambda site: site.comments.retract(POST, 5, 2),
    "a thread of a thousand with own votes": lambda site: site.comments.thread(
        POST, range(1, 1_001), viewer=BRAM
    ),
    "tallies of a thousand": lambda site: site.comments.tallies(POST, range(1, 1_001), viewer=BRAM),
    "comments of two posts with own votes": lambda site: site.comments.states(
        [Target(POST, 5), Target(EMPTY, 6)], BRAM
    ),
    "a page of newest comments": lambda site: site.comments.newest(POST, count=26),
    "a page further down": lambda site: site.comments.newest(POST, before=500, count=26),
    "a look at fifty": lambda site: site.maintenance.inspection.comments(
        [Target(POST, n) for n in range(50)]
    ),
}


@pytest.mark.parametrize("operation", ONE_ROUND_TRIP.values(), ids=ONE_ROUND_TRIP.keys())
def test_one_round_trip_is_enough(line: Relay, far: VotingService, operation: Operation) -> None:
    operation(site_at(settings.REDIS_URL))  # the server has loaded the scripts now
    with line.counting():
        operation(far)
    assert line.round_trips == 1


def test_newest_comments_are_filled_in_two_round_trips(line: Relay, far: VotingService) -> None:
    """The first round trip writes 200 of the 300 comments; the second writes the last 100."""
    page = far.comments.newest(EMPTY, count=1)
    found = [(number, 1, f"comment {number}") for number in range(300, 0, -1)]
    with line.counting():
        assert far.comments.fill_newest(EMPTY, str(page.filler), found, floor=0)
    assert line.round_trips == 2
    assert [one.id for one in far.comments.newest(EMPTY, count=300).comments] == [
        number for number, _, _ in found
    ]


def test_no_comments_need_no_round_trip(line: Relay, far: VotingService) -> None:
    with line.counting():
        far.comments.publish()
        assert far.comments.tallies(POST, []) == {}
    assert line.round_trips == 0

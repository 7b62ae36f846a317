"""When a site moves to a new server, keys that can't be filled from SQL are copied."""

import pytest
from redis import Redis

from tests.voting.servers import Server
from tests.voting.sites import BRAM, DAY, Clock, publish, site_at, vote
from tests.voting.stored_state import contents
from tests.voting.test_limits import of, wait
from tests.voting.test_person_lists import viewed, visit
from voting.keys import people
from voting.service import VotingService


@pytest.fixture
def new(server: Server, clock: Clock) -> VotingService:
    """A site with the same clock as `site`, but on another Redis server."""
    service = site_at(server.url, clock=clock)
    service.maintenance.generations.open()
    return service


def test_history_is_copied_with_its_expiry(
    site: VotingService, new: VotingService, redis: Redis, server: Server, clock: Clock
) -> None:
    for post_id in (7, 8):
        visit(site, post_id, comments=3, who=BRAM)
    assert site.maintenance.server.copy_to(new.maintenance.server) == 2
    assert viewed(new, BRAM) == viewed(site, BRAM) == [8, 7]
    key = people.viewed(BRAM)
    with server.plain() as plain:
        assert plain.pexpiretime(key) == redis.pexpiretime(key)
    clock.advance(DAY)
    assert visit(new, 7, comments=5, who=BRAM) == clock.now - DAY


def test_visitors_of_today_are_copied(site: VotingService, new: VotingService) -> None:
    publish(site, 7)
    publish(new, 7)
    assert site.views.count(7, "bram")
    site.maintenance.server.copy_to(new.maintenance.server)
    assert not new.views.count(7, "bram")
    assert new.views.count(7, "cleo")


def test_rate_limits_are_copied(site: VotingService, new: VotingService, clock: Clock) -> None:
    assert wait(site, of(BRAM)) == 0
    site.maintenance.server.copy_to(new.maintenance.server)
    assert wait(new, of(BRAM)) == 5
    clock.advance(5)
    assert wait(new, of(BRAM)) == 0


def test_nothing_else_is_copied_and_repeating_changes_nothing(
    site: VotingService, new: VotingService, server: Server, clock: Clock
) -> None:
    publish(site, 7)
    vote(site, BRAM, 7)
    visit(site, 7, who=BRAM)
    with server.plain() as plain:
        site.maintenance.server.copy_to(new.maintenance.server)
        once = contents(plain)
        of_the_store = ("generation", "rules", "vote_seconds")
        carried = {key for key in once if not key.partition("}:")[2].startswith(of_the_store)}
        assert carried == {people.viewed(BRAM), people.seen(BRAM)}
        site.maintenance.server.copy_to(new.maintenance.server)
        assert contents(plain) == once
    clock.advance(DAY)
    assert viewed(new, BRAM) == [7]

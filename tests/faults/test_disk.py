"""While the disk is full, the embedded Valkey refuses votes, and pages still work."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.disks import fill, small_disk
from tests.start.site import Site, serving
from tests.voting.servers import Server, own_server
from tests.voting.sites import publish, vote
from tests.voting.stored_state import assert_fits, voters
from tests.waiting import until
from voting.errors import StoreUnavailable
from voting.service import VotingService
from voting.types import Order

pytestmark = pytest.mark.faults
SIZE, SITE = 32 << 20, 96 << 20
PAGES = (
    "",
    "new",
    "top",
    "active",
    "about",
    "groups",
    "leaders",
    "comments",
    "nowhere",
    "p/1",
    "p/99999",
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", SIZE) as place:
        yield place


def vote_until_refused(site: VotingService) -> list[int]:
    """Cast votes by new people until Valkey refuses one. Return the ids of the accepted voters."""
    voters: list[int] = []

    def refused() -> bool:
        person = 8 + len(voters)
        try:
            vote(site, person, 7)
        except StoreUnavailable:
            return True
        voters.append(person)
        return False

    until(refused, "votes are refused")
    return voters


@pytest.mark.short
def test_a_full_disk_refuses_votes_until_there_is_room_again(disk: Path) -> None:
    with own_server(disk) as server:
        site = server.opened()
        publish(site, 7)
        stuffing = fill(disk)
        acknowledged = vote_until_refused(site)
        with pytest.raises(StoreUnavailable):
            vote(site, 99_000, 7)
        assert [row.id for row in server.asked_again().listings.page(Order.HOT, 1).rows] == [7]
        stuffing.unlink()
        until(lambda: vote(site, 99_001, 7).changed, "votes are accepted again")
        server.kill()
        server.start()
        assert_kept(server, {*acknowledged, 99_001})


def test_with_fsync_always_a_full_disk_loses_no_acknowledged_vote(disk: Path) -> None:
    with own_server(disk, "always") as server:
        site = server.opened()
        publish(site, 7)
        stuffing = fill(disk)
        acknowledged = vote_until_refused(site)
        until(lambda: not server.running.alive(), "Valkey stops")
        stuffing.unlink()
        server.start()
        assert_kept(server, set(acknowledged))


def assert_kept(server: Server, people: set[int]) -> None:
    """Assert that Redis has an up vote by each of these people, and that its data is consistent."""
    with server.plain() as plain:
        ups, downs = voters(plain, 7)
        assert people <= ups
        assert not downs
        assert_fits(plain, server.asked_again(), [7])


def web_process(up: subprocess.Popen[bytes]) -> int:
    """Return the pid of the site's web process, or 0 if there is none."""
    return next(iter(serving(up)), 0)


def test_web_processes_work_on_a_full_disk_and_are_replaced_if_they_die(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", SITE) as disk:
        site = Site(disk / "data", says=tmp_path / "said")
        with site.up() as up:
            first = web_process(up)
            stuffing = fill(disk)
            for path in (*PAGES, *(f"{page}?" for page in PAGES)):
                site.answers(path)
            assert site.answers("about")
            assert web_process(up) == first, "none has died"
            os.kill(first, signal.SIGKILL)
            until(lambda: web_process(up) != first and site.answers(), "another answers")
            assert site.answers("about")
            assert site.answers("metrics")
            stuffing.unlink()

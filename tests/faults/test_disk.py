"""The disk of the embedded Valkey full: votes are refused, pages come, and it heals by itself.

What a person saw: the lists as ever, and for a vote 503 with "Voting is temporarily unavailable.
Your vote was not counted." A second after there was room again votes counted. A
kill -9 while the disk is full loses nothing: voting closes while some of the room that was reserved
is left. (Before it did, the vote that met the full disk was acknowledged, and lost to a kill.)

The disk of a whole site full: web processes go on, and new ones take the place of those that die.
(Metrics are files in memory; on the full disk, writing to them killed both.)
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.disks import PIECE, fill, small_disk
from tests.start.test_up import Site, serving
from tests.voting.looks import assert_fits, voters
from tests.voting.servers import Server, own_server, until
from tests.voting.sites import publish, vote
from voting.embedded.appendonly import journals
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


@pytest.fixture(params=["everysec", "always"])
def server(disk: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    with own_server(disk, request.param) as own:
        yield own


def vote_until_refused(site: VotingService) -> list[int]:
    """Vote as one person after another, until the disk can take no more; return who voted."""
    told: list[int] = []

    def refused() -> bool:
        person = 8 + len(told)
        try:
            vote(site, person, 7)
        except StoreUnavailable:
            return True
        told.append(person)
        return False

    until(refused, "votes are refused")
    return told


def test_a_full_disk_refuses_votes_until_there_is_room_again(disk: Path, server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    stuffing = fill(disk)
    told = vote_until_refused(site)
    with pytest.raises(StoreUnavailable):
        vote(site, 99_000, 7)
    assert [row.id for row in server.asked_again().listing(Order.HOT, 1).rows] == [7]
    stuffing.unlink()
    until(lambda: vote(site, 99_001, 7).changed, "votes are taken again")
    server.kill()
    server.start()
    with server.plain() as plain:
        ups, downs = voters(plain, 7)
        assert set(told) | {99_001} <= ups
        assert 99_000 not in ups
        assert not downs
        assert_fits(plain, server.asked_again(), [7])


def test_a_kill_while_the_disk_is_full_loses_no_acknowledged_vote(
    disk: Path, server: Server
) -> None:
    site = server.opened()
    publish(site, 7)
    for _ in range(3):
        stuffing = fill(disk)
        told = vote_until_refused(site)
        server.kill()
        stuffing.unlink()
        server.start()
        site = server.asked_again()
        with server.plain() as plain:
            ups, _ = voters(plain, 7)
            assert set(told) <= ups
            assert_fits(plain, site, [7])


def test_voting_closes_before_the_server_meets_the_full_disk(disk: Path, server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    stuffing = fill(disk)
    vote_until_refused(site)
    with server.plain() as plain:
        state = plain.info("persistence")
        assert state["aof_last_write_status"] == "ok"
        assert server.running.alive()
    stuffing.unlink()
    until(lambda: vote(site, 99_001, 7).changed, "voting opens by itself")


def test_what_is_reserved_is_not_part_of_the_file(server: Server) -> None:
    publish(server.opened(), 7)
    state = journals(server.directory)[-1].stat()
    assert state.st_size < PIECE * 16
    assert state.st_blocks * 512 > SIZE // 20
    server.kill()
    server.start()
    assert [row.id for row in server.asked_again().rows([7])] == [7]


def web_process(up: subprocess.Popen[bytes]) -> int:
    """Return the pid of the process that answers; 0 while there is none."""
    return next(iter(serving(up)), 0)


def test_on_a_full_disk_web_processes_go_on_and_are_replaced_where_they_die(
    tmp_path: Path,
) -> None:
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

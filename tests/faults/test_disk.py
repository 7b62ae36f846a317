"""The disk of the embedded Valkey full: votes are refused, pages come, and it heals by itself.

What a person saw: the lists as ever, and for a vote 503 with "Voting is resting for a moment and
your vote was not counted. Try again soon." A second after there was room again votes counted. One
thing is not promised: the vote that found the disk full first is in memory only until then, so that
a kill -9 in that time loses it.
"""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.voting.looks import assert_fits, voters
from tests.voting.servers import Server, own_server, until
from tests.voting.sites import publish, vote
from voting.errors import StoreUnavailable
from voting.types import Order

pytestmark = pytest.mark.faults
SIZE, PIECE = 4 << 20, 4_096


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB; needs the right to mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("may not mount a small disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def server(disk: Path) -> Iterator[Server]:
    with own_server(disk) as own:
        yield own


def fill(disk: Path) -> Path:
    """Write until there is no room."""
    stuffing = disk / "stuffing"
    with suppress(OSError), stuffing.open("wb", buffering=0) as file:
        while file.write(bytes(PIECE)) == PIECE:
            pass
    return stuffing


def test_a_full_disk_refuses_votes_until_there_is_room_again(disk: Path, server: Server) -> None:
    site = server.opened()
    publish(site, 7)
    stuffing = fill(disk)
    told = [7]

    def refused() -> bool:
        """Vote until the disk can take no more."""
        person = told[-1] + 1
        try:
            vote(site, person, 7)
        except StoreUnavailable:
            return True
        told.append(person)
        return False

    until(refused, "votes are refused", seconds=20)
    with pytest.raises(StoreUnavailable):
        vote(site, 99_000, 7)
    assert [row.id for row in server.asked_again().listing(Order.HOT, 1).rows] == [7]
    stuffing.unlink()
    until(lambda: vote(site, 99_001, 7).changed, "votes are taken again")
    server.kill()
    server.start()
    with server.plain() as plain:
        ups, downs = voters(plain, 7)
        assert set(told[1:]) | {99_001} <= ups
        assert 99_000 not in ups
        assert not downs
        assert_fits(plain, server.asked_again(), [7])

"""If its files are damaged, the embedded Valkey doesn't start, and an error says what to do."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.start.members import run
from tests.start.site import Site
from tests.start.test_embedded import client
from voting.embedded import aof
from voting.embedded.recovery import accept_loss
from voting.embedded.valkey import start
from voting.errors import DamagedFilesError

VOTES = 200


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """The data directory of a stopped Valkey server, which has stored two keys for each vote."""
    directory = tmp_path / "valkey"
    server = start(directory)
    with client(directory) as redis:
        for number in range(VOTES):
            redis.mset({f"vote:{number}": "up", f"tally:{number}": "1"})
    server.stop()
    yield directory
    accept_loss(directory)
    start(directory).stop()


def commands(directory: Path) -> Path:
    """Return the path of Valkey's append-only file."""
    (file,) = aof.command_files(directory)
    return file


def cut_end(directory: Path) -> Path:
    """Remove the last bytes of the append-only file."""
    file = commands(directory)
    os.truncate(file, file.stat().st_size - 7)
    return file


def corrupt(directory: Path) -> Path:
    """Flip all bits of 20 bytes in the middle of the append-only file, where a command starts."""
    file = commands(directory)
    content = bytearray(file.read_bytes())
    middle = content.index(b"\r\n*", len(content) // 2)
    content[middle : middle + 20] = bytes(byte ^ 0xFF for byte in content[middle : middle + 20])
    file.write_bytes(content)
    return file


def test_an_end_lost_in_a_power_cut_is_reported_and_nothing_is_cut(place: Path) -> None:
    file = cut_end(place)
    size = file.stat().st_size
    for _ in range(2):
        with pytest.raises(DamagedFilesError) as refused:
            start(place)
        message = str(refused.value)
        assert f"Unexpected end of file reading the append only file {file.name}" in message
        assert "manage.py restore FOLDER" in message
        assert "manage.py up --accept-loss" in message
    assert file.stat().st_size == size, "nothing was cut"


def test_flipped_bytes_in_the_middle_are_reported_and_nothing_is_cut(place: Path) -> None:
    file = corrupt(place)
    before = file.read_bytes()
    with pytest.raises(DamagedFilesError, match="The votes on disk are damaged"):
        start(place)
    assert file.read_bytes() == before


@pytest.mark.parametrize("damage", [corrupt, cut_end])
def test_accepting_the_loss_keeps_readable_votes_and_a_copy_of_the_files(
    place: Path, damage: Callable[[Path], Path]
) -> None:
    before = damage(place).read_bytes()
    aside = accept_loss(place)
    assert aside is not None
    assert (aside / commands(place).name).read_bytes() == before
    start(place)
    with client(place) as redis:
        kept = redis.dbsize()
        assert 0 < kept < 2 * VOTES
        assert kept % 2 == 0, "a command is there as a whole or not at all"


@pytest.mark.parametrize("spoiled", ["*.base.rdb", aof.MANIFEST])
def test_if_nothing_can_be_read_accepting_the_loss_starts_an_empty_server(
    place: Path, spoiled: str
) -> None:
    (file,) = (place / aof.FOLDER).glob(spoiled)
    file.write_bytes(b"\xff" * 60)
    with pytest.raises(DamagedFilesError):
        start(place)
    assert accept_loss(place)
    start(place)
    with client(place) as redis:
        assert redis.dbsize() == 0


def test_accepting_a_loss_changes_nothing_if_nothing_is_damaged(place: Path) -> None:
    assert accept_loss(place) is None
    assert not list(place.glob("damaged-*"))


@pytest.mark.faults
def test_damaged_site_says_what_to_do_and_is_restored_from_sql(tmp_path: Path) -> None:
    """SQL has all votes of this site, because the demo content's votes are archived."""
    site = Site(tmp_path / "data")
    with site.up():
        run(site, "check_voting")
    corrupt(tmp_path / "data" / "valkey")
    run(site, "up", code=1)
    assert "The votes on disk are damaged" in site.output()
    with site.up("--accept-loss"):
        assert "The damaged files are in" in site.output()
        assert "and the votes on them from SQL." in site.output()
        run(site, "check_voting", "--deep")
    assert site.output().count("Redis and SQL agree") == 2

"""Damaged files of the embedded Valkey: never cut in silence, and a way to go on without them."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.start.test_up import Site
from tests.voting.servers import until
from voting.embedded import appendonly
from voting.embedded.mending import accept_loss
from voting.embedded.sockets import socket_url
from voting.embedded.valkey import start
from voting.errors import EmbeddedError

VOTES = 200


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """The folder of a server that has taken votes, each with two keys, and has ended."""
    directory = tmp_path / "valkey"
    server = start(directory)
    with client(directory) as redis:
        for number in range(VOTES):
            redis.mset({f"vote:{number}": "up", f"tally:{number}": "1"})
    server.stop()
    yield directory
    (directory / appendonly.MARK).unlink(missing_ok=True)
    accept_loss(directory)
    start(directory).stop()


def client(directory: Path) -> Redis:
    """Return a client of the server with data in `directory`."""
    return Redis.from_url(socket_url(directory, 0), decode_responses=True)


def journal(directory: Path) -> Path:
    """Return the file of commands."""
    (file,) = (directory / appendonly.FOLDER).glob(appendonly.JOURNALS)
    return file


def lose_end(directory: Path, missing: int) -> Path:
    """Lose the last bytes, as a power cut does: what is younger than a second."""
    (directory / appendonly.SEALS).unlink()
    file = journal(directory)
    os.truncate(file, file.stat().st_size - missing)
    return file


def power_cut(directory: Path) -> None:
    """Let it seem that the machine was started again since."""
    (directory / appendonly.MARK).write_text("another run of the machine")


def spoil(directory: Path) -> Path:
    """Flip bytes in the middle of the file of commands, and not within a value, where the server
    could not see it.
    """
    file = journal(directory)
    content = bytearray(file.read_bytes())
    middle = content.index(b"\r\n*", len(content) // 2)
    content[middle : middle + 20] = bytes(byte ^ 0xFF for byte in content[middle : middle + 20])
    file.write_bytes(content)
    return file


def flip_a_vote(directory: Path) -> Path:
    """Change a byte within a value, which leaves the file readable."""
    file = journal(directory)
    content = file.read_bytes()
    file.write_bytes(content.replace(b"$2\r\nup", b"$2\r\nuq", 1))
    return file


def sealed(directory: Path) -> int:
    """Return how many bytes of the file of commands are known."""
    file = directory / appendonly.SEALS
    return int(file.read_text().split()[1]) if file.exists() else 0


def test_an_end_that_a_power_cut_took_is_reported_and_nothing_is_cut(place: Path) -> None:
    file = lose_end(place, 7)
    power_cut(place)
    size = file.stat().st_size
    for _ in range(2):
        with pytest.raises(EmbeddedError) as refused:
            start(place)
        said = str(refused.value)
        assert f"{file} has {size} bytes, and can be read up to byte" in said
        assert "manage.py restore FOLDER" in said
        assert "manage.py up --accept-loss" in said
    assert file.stat().st_size == size, "nothing was cut"


def test_flipped_bytes_in_the_middle_are_reported_and_nothing_is_cut(place: Path) -> None:
    file = spoil(place)
    before = file.read_bytes()
    with pytest.raises(EmbeddedError, match="The votes on disk are damaged"):
        start(place)
    assert file.read_bytes() == before


def test_a_byte_flipped_within_a_value_is_reported_and_nothing_is_cut(place: Path) -> None:
    before = flip_a_vote(place).read_bytes()
    for _ in range(2):
        with pytest.raises(EmbeddedError, match="are not what was written there"):
            start(place)
    assert journal(place).read_bytes() == before


def test_whole_commands_missing_at_the_end_are_reported(place: Path) -> None:
    file = journal(place)
    os.truncate(file, file.read_bytes().rindex(b"\r\n*") + 2)
    with pytest.raises(EmbeddedError, match="are not what was written there"):
        start(place)


def test_who_accepts_a_changed_byte_keeps_the_files_as_they_were_found(place: Path) -> None:
    before = flip_a_vote(place).read_bytes()
    said = accept_loss(place)
    assert said is not None
    (aside,) = place.glob("damaged-*")
    assert (aside / journal(place).name).read_bytes() == before
    start(place)
    with client(place) as redis:
        assert redis.dbsize() == 2 * VOTES


@pytest.mark.long
def test_what_was_written_long_before_a_kill_is_known_too(place: Path) -> None:
    server = start(place)
    with client(place) as redis:
        redis.set("vote:last", "up")
    written = journal(place).stat().st_size
    until(lambda: sealed(place) >= written, "the vote is sealed")
    os.kill(server.pid, signal.SIGKILL)
    until(lambda: not server.alive(), "it is dead")
    server.let_go()
    content = journal(place).read_bytes()
    journal(place).write_bytes(content.replace(b"vote:last\r\n$2\r\nup", b"vote:last\r\n$2\r\nno"))
    with pytest.raises(EmbeddedError, match="are not what was written there"):
        start(place)


def test_who_accepts_the_loss_keeps_what_can_be_read_and_the_damaged_files(place: Path) -> None:
    before = spoil(place).read_bytes()
    said = accept_loss(place)
    assert said is not None
    (aside,) = place.glob("damaged-*")
    assert str(aside) in said
    assert (aside / journal(place).name).read_bytes() == before
    start(place)
    with client(place) as redis:
        kept = redis.dbsize()
        assert 0 < kept < 2 * VOTES
        assert kept % 2 == 0, "a command is there as a whole or not at all"


@pytest.mark.parametrize("spoiled", ["*.base.rdb", appendonly.MANIFEST])
def test_where_nothing_can_be_read_who_accepts_that_begins_with_an_empty_server(
    place: Path, spoiled: str
) -> None:
    (file,) = (place / appendonly.FOLDER).glob(spoiled)
    file.write_bytes(b"\xff" * 60)
    with pytest.raises(EmbeddedError, match="can be read up to byte 0"):
        start(place)
    assert accept_loss(place)
    start(place)
    with client(place) as redis:
        assert redis.dbsize() == 0


def test_the_last_command_of_a_killed_server_was_never_answered_and_is_dropped(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The machine went on, so the file has all that was answered. It is said in the log."""
    lose_end(place, 7)
    start(place)
    with client(place) as redis:
        assert redis.dbsize() == 2 * (VOTES - 1)
    assert "dropped what could not be read" in caplog.text


def test_where_nothing_is_damaged_nothing_is_accepted(place: Path) -> None:
    assert accept_loss(place) is None
    assert not list(place.glob("damaged-*"))


@pytest.mark.faults
def test_a_damaged_site_says_what_to_do_and_comes_back_with_all_that_sql_has(
    tmp_path: Path,
) -> None:
    """The files were spoiled while it was off; the demo's votes are all archived."""
    site = Site(tmp_path / "data")
    with site.up():
        assert run(site, "check_voting") == 0
    spoil(tmp_path / "data" / "valkey")
    assert run(site, "up") == 1
    assert "The votes on disk are damaged" in site.said()
    with site.up("--accept-loss"):
        assert "the damaged files are in" in site.said()
        assert "and the votes on them from SQL." in site.said()
        assert run(site, "check_voting", "--deep") == 0
    assert site.said().count("Redis and SQL agree") == 2


def run(site: Site, *arguments: str) -> int:
    """Run a command of manage.py to its end and return how it ended."""
    return site.command(*arguments).wait(timeout=120)

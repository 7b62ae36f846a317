"""One embedded Valkey runs per directory. New processes use the running Valkey. No data is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from tests.voting.servers import stand_still
from tests.waiting import until
from voting.embedded.lock import is_locked
from voting.embedded.sockets import LONGEST, socket_path, socket_url
from voting.embedded.valkey import start
from voting.errors import EmbeddedError

STARTER = """
import signal, sys
from pathlib import Path
from voting.embedded.valkey import start
print(start(Path(sys.argv[1])).pid, flush=True)
signal.pause()
"""

NAMES = ['with "quotes", spaces and #', "ω" * 60, "long" * 50, "[a] list", "[ab*?", "back\\slash"]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A directory for a Valkey server, which is stopped after the test."""
    directory = tmp_path / "valkey"
    yield directory
    if directory.exists():
        start(directory).stop()


def client(directory: Path) -> Redis:
    """Return a redis-py client of the embedded server whose data is in `directory`."""
    return Redis.from_url(socket_url(directory, 0), decode_responses=True)


def starter(directory: Path) -> subprocess.Popen[str]:
    """Start a process that starts a Valkey server in `directory` and then waits."""
    command = [sys.executable, "-c", STARTER, str(directory)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def server_pid(process: subprocess.Popen[str]) -> int:
    """Return the pid of the Valkey server that a `starter` process started."""
    assert process.stdout
    return int(process.stdout.readline())


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_server_has_the_settings_that_voting_needs(place: Path) -> None:
    server = start(place)
    with client(place) as redis:
        config = redis.config_get("*")
    assert server.alive()
    assert config["port"] == "0"
    assert config["appendonly"] == "yes"
    assert config["appendfsync"] == "everysec"
    assert config["maxmemory-policy"] == "noeviction"
    assert config["set-max-intset-entries"] == "65536"
    assert config["hash-max-listpack-value"] == "1024"
    assert config["hash-max-listpack-entries"] == "128"
    assert config["lazyfree-lazy-expire"] == "yes"
    assert socket_path(place).stat().st_mode & 0o777 == 0o700


def test_four_concurrent_starts_get_one_server(place: Path) -> None:
    starters = [starter(place) for _ in range(4)]
    pids = {server_pid(process) for process in starters}
    for process in starters:
        killed(process)
    assert len(pids) == 1


def test_orphan_is_adopted_with_its_data(place: Path) -> None:
    parent = starter(place)
    pid = server_pid(parent)
    with client(place) as redis:
        redis.set("vote", "up")
        killed(parent)
        server = start(place)
        assert server.pid == pid
        assert server.process is None
        assert redis.get("vote") == "up"
    assert server.alive()
    server.stop()
    assert not server.alive()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_or_killed_server_keeps_its_data(place: Path, number: int) -> None:
    first = start(place)
    with client(place) as redis:
        redis.set("vote", "up")
    os.kill(first.pid, number)
    until(lambda: not first.alive(), "it ends")
    second = start(place)
    with client(place) as redis:
        assert redis.get("vote") == "up"
    assert second.pid != first.pid


def test_hung_server_can_be_stopped(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.embedded.valkey.STOP_SECONDS", 0.2)
    server = start(place)
    stand_still(server.pid)
    assert server.alive()
    server.stop()
    until(lambda: not server.alive(), "it is ended")


def test_start_names_the_process_of_a_server_that_does_not_answer(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start(place)
    monkeypatch.setattr("voting.embedded.valkey.START_SECONDS", 0.1)
    stand_still(server.pid)
    try:
        with pytest.raises(EmbeddedError, match=r"end the process that .*valkey\.pid names"):
            start(place)
        assert (place / "valkey.pid").read_text().strip() == str(server.pid)
    finally:
        os.kill(server.pid, signal.SIGKILL)
        monkeypatch.undo()


def test_server_that_does_not_answer_after_its_start_is_stopped(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.embedded.valkey.START_SECONDS", 0.001)
    with pytest.raises(EmbeddedError, match="did not answer and was ended"):
        start(place)
    assert not is_locked(place)
    monkeypatch.undo()


def test_adopted_server_gets_our_fsync_setting(place: Path) -> None:
    start(place)
    start(place, "always")
    with client(place) as redis:
        assert redis.config_get("appendfsync") == {"appendfsync": "always"}


@pytest.mark.parametrize("name", NAMES)
def test_any_path_can_be_used(tmp_path: Path, name: str) -> None:
    directory = tmp_path / name / "valkey"
    server = start(directory)
    with client(directory) as redis:
        assert redis.ping()
    server.stop()
    assert (directory / "appendonlydir").is_dir()


def test_long_path_has_its_socket_in_a_short_private_directory(tmp_path: Path) -> None:
    directory = tmp_path / ("long" * 50)
    socket = socket_path(directory)
    assert socket == socket_path(directory)
    assert socket != socket_path(tmp_path / ("long" * 51))
    assert len(os.fsencode(socket)) <= LONGEST
    assert socket.parent.name == f"rostra-{os.geteuid()}"


def test_short_directory_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = os.geteuid() + 1_000_000_007
    monkeypatch.setattr(os, "geteuid", lambda: stranger)
    directory = tmp_path / ("long" * 50)
    try:
        with pytest.raises(EmbeddedError, match="belongs to another user"):
            start(directory)
    finally:
        socket_path(directory).parent.rmdir()


def test_server_that_can_not_start_says_why(place: Path) -> None:
    replace(start(place), process=None).stop()
    manifest = place / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("broken")
    with pytest.raises(EmbeddedError, match="The AOF manifest file"):
        start(place)
    manifest.unlink()

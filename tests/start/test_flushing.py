"""Who brings votes to disk: the server before it acknowledges, or this process every second."""

import os
from pathlib import Path

import pytest

from tests.voting.servers import until
from voting.embedded import appendonly, flushing, valkey


@pytest.fixture
def synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of this test brought to disk, as the operating system hears of them."""
    names: list[str] = []
    really = os.fsync

    def fsync(descriptor: int) -> None:
        file = Path(f"/proc/self/fd/{descriptor}").resolve()
        if file.is_relative_to(tmp_path):
            names.append(file.name)
        really(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return names


@pytest.mark.long
def test_what_people_did_is_brought_to_disk_again_and_again(
    tmp_path: Path, synced: list[str]
) -> None:
    server = valkey.start(tmp_path / "valkey")
    try:
        until(lambda: len(synced) >= 2, "two seconds, two syncs")
    finally:
        server.stop()
    assert set(synced) == {"appendonly.aof.1.incr.aof"}, "the file that grows"


def test_a_server_that_syncs_before_it_acknowledges_needs_nobody_else(
    tmp_path: Path, synced: list[str]
) -> None:
    server = valkey.start(tmp_path / "valkey", "always")
    try:
        until((tmp_path / "valkey" / appendonly.SEALS).exists, "its files are sealed")
        assert synced == []
    finally:
        server.stop()


def test_before_anything_was_written_there_is_nothing_to_bring(
    tmp_path: Path, synced: list[str]
) -> None:
    flushing.sync(tmp_path)
    assert synced == []

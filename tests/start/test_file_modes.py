"""Only its owner can read a site's database, keys and backups; the group can read static files."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.start.site import Site, manage

OPEN = 0o022
"""The usual umask of a shell, with which everybody can read new files."""
SHUT = 0o077
"""The umask of the units in deploy/."""


@pytest.fixture(params=[OPEN, SHUT])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """Start the test's processes with this umask."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path, pattern: str) -> set[str]:
    """Return the permissions of the files in a folder that match a pattern."""
    found = {f"{file.stat().st_mode & 0o777:o}" for file in folder.rglob(pattern) if file.is_file()}
    assert found, pattern
    return found


@pytest.mark.long
def test_only_the_owner_reads_what_is_private(tmp_path: Path, umask: int) -> None:
    site = Site(tmp_path / "data")
    with site.up("--no-demo"):
        assert modes(site.data, "forum.sqlite3*") == {"600"}, "with the write-ahead log"
        assert modes(site.data, "secret-key") == {"600"}
        assert site.command("backup").wait(timeout=120) == 0, site.output()
    assert modes(site.data / "backups", "*") == {"600"}
    for name in ("backups", "valkey"):
        assert (site.data / name).stat().st_mode & 0o777 == 0o700
    static = site.data / "static"
    assert modes(static, "*.gz") == modes(static, "*") == {"640"}
    assert {f"{path.stat().st_mode & 0o777:o}" for path in static.rglob("*/")} == {"750"}


def test_database_of_an_earlier_version_becomes_private(tmp_path: Path) -> None:
    database = tmp_path / "forum.sqlite3"
    database.touch(mode=0o644)
    database.chmod(0o644)
    assert manage(tmp_path, "check").returncode == 0
    assert database.stat().st_mode & 0o777 == 0o600

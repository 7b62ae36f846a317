"""`manage.py backup --keep` keeps the newest backups, and deletes only older backups."""

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from redis import Redis

from tests.disks import small_disk
from tests.start.members import FORGED, run
from tests.start.site import Site

pytestmark = pytest.mark.faults
SMALL = 256 << 10
MANY = 2
SLOWLY = 2_000
"""Microseconds that Valkey pauses after saving each key, so that two backups overlap."""
OLD = ("20250101-040000", "20250102-040000", "20250103-040000")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    one = Site(tmp_path_factory.mktemp("kept") / "data")
    with one.up():
        yield one


@pytest.fixture
def place(site: Site) -> Path:
    """The site's folder for backups, with three old backups and three other folders."""
    place = site.data / "backups"
    subprocess.run(["rm", "-rf", place], check=True)
    for name in (*OLD, "mine", "20250104-before-the-move"):
        (place / name).mkdir(parents=True)
        (place / name / "SHA256SUMS").touch()
    (place / "20250105-040000").mkdir()
    return place


OTHERS = {"mine", "20250104-before-the-move", "20250105-040000"}
"""Folders that `--keep` must not delete, as they have no backup's name or no checksums."""


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()} - OTHERS


def test_newest_backups_and_other_folders_are_kept(site: Site, place: Path) -> None:
    output = run(site, "backup", "--keep", "2")
    (new,) = names(place) - {OLD[2]}
    assert (place / new / "forum.sqlite3").exists()
    assert f"Removed {place / OLD[0]}.\nRemoved {place / OLD[1]}.\n" in output
    run(site, "backup", "--keep", "2")
    assert len(names(place)) == 2
    assert new in names(place)
    assert {path.name for path in place.iterdir()} >= OTHERS


def test_keep_is_the_number_of_backups_that_are_left(site: Site, place: Path) -> None:
    run(site, "backup", "--keep", "4")
    assert set(OLD) < names(place)
    run(site, "backup", "--keep", "1")
    assert len(names(place)) == 1


def test_backup_with_a_date_in_the_future_does_not_push_out_the_new_one(
    site: Site, place: Path
) -> None:
    (place / OLD[0]).rename(place / "20991231-040000")
    run(site, "backup", "--keep", "2")
    assert "20991231-040000" in names(place)
    assert len(names(place)) == 2


def test_leftovers_of_a_killed_backup_are_removed(site: Site, place: Path) -> None:
    unfinished = place / f"{OLD[0]}.unfinished"
    unfinished.mkdir()
    output = run(site, "backup", "--keep", "9")
    assert f"Removed {unfinished}." in output
    assert not unfinished.exists()
    assert set(OLD) < names(place)


def test_backup_on_a_full_disk_fails_and_leaves_nothing(
    site: Site, place: Path, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", SMALL) as disk:
        place.rename(site.data / "elsewhere")
        place.symlink_to(disk)
        try:
            output = run(site, "backup", code=1)
            assert "Not backed up: " in output
            assert not list(disk.iterdir())
        finally:
            place.unlink()
            (site.data / "elsewhere").rename(place)


def test_backup_that_can_not_be_restored_pushes_out_none_that_can(site: Site, place: Path) -> None:
    with closing(sqlite3.connect(site.data / "forum.sqlite3")) as sql, sql:
        sql.execute(FORGED)
    for _ in range(2):
        output = run(site, "backup", "--try", "--keep", "2", code=1)
        assert "can't be restored" in output
        (failed,) = names(place) - set(OLD)
        assert failed.endswith(".failed")
    with closing(sqlite3.connect(site.data / "forum.sqlite3")) as sql, sql:
        sql.execute("DELETE FROM forum_ledgerentry WHERE generation = 'forged'")
    run(site, "backup", "--try", "--keep", "2")
    assert OLD[2] in names(place)
    assert OLD[1] not in names(place)


@pytest.mark.parametrize("given", [["--keep", "0"], ["--keep", "2", "elsewhere"]])
def test_invalid_use_of_keep_is_refused(site: Site, place: Path, given: list[str]) -> None:
    output = run(site, "backup", *given, code=1)
    assert "--keep must be at least 1, and can't be used together with a folder" in output
    assert names(place) == set(OLD)


def test_concurrent_backups_all_succeed(site: Site, place: Path) -> None:
    with Redis(unix_socket_path=str(site.data / "valkey" / "valkey.sock")) as redis:
        redis.config_set("rdb-key-save-delay", SLOWLY)
        made = [site.command("backup", str(place / f"by-{one}")) for one in range(MANY)]
        codes = [one.wait(timeout=120) for one in made]
        redis.config_set("rdb-key-save-delay", 0)
    assert codes == [0] * MANY, site.output()
    assert all((place / f"by-{one}" / "votes.rdb").stat().st_size for one in range(MANY))

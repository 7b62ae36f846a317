"""`manage.py backup` of a living site, and `restore`: what was told before it is there again."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from forum.operations.backups import folders
from forum.operations.supervision.bootstrap import BASE
from forum.operations.supervision.children import Valkey
from forum.operations.supervision.claims import RESTORE, claimed
from tests.disks import fill, small_disk
from tests.start.members import FORGED, FOUND, Member, run
from tests.start.site import Site
from tests.waiting import until

pytestmark = pytest.mark.faults
DISK, SOME = 64 << 20, 64 << 10


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a site that was backed up, and has stopped after one more vote."""
    folder = tmp_path_factory.mktemp("backed-up")
    site = Site(folder / "data")
    with site.up():
        bram = Member(site)
        bram.vote(bram.posts[0], "down")
        run(site, "backup", str(folder / "backup"))
        bram.vote(bram.posts[1], "down")
    (folder / "posts").write_text("\n".join(bram.posts))
    return folder


def test_a_restored_site_has_all_that_was_told_before_the_backup(place: Path) -> None:
    """It agrees with itself; what came after the backup is simply not there."""
    before, after, *_others = (place / "posts").read_text().splitlines()
    site = Site(place / "restored")
    said = run(site, "restore", str(place / "backup"))
    assert "Redis and SQL agree" in said
    with site.up("--no-demo"):
        assert "An empty site" not in site.said()
        run(site, "check_voting", "--deep")
        bram = Member(site)
        assert bram.own_vote(before) == "down"
        assert bram.own_vote(after) == "none"
        bram.vote(after, "up")
        assert bram.own_vote(after) == "up"


def test_a_site_that_is_there_is_replaced_only_by_force_and_then_put_aside(place: Path) -> None:
    site = Site(place / "data")
    said = run(site, "restore", str(place / "backup"), code=1)
    assert "There is already a site: --force replaces it. Nothing was changed." in said
    assert not list(site.data.glob("*.replaced-*"))
    run(site, "restore", "--force", str(place / "backup"))
    replaced = {path.name.partition(".replaced-")[0] for path in site.data.glob("*.replaced-*")}
    assert {"forum.sqlite3", "valkey"} <= replaced


def test_nothing_is_replaced_below_a_valkey_that_a_killed_site_left_running(
    place: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path / "data")
    left = Valkey(site.data / "valkey", "everysec")
    left.start()
    try:
        said = run(site, "restore", "--force", str(place / "backup"), code=1)
        assert "stop it first. Nothing was changed." in said
        assert left.alive()
    finally:
        left.stop()
    assert not list(site.data.glob("*.replaced-*"))


def files_of(site: Site) -> dict[str, bytes]:
    """Return all that a site has, without what a look at it writes."""
    return {
        str(path.relative_to(site.data)): path.read_bytes()
        for path in site.data.rglob("*")
        if path.is_file() and path.name not in {"lock", "up.lock", "stuffing"}
    }


def test_a_backup_of_another_kind_of_sql_leaves_the_site_where_it_is(
    place: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    backup.mkdir()
    (backup / "forum.pgdump").write_bytes(b"PGDMP")
    folders.write_checksums(backup)
    site = Site(place / "data")
    before = files_of(site)
    said = run(site, "restore", "--force", str(backup), code=1)
    assert "This backup is of another database system: set DATABASE_URL as it was." in said
    assert files_of(site) == before


@pytest.mark.parametrize("fits", [[], ["votes.rdb"], ["votes.rdb", "forum.sqlite3"]])
def test_where_the_disk_is_too_small_for_the_backup_the_site_is_as_it_was(
    place: Path, tmp_path: Path, fits: list[str]
) -> None:
    backup = place / "backup"
    with small_disk(tmp_path / "disk", DISK) as disk:
        site = Site(disk / "data")
        run(site, "restore", str(backup))
        before = files_of(site)
        stuffing = fill(disk, room=sum((backup / name).stat().st_size + SOME for name in fits))
        said = run(site, "restore", "--force", str(backup), code=1)
        assert "Not restored: " in said
        assert files_of(site) == before
        stuffing.unlink()
        run(site, "restore", "--force", str(backup))


def test_a_running_site_is_never_replaced(place: Path) -> None:
    site = Site(place / "running")
    with site.up("--no-demo"):
        said = run(site, "restore", "--force", str(place / "backup"), code=1)
    assert "Rostra is already running with the data in" in said


def test_a_site_that_is_being_brought_back_says_what_to_wait_for(place: Path) -> None:
    site = Site(place / "busy")
    site.data.mkdir()
    with claimed(site.data, by=RESTORE):
        said = run(site, "restore", str(place / "backup"), code=1)
    assert f"`manage.py restore` is using the data in {site.data}: wait until" in said
    run(site, "restore", str(place / "backup"))


@pytest.mark.parametrize("name", ["forum.sqlite3", "votes.rdb", "SHA256SUMS"])
def test_a_damaged_backup_is_refused_and_nothing_is_changed(
    place: Path, tmp_path: Path, name: str
) -> None:
    damaged = tmp_path / "backup"
    subprocess.run(["cp", "-r", place / "backup", damaged], check=True)
    content = bytearray((damaged / name).read_bytes())
    content[len(content) // 2] ^= 0xFF
    (damaged / name).write_bytes(content)
    site = Site(tmp_path / "data")
    said = run(site, "restore", str(damaged), code=1)
    assert "is missing or damaged: use another backup." in said
    assert not (tmp_path / "data" / "forum.sqlite3").exists()


def test_the_checksums_are_what_sha256sum_reads_and_nobody_else_may_read_the_files(
    place: Path,
) -> None:
    checked = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    subprocess.run(checked, cwd=place / "backup", check=True, capture_output=True)
    assert {path.name for path in (place / "backup").iterdir()} == {
        "SHA256SUMS",
        "forum.sqlite3",
        "secret-key",
        "votes.rdb",
    }
    assert all(path.stat().st_mode & 0o077 == 0 for path in (place / "backup").iterdir())


@pytest.fixture
def trying(place: Path, tmp_path: Path) -> Iterator[Site]:
    """A copy of the site, running; temporary sites of it are made in a folder that was empty."""
    site = Site(tmp_path / "data")
    run(site, "restore", str(place / "backup"))
    (tmp_path / "temporary").mkdir()
    with site.up("--no-demo"):
        yield site


def tried(site: Site, code: int = 0) -> str:
    """Back up, try it, and return what was said; nothing of the trial stays."""
    temporary = site.data.parent / "temporary"
    folder = site.data.parent / f"backup-{code}"
    said = run(site, "backup", "--try", str(folder), code=code, given={"TMPDIR": str(temporary)})
    assert list(temporary.iterdir()) == []
    return said


def test_trying_a_backup_tells_a_whole_one_from_one_that_does_not_come_back(trying: Site) -> None:
    """Its checksums are right, but the ledger has a vote that nobody cast."""
    assert "Restored it to a temporary site" in tried(trying)
    with closing(sqlite3.connect(trying.data / "forum.sqlite3")) as sql, sql:
        sql.execute(FORGED)
    said = tried(trying, code=1)
    assert "can't be restored" in said
    assert FOUND in said


def workers_in(folder: Path) -> list[int]:
    """Return the processes of this machine that work in a folder: Valkey in that of its data."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if str(folder) in str(place.readlink()):
                found.append(int(place.parent.name))
    return found


def test_a_trial_that_is_ended_ends_its_site_and_takes_it_away(
    trying: Site, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    backup = trying.command("backup", "--try", str(tmp_path / "b"), TMPDIR=str(temporary))
    until(lambda: any(temporary.glob("*/valkey/valkey.log")), "the trial's Valkey starts")
    backup.terminate()
    assert backup.wait(timeout=60)
    assert list(temporary.iterdir()) == []
    assert workers_in(temporary) == []


def test_a_trial_that_is_ended_waits_for_a_site_that_takes_its_time(
    trying: Site, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    backup = trying.command("backup", "--try", str(tmp_path / "b"), TMPDIR=str(temporary))
    until(lambda: len(workers_in(temporary)) == 1, "the trial's Valkey starts")
    (valkey,) = workers_in(temporary)
    os.kill(valkey, signal.SIGSTOP)
    backup.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        backup.wait(timeout=2)
    os.kill(valkey, signal.SIGCONT)
    assert backup.wait(timeout=60)
    assert list(temporary.iterdir()) == []
    assert workers_in(temporary) == []


def test_a_restore_that_is_ended_leaves_the_site_as_it_was(place: Path) -> None:
    site = Site(place / "ended")
    run(site, "restore", str(place / "backup"))
    before = files_of(site)
    restoring = site.command("restore", "--force", str(place / "backup"))
    until(lambda: any(site.data.glob("valkey.replaced-*")), "the site's files are renamed")
    restoring.terminate()
    assert restoring.wait(timeout=60) == 1
    assert "Stopped before the end." in site.said()
    assert files_of(site) == before


@pytest.mark.parametrize("seen", ["forum.sqlite3.replaced-*", "valkey/valkey.log"])
def test_a_restore_that_was_killed_is_undone_by_the_next_start(place: Path, seen: str) -> None:
    """Also with a Valkey of what is half made, which lives on."""
    site = Site(place / f"killed-{seen[:6]}")
    run(site, "restore", str(place / "backup"))
    before, *_others = (place / "posts").read_text().splitlines()
    restoring = site.command("restore", "--force", str(place / "backup"))
    until(lambda: any(site.data.glob("valkey.replaced-*")), "the site's files are renamed")
    until(lambda: any(site.data.glob(seen)), "it has come that far")
    restoring.kill()
    restoring.wait(timeout=60)
    with site.up():
        assert "Undid a `restore` that was interrupted" in site.said()
        assert "An empty site" not in site.said()
        assert Member(site).own_vote(before) == "down"
    assert not list(site.data.glob("valkey.replaced-*"))


def test_a_backup_is_never_written_over_another(place: Path) -> None:
    command = [sys.executable, str(BASE / "manage.py"), "backup", str(place / "backup")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "already exists: choose a new name." in done.stderr

"""`backup` copies a running site, and `restore` brings back every vote in the backup."""

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
IMPORTED = """id,title,url,points,author,created_at
1,An imported post,,900,pia,2016-09-06T06:01:00
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a stopped site and its backup. The site got one more vote after the backup."""
    folder = tmp_path_factory.mktemp("backed-up")
    site = Site(folder / "data")
    with site.up():
        bram = Member(site)
        bram.vote(bram.posts[0], "down")
        (folder / "posts.csv").write_text(IMPORTED)
        run(site, "import_posts", str(folder / "posts.csv"))
        run(site, "backup", str(folder / "backup"))
        bram.vote(bram.posts[1], "down")
    (folder / "posts").write_text("\n".join(bram.posts))
    return folder


@pytest.mark.short
def test_restored_site_has_every_vote_acknowledged_before_the_backup(place: Path) -> None:
    before, after, *_others = (place / "posts").read_text().splitlines()
    site = Site(place / "restored")
    output = run(site, "restore", str(place / "backup"))
    assert "Redis and SQL agree" in output
    with site.up("--no-demo"):
        assert "The site was empty" not in site.output()
        run(site, "check_voting", "--deep")
        bram = Member(site)
        assert bram.own_vote(before) == "down"
        assert bram.own_vote(after) == "none"
        bram.vote(after, "up")
        assert bram.own_vote(after) == "up"
        assert "900 points" in bram.read("/g/texts")
        assert "presses are fine" in bram.read("/search?q=in:title+garlic")


def test_existing_site_is_replaced_only_with_force_and_its_files_are_kept(place: Path) -> None:
    site = Site(place / "data")
    output = run(site, "restore", str(place / "backup"), code=1)
    assert (
        "Nothing was changed, because there is already a site. Use --force to replace it." in output
    )
    assert not list(site.data.glob("*.replaced-*"))
    run(site, "restore", "--force", str(place / "backup"))
    replaced = {path.name.partition(".replaced-")[0] for path in site.data.glob("*.replaced-*")}
    assert {"forum.sqlite3", "valkey"} <= replaced


def test_restore_is_refused_while_a_killed_site_has_left_valkey_running(
    place: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path / "data")
    left = Valkey(site.data / "valkey", "everysec")
    left.start()
    try:
        output = run(site, "restore", "--force", str(place / "backup"), code=1)
        assert "Valkey is still running. Stop it first." in output
        assert left.alive()
    finally:
        left.stop()
    assert not list(site.data.glob("*.replaced-*"))


def files_of(site: Site) -> dict[str, bytes]:
    """Return the contents of a site's files, except lock files and temporary files."""
    return {
        str(path.relative_to(site.data)): path.read_bytes()
        for path in site.data.rglob("*")
        if path.is_file()
        and path.name not in {"lock", "up.lock", "stuffing"}
        and "/restore-" not in str(path)
    }


def test_backup_of_another_database_system_changes_nothing(place: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    backup.mkdir()
    (backup / "forum.pgdump").write_bytes(b"PGDMP")
    folders.write_checksums(backup)
    site = Site(place / "data")
    before = files_of(site)
    output = run(site, "restore", "--force", str(backup), code=1)
    assert "This backup is from PostgreSQL. Set DATABASE_URL to a PostgreSQL database." in output
    assert files_of(site) == before


@pytest.mark.parametrize("fits", [[], ["votes.rdb"], ["votes.rdb", "forum.sqlite3"]])
def test_restore_to_a_full_disk_leaves_the_site_as_it_was(
    place: Path, tmp_path: Path, fits: list[str]
) -> None:
    backup = place / "backup"
    with small_disk(tmp_path / "disk", DISK) as disk:
        site = Site(disk / "data")
        run(site, "restore", str(backup))
        before = files_of(site)
        stuffing = fill(disk, room=sum((backup / name).stat().st_size + SOME for name in fits))
        output = run(site, "restore", "--force", str(backup), code=1)
        assert "can't be restored: " in output
        assert files_of(site) == before
        stuffing.unlink()
        run(site, "restore", "--force", str(backup))


def test_running_site_is_never_replaced(place: Path) -> None:
    site = Site(place / "running")
    with site.up("--no-demo"):
        output = run(site, "restore", "--force", str(place / "backup"), code=1)
    assert "Rostra is already running with the data in" in output


def test_second_restore_is_refused_while_one_is_running(place: Path) -> None:
    site = Site(place / "busy")
    site.data.mkdir()
    with claimed(site.data, by=RESTORE):
        output = run(site, "restore", str(place / "backup"), code=1)
    assert f"`manage.py restore` is using the data in {site.data}: wait until" in output
    run(site, "restore", str(place / "backup"))


@pytest.mark.parametrize("name", ["forum.sqlite3", "votes.rdb", "SHA256SUMS"])
def test_damaged_backup_is_refused_and_nothing_is_changed(
    place: Path, tmp_path: Path, name: str
) -> None:
    damaged = tmp_path / "backup"
    subprocess.run(["cp", "-r", place / "backup", damaged], check=True)
    content = bytearray((damaged / name).read_bytes())
    content[len(content) // 2] ^= 0xFF
    (damaged / name).write_bytes(content)
    site = Site(tmp_path / "data")
    output = run(site, "restore", str(damaged), code=1)
    assert "is missing or damaged: use another copy." in output
    assert not (tmp_path / "data" / "forum.sqlite3").exists()


def test_sha256sum_reads_the_checksums_and_only_the_owner_may_read_the_files(place: Path) -> None:
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
def trial_site(place: Path, tmp_path: Path) -> Iterator[Site]:
    """A running site that was restored from the backup."""
    site = Site(tmp_path / "data")
    run(site, "restore", str(place / "backup"))
    (tmp_path / "temporary").mkdir()
    with site.up("--no-demo"):
        yield site


def try_backup(site: Site, code: int = 0) -> str:
    """Run `backup --try` and return the output."""
    temporary = site.data.parent / "temporary"
    folder = site.data.parent / f"backup-{code}"
    output = run(site, "backup", "--try", str(folder), code=code, given={"TMPDIR": str(temporary)})
    assert list(temporary.iterdir()) == []
    return output


def test_trying_a_backup_finds_one_that_can_not_be_restored(trial_site: Site) -> None:
    """The backup's checksums are right, but its ledger contains a forged vote."""
    assert "Restored it to a temporary site" in try_backup(trial_site)
    with closing(sqlite3.connect(trial_site.data / "forum.sqlite3")) as sql, sql:
        sql.execute(FORGED)
    output = try_backup(trial_site, code=1)
    assert "can't be restored" in output
    assert FOUND in output


def workers_in(folder: Path) -> list[int]:
    """Return the pids of processes that run in a folder, such as a temporary site's Valkey."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if str(folder) in str(place.readlink()):
                found.append(int(place.parent.name))
    return found


def test_stopped_trial_stops_its_site_and_removes_it(trial_site: Site, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    backup = trial_site.command("backup", "--try", str(tmp_path / "b"), TMPDIR=str(temporary))
    until(lambda: any(temporary.glob("*/valkey/valkey.pid")), "the trial's Valkey starts")
    backup.terminate()
    assert backup.wait(timeout=60)
    assert list(temporary.iterdir()) == []
    assert workers_in(temporary) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_interrupted_restore_leaves_the_site_as_it_was(place: Path, how: signal.Signals) -> None:
    site = Site(place / f"ended-{how}")
    run(site, "restore", str(place / "backup"))
    before = files_of(site)
    restoring = site.command("restore", "--force", str(place / "backup"))
    until(lambda: any(site.data.glob("restore-*/valkey/valkey.pid")), "its Valkey starts")
    restoring.send_signal(how)
    restoring.wait(timeout=60)
    assert ("The restore was interrupted." in site.output()) is (how is signal.SIGTERM)
    assert files_of(site) == before
    assert not list(site.data.glob("*.sqlite3.replaced-*"))


def test_existing_backup_is_never_overwritten(place: Path) -> None:
    command = [sys.executable, str(BASE / "manage.py"), "backup", str(place / "backup")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "already exists: choose a new name." in done.stderr

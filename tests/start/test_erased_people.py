"""Deleted accounts don't come back with an old backup or export."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.start.members import Member, run
from tests.start.site import Site, manage
from tests.waiting import until

pytestmark = pytest.mark.long
DELETE = """
from django.utils import timezone
from forum.actions import account_deletions
from forum.models import Erasure, User
account_deletions.ask(User.objects.get(username="bram"), keeps_texts=False)
Erasure.objects.filter(user__username="bram").update(due_at=timezone.now())
account_deletions.begin_due()
"""
WARNING = "there is no list of erased people"


def names(site: Site) -> set[str]:
    """Return the user names in a stopped site's database."""
    with closing(sqlite3.connect(site.data / "forum.sqlite3")) as sql:
        return {name for (name,) in sql.execute("SELECT username FROM forum_user")}


def erased(site: Site) -> int:
    """Return how many deletions of accounts are done."""
    with closing(sqlite3.connect(site.data / "forum.sqlite3")) as sql:
        query = "SELECT count(*) FROM forum_erasure WHERE done_at IS NOT NULL"
        return int(sql.execute(query).fetchone()[0])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a stopped site, and its backup and export from before Bram's deletion."""
    folder = tmp_path_factory.mktemp("erased")
    site = Site(folder / "data")
    with site.up():
        assert Member(site).send("comments/1/save", on="1")
        run(site, "backup", str(folder / "old"))
        run(site, "export", str(folder / "export"))
        run(site, "shell", "-c", DELETE)
        until(lambda: erased(site) == 1, "the worker has deleted the account")
        run(site, "backup", str(folder / "new"))
    assert "bram" not in names(site)
    return folder


@pytest.fixture
def without_list(place: Path) -> Iterator[Path]:
    """The list of erased people, which isn't beside the backups during a test."""
    away = (place / "erased.jsonl").rename(place / "away")
    yield away
    away.rename(place / "erased.jsonl")


@pytest.mark.parametrize(("command", "copy"), [("restore", "old"), ("import_export", "export")])
def test_person_is_erased_again_by_the_list_beside_the_copy(
    place: Path, command: str, copy: str
) -> None:
    site = Site(place / command)
    output = run(site, command, str(place / copy))
    assert WARNING not in output
    assert "bram" not in names(site)
    with site.up("--no-demo"):
        assert not site.answers("u/bram/")
        assert site.answers("u/ada/")
        run(site, "check_voting", "--deep")


def test_person_is_erased_again_by_the_list_of_the_site(place: Path, without_list: Path) -> None:
    site = Site(place / "data")
    (site.data / "backups").mkdir(exist_ok=True)
    (site.data / "backups" / "erased.jsonl").write_bytes(without_list.read_bytes())
    output = run(site, "restore", "--force", str(place / "old"))
    assert WARNING not in output
    assert "bram" not in names(site)
    with site.up("--no-demo"):
        assert not site.answers("u/bram/")


@pytest.mark.usefixtures("without_list")
@pytest.mark.parametrize(("command", "copy"), [("restore", "old"), ("import_export", "export")])
def test_command_says_that_the_list_is_missing(
    place: Path, tmp_path: Path, command: str, copy: str
) -> None:
    site = Site(tmp_path / "data")
    done = manage(site.data, command, str(place / copy))
    assert WARNING in done.stderr
    assert done.returncode == 0
    assert "bram" in names(site)

"""`manage.py backup` and `restore` of a site with PostgreSQL and an external Redis."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import psycopg
import pytest

from forum.operations.backups import folders, sql_dump
from tests.cluster.nodes import Node, ended, node
from tests.postgresql.servers import Postgres, own_postgres
from tests.start.members import FORGED, FOUND, Member, run
from tests.start.site import Site
from voting.service import connect
from voting.types import Rules, Target, Vote
from voting.types.limits import RateLimit, Window

pytestmark = [pytest.mark.postgresql, pytest.mark.long]
STRANGER = 999_999
"""The id of a person created after the backup."""


@dataclass
class Place:
    """A folder with sites and a backup, and the PostgreSQL and Redis servers of these sites."""

    folder: Path
    postgres: Postgres
    redis: Node
    given: dict[str, str] = field(default_factory=dict)

    @property
    def backup(self) -> Path:
        return self.folder / "backup"

    def uses(self, database: str) -> None:
        """Make sites that are started from now on use the test's Redis and this SQL database."""
        url = self.postgres.url.replace("/postgres?", f"/{database}?")
        redis = f"redis://127.0.0.1:{self.redis.port}"
        self.given = {"DATABASE_URL": url, "REDIS_URL": f"{redis}/0", "CACHE_URL": f"{redis}/1"}

    def ask(self, question: str) -> list[tuple[object, ...]]:
        """Run a query in the first site's database, and return the rows."""
        with psycopg.connect(self.postgres.url.replace("/postgres?", "/first?")) as plain:
            return plain.execute(question.encode()).fetchall()

    def votes(self) -> list[tuple[object, ...]]:
        """Return every archived vote of the first site."""
        return self.ask(
            "SELECT post_id, comment_id, user_id, vote FROM forum_archivedvote ORDER BY 1, 2, 3"
        )


@dataclass
class Before:
    """The pages that Bram saw before the backup, and the archived votes at that time."""

    bram: Member
    seen: dict[str, list[str]]
    votes: list[tuple[object, ...]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("backed-up")
    redis = node(folder)
    with own_postgres(50) as postgres, ended([redis]):
        redis.start()
        with postgres.connect() as plain:
            for name in ("first", "second"):
                plain.execute(f"CREATE DATABASE {name}".encode())
        yield Place(folder, postgres, redis)


@pytest.fixture(scope="module")
def before(place: Place) -> Before:
    """Run a site, back it up, cast one more vote and stop the site."""
    site = Site(place.folder / "data")
    place.uses("first")
    with site.up(**place.given):
        bram = Member(site)
        bram.vote(bram.posts[0], "down")
        seen = bram.sees_in_the_end()
        assert [page for page, shown in seen.items() if not shown] == [], "all show something"
        output = run(site, "backup", "--try", str(place.backup), given=place.given)
        assert "Restored it to a temporary site" in output
        votes = place.votes()
        bram.vote(bram.posts[1], "down")
    return Before(bram, seen, votes)


def stray_databases(place: Place) -> list[tuple[object, ...]]:
    return place.ask("SELECT datname FROM pg_database WHERE datname LIKE '%_try_%'")


def test_trial_restore_leaves_no_database_behind(place: Place, before: Before) -> None:
    assert stray_databases(place) == []


def test_truncated_dump_changes_nothing(place: Place, before: Before, tmp_path: Path) -> None:
    """The test also updates the checksum, so only PostgreSQL can notice the error."""
    cut = tmp_path / "backup"
    shutil.copytree(place.backup, cut)
    content = (cut / sql_dump.POSTGRESQL).read_bytes()
    (cut / sql_dump.POSTGRESQL).write_bytes(content[: len(content) * 4 // 5])
    folders.write_checksums(cut)
    votes = place.votes()
    site = Site(place.folder / "data")
    assert "pg_restore failed" in run(
        site, "restore", "--force", str(cut), code=1, given=place.given
    )
    assert place.votes() == votes


def test_restored_site_has_the_same_pages_votes_and_sessions(place: Place, before: Before) -> None:
    site, bram = Site(place.folder / "restored"), before.bram
    other = node(place.folder)
    with ended([other]):
        other.start()
        elsewhere = Place(place.folder, place.postgres, other)
        elsewhere.uses("second")
        output = run(site, "restore", "--deep", str(place.backup), given=elsewhere.given)
        assert "Redis and SQL agree" in output
        with site.up("--no-demo", **elsewhere.given):
            bram.moves_to(site)
            assert bram.sees() == before.seen, "with the log-in that he had"
            again = Member(site)
            again.vote(again.posts[1], "up")
            assert again.own_vote(again.posts[1]) == "up"
            run(site, "check_voting", "--deep", given=elsewhere.given)


def test_force_replaces_an_existing_site_with_its_redis(place: Place, before: Before) -> None:
    """Votes in Redis are deleted, because new people may get the same ids as the voters."""
    place.uses("first")
    site, redis = Site(place.folder / "data"), connect(place.given["REDIS_URL"], Rules())
    target = Target(int(before.bram.posts[0].removeprefix("/p/")))
    assert redis.votes.cast(STRANGER, target, Vote.UP).changed
    redis.limits.check(RateLimit("vote", f"u{STRANGER}", (Window(9, 60),)))
    redis.comments.thread(target.post_id, [], viewer=STRANGER, visitor=f"u{STRANGER}", comments=0)
    assert len(left_of(place.redis)) > 1
    output = run(site, "restore", str(place.backup), code=1, given=place.given)
    assert (
        "Nothing was changed, because there is already a site. Use --force to replace it." in output
    )
    run(site, "restore", "--force", "--deep", str(place.backup), given=place.given)
    assert place.votes() == before.votes
    assert left_of(place.redis) == []
    with site.up("--no-demo", **place.given):
        before.bram.moves_to(site)
        assert before.bram.sees() == before.seen


def left_of(redis: Node) -> list[str]:
    """Return the keys whose name contains `STRANGER`, the id of a person without an account."""
    return [str(key) for key in redis.plain.scan_iter(f"*{STRANGER}*")]


def test_trial_restore_finds_an_incomplete_backup(place: Place, before: Before) -> None:
    """Before the backup, the test adds a forged vote to the ledger in SQL."""
    place.uses("first")
    site, name = Site(place.folder / "data"), f"wrong-{token_hex(4)}"
    with psycopg.connect(place.postgres.url.replace("/postgres?", "/first?")) as plain:
        plain.execute(FORGED.encode())
    output = run(site, "backup", "--try", str(place.folder / name), code=1, given=place.given)
    assert f"{name} can't be restored" in output
    assert FOUND in output
    assert stray_databases(place) == []

"""`manage.py move_site` moves a site to PostgreSQL, with and without a new Redis."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from forum.operations.moving.copy_rows import TARGET, database
from forum.operations.moving.preflight import claim_postgresql, without_claims
from tests.postgresql.servers import Postgres, query_number
from tests.start.members import Member
from tests.start.site import Site
from tests.start.test_moving import HURRY, STOPPED, move, new_redis
from tests.start.voters import Voter

pytestmark = pytest.mark.postgresql


@pytest.fixture
def _unblocked(django_db_blocker: Any, tmp_path: Path, settings: Any) -> Iterator[None]:
    """Let tests query databases that pytest-django would block, and use a temporary FORUM_DATA."""
    settings.FORUM_DATA = tmp_path
    with django_db_blocker.unblock():
        yield


@pytest.mark.faults
def test_moved_site_shows_the_same_pages_and_accepts_votes(
    postgres: Postgres, tmp_path: Path
) -> None:
    site = Site(tmp_path / "old")
    written = "SELECT count(*) FROM forum_comment WHERE body = '{} the move.'"
    with new_redis(tmp_path) as (_server, redis):
        settings = redis | {"DATABASE_URL": postgres.url}
        with site.up(**HURRY):
            ada, bram = Member(site, "ada"), Member(site)
            bram.read(bram.posts[2])
            bram.vote(bram.posts[2], "down")
            assert bram.send("/u/ada/follow", on="1") == 303
            assert bram.send(f"{bram.posts[2]}/comment", body="Before the move.") == 303
            assert bram.send(f"{bram.posts[4]}/save", on="1") == 303
            before = bram.sees_in_the_end(), ada.sees()
            assert move(site, settings) == 0, site.output()
        with site.up("--no-demo", **settings, **HURRY), postgres.connect() as plain:
            assert (bram.sees(), ada.sees()) == before
            assert f"{bram.posts[2]}/" in bram.read("/history")
            assert bram.own_vote(bram.posts[2]) == "down"
            assert query_number(plain, written.format("Before")) == 1
            assert bram.send(f"{bram.posts[3]}/comment", body="After the move.") == 303
            assert query_number(plain, written.format("After")) == 1
            assert "presses are fine" in bram.read("/search?q=in:title+garlic")
            assert "1 result<" in bram.read("/search?q=%22before+the+move%22")
            checked = site.command("check_voting", "--deep", **settings)
            assert checked.wait(timeout=120) == 0, site.output()


@pytest.mark.faults
def test_no_vote_is_lost_if_sql_moves_first_and_redis_later(
    postgres: Postgres, tmp_path: Path
) -> None:
    site = Site(tmp_path / "old")
    settings = {"DATABASE_URL": postgres.url}
    with site.up(**HURRY) as up, Voter(Member(site)) as voter:
        assert move(site, settings) == 0, site.output()
        assert up.wait(timeout=120) == 0
    assert voter.acknowledged > 0
    with new_redis(tmp_path) as (_server, redis):
        with site.up("--no-demo", **settings) as up:
            checked = site.command("check_voting", "--deep", **settings)
            assert checked.wait(timeout=120) == 0, site.output()
            assert voter.lost(Member(site)) == {}
            assert move(site, redis, **settings) == 0, site.output()
            assert up.wait(timeout=120) == 0
        with site.up("--no-demo", **settings, **redis):
            assert voter.lost(Member(site)) == {}
    assert site.command("worker", **redis).wait(timeout=120) == 1
    assert "set DATABASE_URL and start again" in site.output()


@pytest.mark.faults
def test_row_that_postgresql_refuses_is_reported_and_the_site_continues(
    postgres: Postgres, tmp_path: Path
) -> None:
    """SQLite stores a text that is too long for its column. PostgreSQL refuses such a row."""
    site = Site(tmp_path / "old")
    with site.up():
        with closing(sqlite3.connect(site.data / "forum.sqlite3", timeout=60)) as plain, plain:
            plain.execute("UPDATE forum_group SET title = ?", ["x" * 101])
        assert move(site, {"DATABASE_URL": postgres.url}) == 1
        assert "PostgreSQL refuses a row of forum_group: value too long" in site.output()
        assert STOPPED in site.output()
        assert "Traceback" not in site.output()
        assert site.answers("")


@pytest.mark.usefixtures("_unblocked")
def test_database_with_rows_is_refused_unless_this_site_filled_it(postgres: Postgres) -> None:
    with postgres.connect() as plain, database(TARGET, postgres.url) as target:
        plain.execute("CREATE TABLE somebodys (thing text)")
        plain.execute("INSERT INTO somebodys VALUES ('kept')")
        with pytest.raises(CommandError, match=r"not empty \(somebodys has rows\)"):
            claim_postgresql(target, postgres.url)
        plain.execute("TRUNCATE somebodys")
        claim_postgresql(target, postgres.url)
        plain.execute("INSERT INTO somebodys VALUES ('copied')")
        claim_postgresql(target, postgres.url)
        with without_claims(), pytest.raises(CommandError, match="somebodys has rows"):
            claim_postgresql(target, postgres.url)


@pytest.mark.usefixtures("_unblocked")
def test_missing_or_foreign_database_is_named(postgres: Postgres) -> None:
    with (
        database(TARGET, postgres.url.replace("/postgres?", "/nowhere?")) as target,
        pytest.raises(CommandError, match='database "nowhere" does not exist'),
    ):
        claim_postgresql(target, postgres.url)
    with postgres.connect() as plain:
        plain.execute("CREATE ROLE guest LOGIN")
        plain.execute("REVOKE CREATE ON SCHEMA public FROM public")
    with (
        database(TARGET, postgres.url.replace("rostra@", "guest@")) as target,
        pytest.raises(CommandError, match="guest may not create tables there"),
    ):
        claim_postgresql(target, postgres.url)

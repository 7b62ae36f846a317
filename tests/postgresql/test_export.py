"""A site moves from SQLite and its embedded Valkey to PostgreSQL and Redis, as in the docs."""

from pathlib import Path
from time import sleep

import pytest

from tests.postgresql.servers import Postgres
from tests.start.members import Member, run
from tests.start.site import Site
from tests.start.test_export import contents
from tests.start.voters import Voter
from tests.voting.servers import own_server
from voting.embedded.sockets import socket_url

pytestmark = pytest.mark.postgresql
UNLIMITED = dict.fromkeys(("LIMIT_VOTE", "LIMIT_NEW_VOTE"), "1000000/1")
READ_ONLY = {"READ_ONLY": "1"}
VOTING_SECONDS = 3


def write_everywhere(bram: Member) -> None:
    """Make Bram vote, comment (which notifies the author), save, follow and read."""
    bram.vote(bram.posts[0], "down")
    assert bram.send(f"{bram.posts[2]}/comment", body="Before the move.") == 303
    assert bram.send(f"{bram.posts[4]}/save", on="1") == 303
    assert bram.send("/u/ada/follow", on="1") == 303
    bram.read(bram.posts[2])


@pytest.mark.faults
def test_site_moves_to_postgresql_and_redis_and_loses_nothing(
    postgres: Postgres, tmp_path: Path
) -> None:
    old, new = Site(tmp_path / "old"), Site(tmp_path / "new")
    with old.up(**UNLIMITED):
        bram, ada = Member(old), Member(old, "ada")
        write_everywhere(bram)
        with Voter(bram) as voter:
            sleep(VOTING_SECONDS)
    assert voter.acknowledged > 0
    with own_server(tmp_path) as redis, old.up("--no-demo", **READ_ONLY):
        settings = {
            "DATABASE_URL": postgres.url,
            "REDIS_URL": redis.url,
            "CACHE_URL": socket_url(redis.directory, 1),
            "SECRET_KEY": (old.data / "secret-key").read_text(),
        }
        assert bram.send(f"{bram.posts[1]}/vote", vote="down") == 503
        assert "The site is read-only for maintenance." in bram.read("/new")
        before = bram.sees_in_the_end(), ada.sees()
        run(old, "export", str(tmp_path / "first"), given=READ_ONLY)
        run(new, "import_export", str(tmp_path / "first"), given=settings)
        run(new, "rebuild_voting", given=settings)
        run(new, "check_voting", "--deep", given=settings)
        run(new, "export", str(tmp_path / "second"), given=settings)
        assert contents(tmp_path / "second") == contents(tmp_path / "first")
        assert (bram.sees(), ada.sees()) == before, "the old site can still be read"
        with new.up("--no-demo", **settings):
            bram, ada = Member(new), Member(new, "ada")
            assert (bram.sees_in_the_end(), ada.sees()) == before
            assert voter.lost(bram) == {}
            assert "1 result<" in bram.read("/search?q=%22before+the+move%22")
            assert new.answers("readyz")
            bram.vote(bram.posts[1], "down")
            assert bram.send(f"{bram.posts[3]}/comment", body="After the move.") == 303

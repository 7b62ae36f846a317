"""`manage.py move_site` moves a site to a cluster, or to a Redis that sentinels watch."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.nodes import Cluster, single
from tests.cluster.sentinels import Watched
from tests.start.members import Member
from tests.start.site import Site
from tests.start.test_moving import HURRY, move
from tests.start.voters import Voter

pytestmark = pytest.mark.cluster


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[str]:
    """The URL of a single Redis server for the cache."""
    with single(tmp_path) as own:
        yield f"redis://127.0.0.1:{own.port}/0"


def moves(site: Site, settings: dict[str, str]) -> None:
    """Move a site while Bram votes, and assert that no acknowledged vote is lost."""
    with site.up(**HURRY) as up:
        bram = Member(site)
        viewed = bram.posts[3]
        bram.read(viewed)
        with Voter(bram) as voter:
            assert move(site, settings) == 0, site.output()
        assert up.wait(timeout=120) == 0
    assert voter.acknowledged > 0
    with site.up("--no-demo", **settings):
        assert voter.lost(bram) == {}
        assert f"{viewed}/" in bram.read("/history")
        assert site.command("check_voting", **settings).wait(timeout=120) == 0, site.output()


def test_site_moves_to_a_cluster_while_people_vote(
    cluster: Cluster, cache: str, tmp_path: Path
) -> None:
    moves(Site(tmp_path / "old"), {"REDIS_URL": cluster.url, "CACHE_URL": cache})


def test_site_moves_to_sentinels(guarded: Watched, cache: str, tmp_path: Path) -> None:
    moves(Site(tmp_path / "old"), {"REDIS_URL": guarded.url, "CACHE_URL": cache})

"""`manage.py backup` and `restore` for a site whose votes are on a cluster."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.nodes import Cluster, running, single
from tests.start.members import Member, run
from tests.start.site import Site
from voting.service import connect
from voting.types import Rules, Target, Vote

pytestmark = pytest.mark.cluster
STRANGER = 999_999
"""The id of a person created after the backup."""


@dataclass
class Place:
    """A stopped site that got one more vote after its backup."""

    folder: Path
    cluster: Cluster
    given: dict[str, str]
    bram: Member
    seen: dict[str, list[str]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("backed-up")
    with running(folder, replicas=False) as cluster, single(folder) as cache:
        given = {"REDIS_URL": cluster.url, "CACHE_URL": f"redis://127.0.0.1:{cache.port}/0"}
        site = Site(folder / "data")
        with site.up(**given):
            bram = Member(site)
            bram.vote(bram.posts[0], "down")
            seen = bram.sees_in_the_end()
            assert [page for page, shown in seen.items() if not shown] == [], "all show something"
            output = run(site, "backup", "--try", str(folder / "backup"), given=given)
            assert "Restored it to a temporary site" in output
            bram.vote(bram.posts[1], "down")
        yield Place(folder, cluster, given, bram, seen)


def left_of_stranger(cluster: Cluster) -> list[str]:
    """Return the keys whose name contains `STRANGER`, the id of a person without an account."""
    return [str(key) for key in cluster.plain.scan_iter(f"*{STRANGER}*")]


def test_forced_restore_replaces_a_site_on_a_cluster(
    place: Place,
) -> None:
    site, voting = Site(place.folder / "data"), connect(place.cluster.url, Rules())
    target = Target(int(place.bram.posts[0].removeprefix("/p/")))
    assert voting.votes.cast(STRANGER, target, Vote.UP).changed
    voting.comments.thread(target.post_id, [], viewer=STRANGER, visitor=f"u{STRANGER}", comments=0)
    assert left_of_stranger(place.cluster)
    output = run(site, "restore", str(place.folder / "backup"), code=1, given=place.given)
    assert (
        "Nothing was changed, because there is already a site. Use --force to replace it." in output
    )
    run(site, "restore", "--force", "--deep", str(place.folder / "backup"), given=place.given)
    assert left_of_stranger(place.cluster) == []
    with site.up("--no-demo", **place.given):
        place.bram.moves_to(site)
        assert place.bram.sees() == place.seen, "with the log-in that he had"


def test_restore_on_an_empty_cluster_brings_back_pages_votes_and_log_ins(place: Place) -> None:
    place.cluster.plain.flushall()
    site = Site(place.folder / "restored")
    output = run(site, "restore", str(place.folder / "backup"), given=place.given)
    assert "Redis and SQL agree" in output
    with site.up("--no-demo", **place.given):
        place.bram.moves_to(site)
        assert place.bram.sees() == place.seen
        again = Member(site)
        again.vote(again.posts[1], "up")
        assert again.own_vote(again.posts[1]) == "up"
        run(site, "check_voting", "--deep", given=place.given)

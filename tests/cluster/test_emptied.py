"""A server of a cluster restarts without its data, so the site rebuilds the whole cluster."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forum.ledger.archiver import archive_rest
from forum.models import LedgerEntry, Post
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import ensure_filled
from forum.store.post_records import read_post_records
from forum.store.service import get_voting_service
from tests.cluster.nodes import Cluster, Node, running
from tests.forum import factories
from tests.forum.factories import person
from tests.waiting import until
from voting import keys
from voting.errors import StoreEmpty, StoreUnavailable
from voting.types import Target, Vote

pytestmark = [pytest.mark.cluster, pytest.mark.django_db(transaction=True)]
BRAM, CLEO, DINA = 900_501, 900_502, 900_503


@pytest.fixture
def site(tmp_path: Path, settings: Any) -> Iterator[Cluster]:
    """An empty site whose votes are on a cluster without replicas."""
    with running(tmp_path, replicas=False) as cluster:
        settings.REDIS_URL = cluster.url
        get_voting_service.cache_clear()
        get_voting_service().maintenance.generations.open()
        yield cluster
    get_voting_service.cache_clear()


def ranks(site: Cluster) -> Node:
    """Return the cluster's server that stores the rankings."""
    return site.master_of(keys.generation(keys.RANK_TAG))


def posts_elsewhere(site: Cluster) -> tuple[Post, Post]:
    """Publish a post by Ada on each of the two servers that don't store the rankings."""
    ada, found = person("ada"), dict[int, Post]()
    while len(found) < 2:
        post = factories.post(ada)
        server = site.master_of(keys.post(post.pk))
        if server is not ranks(site):
            found[server.port] = post
    first, second = found.values()
    return first, second


def votes(voter: int, *on: Post) -> None:
    for post in on:
        assert get_voting_service().votes.cast(voter, Target(post.pk), Vote.UP).changed


def started_again(dead: Node) -> None:
    """Start a dead server with the data on its disk, and wait until the cluster works."""
    dead.start()
    until(lambda: dead.plain.cluster("INFO")["cluster_state"] == "ok", "the cluster is whole")
    until(lambda: _has_generations() is not None, "the site reaches it")


def _has_generations() -> bool | None:
    """Return True if all servers have their data, and False if a server has lost its data.

    Returns None if a server doesn't respond.
    """
    try:
        get_voting_service().maintenance.generations.current()
    except StoreEmpty:
        return False
    except StoreUnavailable:
        return None
    return True


def assert_counted(post: Post, *voters: int) -> None:
    """Assert that each voter's up vote is counted in Redis and is in SQL exactly once."""
    archive_rest(get_voting_service().maintenance.generations.current())
    entries = LedgerEntry.objects.filter(post_id=post.pk).exclude(user_id=post.author_id)
    assert sorted(entries.values_list("user_id", flat=True)) == sorted(voters)
    for voter in voters:
        (row,) = get_voting_service().posts.rows([post.pk], viewer=voter)
        assert (row.up, row.vote) == (1 + len(voters), Vote.UP), (
            f"person {voter} was told that it counts"
        )
    assert list(differences()) == []


def test_votes_on_other_servers_survive_the_loss_of_the_rankings(site: Cluster) -> None:
    post, other = posts_elsewhere(site)
    votes(BRAM, post, other)
    ranks(site).ask("FLUSHALL")
    votes(CLEO, post)
    assert ensure_filled()
    assert_counted(post, BRAM, CLEO)
    assert_counted(other, BRAM)


def test_votes_count_while_a_rebuild_has_opened_only_some_servers(site: Cluster) -> None:
    post, other = posts_elsewhere(site)
    maintenance, dying = get_voting_service().maintenance, ranks(site)
    (ended,) = set(maintenance.generations.close().values())
    archive_rest(ended)
    maintenance.generations.clear()
    maintenance.loading.load_posts(list(read_post_records(Post.objects.all())), filling=True)
    dying.kill()
    with pytest.raises(StoreUnavailable):
        maintenance.generations.open()
    votes(BRAM, post, other)
    started_again(dying)
    assert ensure_filled(), "the rankings were never opened"
    assert_counted(post, BRAM)
    assert_counted(other, BRAM)


def test_votes_survive_a_rebuild_that_died_while_closing_the_store(
    site: Cluster,
) -> None:
    post, other = posts_elsewhere(site)
    votes(BRAM, post, other)
    dying = site.master_of(keys.post(other.pk))
    dying.kill()
    with pytest.raises(StoreUnavailable):
        get_voting_service().maintenance.generations.close()  # and then the process dies
    ranks(site).ask("FLUSHALL")
    started_again(dying)
    votes(CLEO, other)
    assert ensure_filled()
    assert_counted(post, BRAM)
    assert_counted(other, BRAM, CLEO)

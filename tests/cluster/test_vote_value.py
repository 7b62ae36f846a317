"""The vote value (the seconds that a vote adds to a hot score) can be changed on a cluster, too."""

import pytest

from tests.cluster.nodes import Cluster
from tests.voting.sites import BRAM, CLEO, made, record, site_at, vote
from voting.types import Rules

pytestmark = pytest.mark.cluster


def test_new_vote_value_applies_to_votes_and_reloaded_posts(shared: Cluster) -> None:
    site = site_at(shared.url)
    site.maintenance.generations.open()
    other = site_at(shared.url, Rules(weight=1.0))
    post = made(site, 7_001)
    site.posts.publish(post)
    vote(site, BRAM, post.id)
    other.maintenance.generations.set_vote_seconds(5_000.0)
    vote(site, CLEO, post.id)
    assert (
        site.posts.standing(post.id).score
        == other.posts.standing(post.id).score
        == post.posted_at + 15_000
    )
    assert not site.maintenance.inspection.posts([post.id])[post.id].misplaced
    other.maintenance.generations.set_vote_seconds(6_000.0)
    assert site.maintenance.inspection.posts([post.id])[post.id].misplaced, (
        "until it is loaded again"
    )
    last = {post.id: site.maintenance.inspection.posts([post.id])[post.id].last}
    site.maintenance.loading.reload_posts([record(post, ups=(post.author_id, BRAM, CLEO))], last)
    assert not site.maintenance.inspection.posts([post.id])[post.id].misplaced

"""Even if voter sets are lost, posts and comments are loaded to Redis completely or not at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from redis import Redis

from tests.voting import comments
from tests.voting.relays import relay, server_socket
from tests.voting.sites import (
    ADA,
    BRAM,
    CLEO,
    DINA,
    listed,
    made,
    publish,
    record,
    site_at,
    vote,
)
from tests.voting.stored_state import voters
from voting import keys
from voting.errors import StoreUnavailable, UnknownTarget
from voting.maintenance import loading
from voting.redis.scripts import Script
from voting.service import VotingService
from voting.types import Order, Rules, Target, Vote

COMMENT_ID = 70
Loss = Callable[[Redis, str], object]
LOSSES: dict[str, Loss] = {
    "all of them": lambda redis, key: redis.delete(key),
    "one of them": lambda redis, key: redis.spop(key),
}
every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())


@contextmanager
def losing(redis: Redis, script: Script, loss: Loss, times: int = 1) -> Iterator[VotingService]:
    """Yield a site that loses voters just before each of the first `times` runs of `script`.

    Each time, the function `loss` deletes a whole voter set, or removes one voter from it.
    """
    left = [times]

    def lose() -> None:
        aside = list(redis.scan_iter("*:voters:*"))
        if aside and left[0]:
            left[0] -= 1
            loss(redis, aside[0])

    with relay(server_socket()) as line:
        line.meanwhile[script.sha.encode()] = lose
        yield site_at(line.url)
    assert not left[0], "they were lost, or this proves nothing"


@every_loss
def test_post_is_loaded_completely_after_its_voters_were_lost_once(
    site: VotingService, redis: Redis, loss: Loss
) -> None:
    with losing(redis, loading.LOAD(Rules()), loss) as far:
        assert (
            far.maintenance.loading.load_posts(
                [record(made(site, 7), ups=(ADA, BRAM), downs=(CLEO,))]
            )
            == 1
        )
    assert voters(redis, 7) == ({ADA, BRAM}, {CLEO})
    again = vote(site, BRAM, 7)
    assert (again.changed, again.up) == (False, 2), "nobody can vote twice"


@every_loss
def test_reloaded_post_is_complete_after_its_voters_were_lost_once(
    site: VotingService, redis: Redis, loss: Loss
) -> None:
    post = publish(site, 7)
    vote(site, BRAM, 7)
    last = site.maintenance.loading.last_changes([Target(7)])[Target(7)]
    with losing(redis, loading.LOAD(Rules()), loss) as far:
        assert far.maintenance.loading.reload_posts(
            [record(post, ups=(ADA, BRAM, CLEO))], {7: last}
        ) == {7}
    assert voters(redis, 7) == ({ADA, BRAM, CLEO}, set())
    assert not vote(site, CLEO, 7).changed


@every_loss
def test_comment_is_loaded_completely_after_its_voters_were_lost_once(
    site: VotingService, redis: Redis, loss: Loss
) -> None:
    publish(site, comments.POST)
    comment = comments.record(comments.comment(site, COMMENT_ID), ups=(ADA, BRAM), downs=(CLEO,))
    with losing(redis, loading.LOAD_COMMENT, loss) as far:
        assert far.maintenance.loading.load_comments([comment]) == 1
    assert comments.voters(redis, COMMENT_ID) == ({ADA, BRAM}, {CLEO})
    assert not comments.vote(site, CLEO, COMMENT_ID, Vote.DOWN).changed


def test_others_of_the_batch_are_loaded_once(site: VotingService, redis: Redis) -> None:
    some = [record(made(site, 7), ups=(ADA, BRAM)), record(made(site, 8), ups=(ADA, CLEO))]
    with losing(redis, loading.LOAD(Rules()), LOSSES["all of them"]) as far:
        assert far.maintenance.loading.load_posts(some) == 2
    assert voters(redis, 7) == ({ADA, BRAM}, set())
    assert voters(redis, 8) == ({ADA, CLEO}, set())


def test_post_is_not_loaded_if_its_voters_are_always_lost(
    site: VotingService, redis: Redis
) -> None:
    with (
        losing(redis, loading.LOAD(Rules()), LOSSES["all of them"], times=5) as far,
        pytest.raises(StoreUnavailable, match="lost again and again"),
    ):
        far.maintenance.loading.load_posts([record(made(site, 7), ups=(ADA, BRAM))])
    with pytest.raises(UnknownTarget):
        vote(site, DINA, 7)
    assert not redis.exists(keys.voters(Target(7)))


def test_unknown_retracted_target_accepts_votes_once_loaded(
    site: VotingService,
) -> None:
    site.posts.retract(7, 2)
    site.maintenance.loading.load_posts([record(made(site, 7, version=3), ups=(ADA, BRAM))])
    assert listed(site, Order.NEW) == [7]
    assert vote(site, CLEO, 7).up == 3
    publish(site, comments.POST)
    site.comments.retract(comments.POST, COMMENT_ID, 2)
    site.maintenance.loading.load_comments(
        [comments.record(comments.comment(site, COMMENT_ID, version=3), ups=(ADA, BRAM))]
    )
    assert comments.vote(site, CLEO, COMMENT_ID).up == 3


def test_older_record_does_not_undo_a_retraction(
    site: VotingService,
) -> None:
    site.posts.retract(7, 2)
    assert site.maintenance.loading.load_posts([record(made(site, 7), ups=(ADA, BRAM))]) == 0
    assert listed(site, Order.NEW) == []
    publish(site, comments.POST)
    site.comments.retract(comments.POST, COMMENT_ID, 2)
    assert (
        site.maintenance.loading.load_comments(
            [comments.record(comments.comment(site, COMMENT_ID))]
        )
        == 0
    )
    with pytest.raises(UnknownTarget):
        comments.vote(site, CLEO, COMMENT_ID)


def test_reloaded_post_keeps_its_last_change_and_unarchived_views(
    site: VotingService,
) -> None:
    publish(site, comments.POST)
    published = comments.publish_comment(site, COMMENT_ID)
    for visitor in ("u1", "u2"):
        site.views.count(comments.POST, visitor)
    post, comment = targets = [Target(comments.POST), Target(comments.POST, COMMENT_ID)]
    for on in targets:
        site.votes.cast(CLEO, on, Vote.DOWN)
    last = site.maintenance.loading.last_changes(targets)
    whole = record(made(site, comments.POST), downs=(CLEO,))
    assert site.maintenance.loading.reload_posts([whole], {comments.POST: last[post]}) == {
        comments.POST
    }
    comment_record = comments.record(published, downs=(CLEO,))
    assert site.maintenance.loading.reload_comments([comment_record], {comment: last[comment]}) == {
        comment
    }
    assert site.maintenance.loading.last_changes(targets) == last
    assert site.posts.rows([comments.POST])[0].views == 2
    for on in targets:
        assert not site.votes.cast(CLEO, on, Vote.DOWN).changed

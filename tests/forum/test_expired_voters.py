"""The site restores a target's set of voters in Redis if the set expired too early."""

from typing import Any

import pytest
from redis import Redis

from forum.actions import comments as comment_actions
from forum.models import Post, User
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.repair_posts import reload_missing_voters
from forum.operations.repair.scope import WHOLE
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.factories import person, post, reader
from tests.forum.past_posts import BRAM, CLEO, past_post
from voting import keys
from voting.errors import StoreUnavailable
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def liked(ada: User) -> tuple[Post, list[Target]]:
    """A post and a comment by Ada, each with an up vote by Bram and a down vote by Cleo.

    None of the votes is in SQL yet.
    """
    written = post(ada)
    comment = comment_actions.write(author=ada, post=written, parent=None, body="Well said")
    targets = [Target(written.pk), Target(written.pk, comment.pk)]
    for on in targets:
        get_voting_service().votes.cast(BRAM, on, Vote.UP)
        get_voting_service().votes.cast(CLEO, on, Vote.DOWN)
    return written, targets


def test_vote_during_the_recovery_is_refused_and_counts_once_later(
    redis: Redis, bob: User, liked: tuple[Post, list[Target]]
) -> None:
    written, targets = liked
    for on in targets:
        get_voting_service().votes.cast(bob.pk, on, Vote.UP)
        redis.expireat(keys.voters(on), 1)
    places = [f"/p/{written.pk}/vote", f"/p/{written.pk}/c/{targets[1].comment_id}/vote"]
    for place in places:
        refused = reader(bob).post(place, {"vote": "up"})
        assert refused.status_code == 503
        assert refused["Retry-After"]
    assert reload_missing_voters() == 2
    for place in places:
        assert reader(bob).post(place, {"vote": "up"}).status_code == 303
    for on in targets:
        ballot = get_voting_service().votes.cast(BRAM, on, Vote.NONE)
        assert (ballot.up, ballot.down) == (2, 1), "Ada and Bob, against Cleo"
    assert list(differences()) == []
    assert list(replay.differences(WHOLE)) == []
    assert reload_missing_voters() == 0, "nothing is left to reload"


def test_post_reopened_by_a_longer_window_is_no_clock_error(
    ada: User, new_rules: Any, caplog: pytest.LogCaptureFixture
) -> None:
    old = past_post(ada, days=8, ups=(BRAM,), downs=(CLEO,))
    post_sync.deliver([old.pk])
    new_rules(window=14 * 86_400)
    with pytest.raises(StoreUnavailable):
        get_voting_service().votes.cast(CLEO, Target(old.pk), Vote.UP)
    assert reload_missing_voters() == 1
    ballot = get_voting_service().votes.cast(CLEO, Target(old.pk), Vote.UP)
    assert (ballot.up, ballot.down) == (3, 0), "Cleo's archived vote is switched, not doubled"
    assert "VOTING_WINDOW" in caplog.text
    assert "clock" not in caplog.text


def test_deleted_post_is_not_recovered(redis: Redis, liked: tuple[Post, list[Target]]) -> None:
    written, targets = liked
    redis.expireat(keys.voters(targets[0]), 1)
    assert reader(person("dina")).post(f"/p/{written.pk}/vote", {"vote": "up"}).status_code == 503
    Post.objects.filter(pk=written.pk).update(deleted_at=written.created_at)
    reload_missing_voters()
    assert get_voting_service().maintenance.loading.missing_voters() == set()

"""If Redis lost votes and SQL's tallies are wrong, the site recounts the archived votes."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from redis import Redis

from forum.actions import comments as comment_actions
from forum.ledger.archiver import archive_rest
from forum.models import ArchivedVote, Comment, Post, User
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import ensure_filled
from forum.operations.repair.repair_posts import repair
from forum.operations.repair.scope import WHOLE
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.factories import post
from tests.forum.past_posts import BRAM, CLEO, past_post
from tests.voting.corruption import miscount
from voting import keys
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture(params=["a post", "a comment"])
def liked(request: Any, redis: Redis, ada: User) -> Target:
    """A post or comment by Ada with up votes by Ada, Bram and Cleo. SQL counts only two votes."""
    written = post(ada)
    on = Target(written.pk)
    if request.param == "a comment":
        comment = comment_actions.write(author=ada, post=written, parent=None, body="Well said")
        on = Target(written.pk, comment.pk)
    for voter in (BRAM, CLEO):
        get_voting_service().votes.cast(voter, on, Vote.UP)
        archive_rest(get_voting_service().maintenance.generations.current())
        if voter == BRAM:
            redis.srem(keys.voters(on), BRAM)
            miscount(redis, on, up=-1)
    assert stored(on).up == 2, "SQL counts 2 of 3 votes"
    return on


def stored(on: Target) -> Post | Comment:
    """Load the post or comment from SQL."""
    if on.comment_id:
        return Comment.objects.get(pk=on.comment_id)
    return Post.objects.get(pk=on.post_id)


def complaints() -> list[str]:
    """Return all differences between Redis and SQL, and between the ledger and the votes in SQL."""
    return [*differences(), *replay.differences(WHOLE)]


def test_emptied_redis_is_refilled_with_as_many_votes_as_voters(
    redis: Redis, ada: User, liked: Target
) -> None:
    redis.flushall()
    ensure_filled()
    assert complaints() == []
    last = [get_voting_service().votes.cast(who, liked, Vote.NONE) for who in (ada.pk, BRAM, CLEO)][
        -1
    ]
    assert (last.up, last.down) == (0, 0), "removing the vote removes exactly one"


def test_equal_but_wrong_tallies_are_reported_and_repaired(redis: Redis, liked: Target) -> None:
    redis.sadd(keys.voters(liked), BRAM)
    (difference,) = differences()
    assert difference.endswith(
        "number of up votes, and of people who voted up: SQL has 2, Redis has 3"
    )
    assert repair(WHOLE) == (1, 0)
    assert complaints() == []
    assert stored(liked).up == 3


def test_tallies_of_closed_posts_are_right_after_a_rebuild(redis: Redis, ada: User) -> None:
    old = past_post(ada, days=40, ups=(BRAM,), downs=(CLEO,))
    Post.objects.filter(pk=old.pk).update(up=7, down=0)
    redis.flushall()
    ensure_filled()
    (row,) = get_voting_service().posts.rows([old.pk])
    assert (row.up, row.down) == (2, 1)
    assert complaints() == []


def test_differences_only_in_the_ledger_are_repaired_by_a_deep_check(
    redis: Redis, ada: User, capsys: pytest.CaptureFixture[str]
) -> None:
    old = past_post(ada, days=40, ups=(BRAM,), downs=(CLEO,))
    Post.objects.filter(pk=old.pk).update(
        up=1, score=get_voting_service().posts.hot_score(old.posted_at, 0)
    )
    post_sync.deliver([old.pk])
    assert list(differences()) == [], "Redis and SQL agree, and Redis has no voters any more"
    with pytest.raises(CommandError, match="check_voting --deep --repair"):
        call_command("check_voting", deep=True)
    call_command("check_voting", deep=True, repair=True)
    assert "Reloaded 1 posts and comments; 0 were skipped" in capsys.readouterr().out
    assert get_voting_service().posts.rows([old.pk])[0].up == 2


def test_unrepairable_difference_is_reported_without_advice_to_repair(liked: Target) -> None:
    ArchivedVote.objects.filter(user_id=BRAM).delete()
    with pytest.raises(CommandError, match="didn't repair"):
        call_command("check_voting", deep=True, repair=True)

"""If the voting rules change, the site recomputes all scores while people vote."""

from random import Random
from typing import Any

import pytest
from redis import Redis

from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.models import Comment, Post, User
from forum.operations.repair.rebuild import ensure_scored, rebuild
from forum.store import post_sync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.past_posts import BRAM, CLEO, PastPost, archive_all, past_posts, posts_of_all_ages
from tests.voting.stored_state import assert_fits
from voting.errors import StoreUnavailable, VotingClosed
from voting.types import Formula, Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def stop(_more: int) -> None:
    raise StoreUnavailable("stopped half way")


@pytest.fixture
def posts(ada: User) -> list[Post]:
    """Posts with open and with closed voting. Redis lacks the voters of some closed posts."""
    return posts_of_all_ages(ada)


@pytest.mark.parametrize(
    "changed",
    [{"weight": 864.0}, {"formula": Formula.LOG}, {"window": 14 * 86_400}],
    ids=["weight", "formula", "window"],
)
def test_changed_rules_rescore_every_open_post_at_the_next_start(
    redis: Redis, ada: User, posts: list[Post], new_rules: Any, changed: dict[str, Any]
) -> None:
    archive_all()
    new_rules(**changed)
    assert ensure_scored(), "posts scored with other rules are rescored"
    assert not ensure_scored(), "nothing is left to score"
    service = get_voting_service()
    for one in Post.objects.all():
        standing = service.posts.standing(one.pk)
        assert standing.score == service.posts.hot_score(one.posted_at, standing.up - standing.down)
        if service.votes.is_open(one.posted_at):
            assert one.score == standing.score, "SQL has the same score"
    assert_fits(redis, service, [one.pk for one in posts[3:]], whole_ledger=False)


def test_interrupted_rescoring_starts_again_at_the_next_start(
    posts: list[Post], new_rules: Any
) -> None:
    new_rules(weight=864.0)
    with pytest.raises(StoreUnavailable):
        ensure_scored(progress=stop)
    assert get_voting_service().listings.page(Order.HOT, 1).rows, (
        "listings work during the rescoring"
    )
    assert ensure_scored()


def test_interrupted_rescoring_is_undone_if_settings_are_reverted(
    posts: list[Post], new_rules: Any
) -> None:
    new_rules(weight=864.0)
    with pytest.raises(StoreUnavailable):
        ensure_scored(progress=stop)
    new_rules()
    assert ensure_scored(), "some scores are by the settings of the interrupted run"
    service = get_voting_service()
    for one in Post.objects.all():
        score = service.posts.hot_score(one.posted_at, one.up - one.down)
        assert (service.posts.standing(one.pk).score, one.score) == (score, score)


def test_rescoring_can_stop_among_comments(ada: User, posts: list[Post], new_rules: Any) -> None:
    comments = Comment.objects.filter(pk=add_comment(ada, posts[-1]).pk)
    archive_all()
    comments.update(up=9)

    def stop_once_counted(_more: int) -> None:
        if comments.filter(up=1).exists():
            stop(_more)

    new_rules(weight=864.0)
    with pytest.raises(StoreUnavailable):
        ensure_scored(progress=stop_once_counted)


def test_restored_post_has_the_score_of_the_new_rules(posts: list[Post], new_rules: Any) -> None:
    archive_all()
    post_actions.delete(posts[-1])
    new_rules(weight=864.0)
    ensure_scored()
    visibility.release(Post.objects.get(pk=posts[-1].pk))
    one = Post.objects.get(pk=posts[-1].pk)
    score = get_voting_service().posts.hot_score(one.posted_at, one.up - one.down)
    assert (get_voting_service().posts.standing(one.pk).score, one.score) == (score, score)


def test_changed_rules_leave_the_best_posts_in_a_full_ranking(ada: User, new_rules: Any) -> None:
    new_rules(formula=Formula.LOG, ranking_limit=8)
    chance = Random(3)
    crowds = [range(600, 600 + chance.choice((0, 1, 5, 30, 60))) for _ in range(40)]
    made = past_posts(ada, *(PastPost(1 + n / 20, ups=crowd) for n, crowd in enumerate(crowds)))
    post_sync.deliver([one.pk for one in made])
    rebuild()
    new_rules(ranking_limit=8)
    ensure_scored()
    best = Post.objects.order_by("-score", "-pk").values_list("pk", flat=True)[:8]
    assert [row.id for row in get_voting_service().listings.page(Order.HOT, 1).rows] == list(best)


def test_longer_window_reopens_posts_with_their_votes(posts: list[Post], new_rules: Any) -> None:
    new_rules(window=14 * 86_400)
    ensure_scored()
    ballot = get_voting_service().votes.cast(CLEO, Target(posts[1].pk), Vote.UP)
    assert (ballot.up, ballot.down) == (3, 1), "Cleo's archived down vote is switched, not doubled"


def test_a_shorter_window_closes_posts(posts: list[Post], new_rules: Any) -> None:
    new_rules(window=86_400)
    ensure_scored()
    with pytest.raises(VotingClosed):
        get_voting_service().votes.cast(BRAM, Target(posts[3].pk), Vote.DOWN)
    assert get_voting_service().votes.cast(BRAM, Target(posts[4].pk), Vote.DOWN).changed

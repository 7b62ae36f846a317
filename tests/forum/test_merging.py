"""Merging duplicate posts, and undoing it."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from forum.gateway.service import get_voting_service
from forum.models import (
    BoardPoints,
    Comment,
    ModAction,
    Post,
    User,
)
from forum.moderation.actions import merges, undo
from forum.operations.repair import check, replay
from forum.operations.repair.scope import WHOLE
from tests.forum.comments import add_comment, comment_ids, page, vote
from tests.forum.factories import person, post
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import run_worker
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stella() -> User:
    """A moderator of the site."""
    return person("stella", is_staff=True)


@pytest.fixture
def cleo() -> User:
    """Cleo, who posts what Ada has posted before."""
    return person("cleo")


@pytest.fixture
def ticking() -> Iterator[None]:
    """The voting service's clock goes on by a second whenever somebody looks at it."""
    service = get_voting_service()
    before, moments = service.clock, count(service.clock())
    service.clock = lambda: next(moments)
    yield
    service.clock = before


def cast(who: User, on: Post, wanted: Vote) -> None:
    get_voting_service().votes.cast(who.pk, Target(on.pk), wanted)


def merge(source: Post, into: Post, by: User) -> ModAction:
    action = merges.merge(source, into, by=by, reason="Duplicate")
    run_worker()
    return action


def undone(action: ModAction, by: User) -> None:
    undo.undo(action, by=by)
    run_worker()


def tally(on: Post) -> tuple[int, int]:
    """Return the votes on a post, after checking that SQL and Redis have the same."""
    archive_all()
    row, _standing = get_voting_service().posts.get(on.pk)
    found = Post.objects.get(pk=on.pk)
    assert (found.up, found.down) == (row.up, row.down)
    return row.up, row.down


def assert_consistent() -> None:
    """Check that Redis, SQL and the ledger agree."""
    archive_all()
    run_worker()
    assert list(check.differences()) == []
    assert list(replay.differences(WHOLE)) == []


def test_comments_move_and_each_person_counts_once(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada, "The news"), post(cleo, "The news again")
    own, moved = add_comment(bob, first, "Here."), add_comment(bob, again, "There.")
    answer = add_comment(ada, again, "I agree.", moved)
    vote(cleo, moved, Vote.UP)
    cast(bob, first, Vote.UP)
    cast(bob, again, Vote.UP)
    merge(again, first, stella)
    assert set(comment_ids(page(first))) == {own.pk, moved.pk, answer.pk}
    assert tally(first) == (3, 0)
    found = Post.objects.get(pk=first.pk)
    assert (found.comment_count, found.last_comment) == (3, answer)
    assert vote(stella, Comment.objects.get(pk=moved.pk), Vote.UP).up == 3
    assert_consistent()


def test_latest_vote_counts(ada: User, bob: User, cleo: User, stella: User, ticking: None) -> None:
    first, again, dina = post(ada), post(cleo), person("dina")
    cast(bob, first, Vote.UP)
    cast(bob, again, Vote.DOWN)
    cast(dina, again, Vote.DOWN)
    cast(dina, first, Vote.UP)
    merge(again, first, stella)
    assert tally(first) == (3, 1)
    assert_consistent()


def test_undo_brings_everything_back(ada: User, bob: User, cleo: User, stella: User) -> None:
    first, again = post(ada, "The news"), post(cleo, "The news again", slugs="maths")
    moved = add_comment(bob, again, "There.")
    vote(ada, moved, Vote.UP)
    for who in (bob, stella):
        cast(who, again, Vote.UP)
    cast(bob, first, Vote.DOWN)
    archive_all()
    before = numbers()
    action = merge(again, first, stella)
    assert numbers() != before
    undone(action, stella)
    assert numbers() == before
    assert (tally(first), tally(again)) == ((1, 1), (3, 0))
    assert comment_ids(page(again)) == [moved.pk]
    assert_consistent()


def numbers() -> dict[str, Any]:
    """Return people's karma and likes, and all leaderboard lines."""
    lines = BoardPoints.objects.exclude(points=0).order_by("day", "group", "kind", "subject_id")
    people = User.objects.order_by("pk")
    return {
        "people": list(people.values_list("username", "karma", "likes_given")),
        "boards": list(lines.values_list("day", "group", "kind", "subject_id", "points")),
    }

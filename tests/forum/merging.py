"""Merging posts in tests, and comparing what follows from votes."""

from typing import Any

from forum.gateway.service import get_voting_service
from forum.models import (
    BoardPoints,
    ModAction,
    Post,
    User,
)
from forum.moderation.actions import merges, undo
from forum.operations.repair import check, replay
from forum.operations.repair.scope import WHOLE
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import run_worker
from voting.types import Target, Vote


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


def numbers() -> dict[str, Any]:
    """Return people's karma and likes, and all leaderboard lines."""
    lines = BoardPoints.objects.exclude(points=0).order_by("day", "group", "kind", "subject_id")
    people = User.objects.order_by("pk")
    return {
        "people": list(people.values_list("username", "karma", "likes_given")),
        "boards": list(lines.values_list("day", "group", "kind", "subject_id", "points")),
    }

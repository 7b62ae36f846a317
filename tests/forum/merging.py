"""Helpers that merge posts in tests, and check karma and leaderboards against the votes."""

from collections import Counter
from datetime import date
from typing import Any

from forum.ledger.cast_votes import CastVote
from forum.models import (
    ArchivedVote,
    BoardPoints,
    Comment,
    ModAction,
    Post,
    User,
)
from forum.moderation.actions import merges, undo
from forum.operations.repair import check, replay
from forum.operations.repair.scope import WHOLE
from forum.store.service import get_voting_service
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
    """Return how many up and down votes a post has. Assert that SQL and Redis agree."""
    archive_all()
    row, _standing = get_voting_service().posts.get(on.pk)
    found = Post.objects.get(pk=on.pk)
    assert (found.up, found.down) == (row.up, row.down)
    return row.up, row.down


def assert_consistent() -> None:
    """Assert that votes in Redis, votes in SQL and the ledger (the record of all votes) agree."""
    archive_all()
    run_worker()
    assert list(check.differences()) == []
    assert list(replay.differences(WHOLE)) == []
    assert_counted()


def assert_counted() -> None:
    """Assert that karma, likes given and leaderboards in SQL equal the sums of the votes in SQL."""
    karma, likes = Counter[int](), Counter[int]()
    points = Counter[tuple[date, str, str, int]]()
    posts = Post.objects.prefetch_related("groups").in_bulk()
    authors = dict(Comment.objects.values_list("pk", "author"))
    merged = {(one.merged_into_id, one.author_id) for one in posts.values() if one.merged_into_id}
    for cast_vote in ArchivedVote.objects.counted():
        written, who = posts[cast_vote.post_id], cast_vote.user_id
        about_post = cast_vote.comment_id == 0
        author = written.author_id if about_post else authors[cast_vote.comment_id]
        not_counted = written.merged_into_id or (written.pk, who) in merged
        if who == author or (about_post and not_counted):
            continue
        karma[author] += cast_vote.vote
        likes[who] += cast_vote.vote == Vote.UP
        day = CastVote.of(cast_vote).since.date()
        for group in ("", *(one.slug for one in written.groups.all())):
            points[day, group, "person", author] += cast_vote.vote
            if about_post:
                points[day, group, "post", written.pk] += cast_vote.vote
    found = User.objects.values_list("pk", "karma", "likes_given")
    assert list(found) == [(pk, karma[pk], likes[pk]) for pk, *_ in found]
    lines = BoardPoints.objects.values_list("day", "group", "kind", "subject_id", "points")
    assert {line[:4]: line[4] for line in lines if line[4]} == {
        line: n for line, n in points.items() if n
    }


def numbers() -> dict[str, Any]:
    """Return each person's karma and likes given, and the points on all leaderboards, from SQL."""
    lines = BoardPoints.objects.exclude(points=0).order_by("day", "group", "kind", "subject_id")
    people = User.objects.order_by("pk")
    return {
        "people": list(people.values_list("username", "karma", "likes_given")),
        "boards": list(lines.values_list("day", "group", "kind", "subject_id", "points")),
    }

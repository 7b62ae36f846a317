"""Posts are merged in several steps. Votes and outages between the steps do no harm."""

from functools import partial
from time import sleep
from typing import Any

import pytest

from forum.models import (
    Post,
    User,
)
from forum.moderation.actions import merge_steps, merges, undo
from forum.operations.repair.rebuild import refill
from forum.store import outbox
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, add_many_comments, comment_ids, page, vote
from tests.forum.concurrency import run_at_once
from tests.forum.factories import post, reader
from tests.forum.merging import assert_consistent, cast, merge, numbers, tally, undone
from tests.forum.outages import redis_down
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import deliver_outbox, make_rows_due, run_worker
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def test_people_vote_while_posts_are_merged(ada: User, cleo: User, stella: User) -> None:
    """Forty people vote the duplicate up. During the merge, some vote the remaining post down."""
    first, again = post(ada), post(cleo)
    people = range(5_001, 5_041)
    votes = get_voting_service().votes
    for one in people:
        votes.cast(one, Target(again.pk), Vote.UP)
    sleep(1.01)  # the times of votes are whole seconds
    action = merges.merge(again, first, by=stella, reason="Duplicate")

    def voting(some: range) -> None:
        for one in some:
            votes.cast(one, Target(first.pk), Vote.DOWN)

    run_at_once(
        run_worker, partial(voting, people[:10]), partial(voting, people[10:20]), archive_all
    )
    run_worker()
    assert tally(first) == (22, 20)
    assert_consistent()
    run_at_once(
        lambda: undo.undo(action, by=stella),
        partial(voting, people[20:30]),
        archive_all,
        run_worker,
    )
    run_worker()
    assert (tally(first), tally(again)) == ((1, 30), (41, 0))
    assert_consistent()


def test_many_comments_move_in_batches(
    ada: User, bob: User, cleo: User, stella: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_steps, "COMMENTS", 10)
    first, again = post(ada), post(cleo)
    add_many_comments([bob, cleo], again, 35)
    action = merges.merge(again, first, by=stella, reason="Duplicate")
    done = 0
    while outbox.repeat(in_background=True):
        done += 1
    assert done >= 4
    assert Post.objects.get(pk=first.pk).comment_count == 35
    assert_consistent()
    undone(action, stella)
    assert Post.objects.get(pk=first.pk).comment_count == 0
    assert Post.objects.get(pk=again.pk).comment_count == 35
    assert_consistent()


def test_undo_while_the_merge_is_still_going_on(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo)
    for _ in range(3):
        add_comment(bob, again)
    cast(bob, again, Vote.UP)
    archive_all()
    before = numbers()
    action = merges.merge(again, first, by=stella, reason="Duplicate")
    outbox.repeat(in_background=True)
    undone(action, stella)
    assert (tally(first), tally(again)) == ((1, 0), (2, 0))
    assert Post.objects.get(pk=again.pk).comment_count == 3
    assert numbers() == before
    assert_consistent()


def test_merge_waits_while_redis_is_down(
    ada: User, bob: User, cleo: User, stella: User, settings: Any
) -> None:
    first, again = post(ada), post(cleo)
    moved = add_comment(bob, again)
    with redis_down(settings):
        merge(again, first, stella)
        assert reader().get(again.get_absolute_url()).status_code == 303
    make_rows_due()
    deliver_outbox()
    run_worker()
    assert comment_ids(page(first)) == [moved.pk]
    assert_consistent()


def test_redis_is_filled_again_while_posts_are_merged(
    ada: User, bob: User, cleo: User, stella: User
) -> None:
    first, again = post(ada), post(cleo)
    moved = add_comment(bob, again)
    vote(cleo, moved, Vote.UP)
    cast(bob, again, Vote.UP)
    action = merge(again, first, stella)
    refill()
    assert tally(first) == (3, 0)
    undone(action, stella)
    assert (tally(first), tally(again)) == ((1, 0), (2, 0))
    assert_consistent()

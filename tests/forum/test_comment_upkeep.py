"""SQL and Redis agree about comments, even after outages, crashes, rebuilds and repairs."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.models import ArchivedVote, Comment, LedgerEntry, OutboxItem, Post, User
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import ensure_filled, rebuild
from forum.store import comment_records, outbox, post_sync
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, vote
from tests.forum.factories import reader
from tests.forum.outages import redis_down
from tests.forum.past_posts import archive_all
from tests.forum.worker_runs import deliver_outbox, make_rows_due
from tests.voting.comments import ledger, stored_newest, voters
from tests.voting.corruption import miscount
from voting import keys
from voting.errors import StoreUnavailable, UnknownTarget, VotingClosed
from voting.types import Target, Vote
from voting.types.comments import CommentTally

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
WEEK = 604_800


@pytest.fixture
def comments(ada: User, bob: User, question: Post) -> list[Comment]:
    """Bob's answer, Ada's reply to the answer, and another answer that Bob deleted."""
    answer = add_comment(bob, question, "This one.")
    below = add_comment(ada, question, "Why?", to=answer)
    deleted = add_comment(bob, question, "Or that.")
    vote(ada, answer, Vote.DOWN)
    vote(bob, below, Vote.UP)
    vote(ada, deleted, Vote.UP)
    comment_actions.delete(deleted, by=bob)
    return [answer, below, deleted]


def tallies(on: Post, viewer: User) -> dict[int, CommentTally]:
    """Return the vote counts of each comment on a post, and the viewer's votes, from Redis."""
    ids = list(Comment.objects.filter(post=on).values_list("pk", flat=True))
    return get_voting_service().comments.tallies(on.pk, ids, viewer=viewer.pk)


def test_comments_written_while_redis_is_down_are_delivered_later(
    redis: Redis, ada: User, bob: User, question: Post, settings: Any
) -> None:
    url = settings.REDIS_URL
    with redis_down(settings):
        kept, deleted = add_comment(bob, question, "Kept."), add_comment(bob, question, "Bad.")
        comment_actions.change(kept, "Kept and changed.")
        comment_actions.delete(deleted, by=bob)
        make_rows_due()
        with pytest.raises(StoreUnavailable):
            outbox.repeat()
    settings.REDIS_URL = url
    get_voting_service.cache_clear()
    assert tallies(question, bob) == {}
    outbox.repeat()
    assert set(tallies(question, bob)) == {kept.pk}
    assert ledger(redis, kept.pk, question.pk) == [(bob.pk, 1, 1, 0)]
    assert "Kept and changed." in stored_newest(redis, question.pk)[1][str(kept.pk)]
    assert get_voting_service().posts.rows([question.pk])[0].comments == 1
    with pytest.raises(UnknownTarget):
        vote(ada, deleted, Vote.UP)
    assert not OutboxItem.waiting_posts().exists()


class Killed(Exception):
    """Simulates that the process is killed."""


def kill() -> None:
    """Simulate that the process is killed after committing to SQL, and before syncing to Redis."""
    raise Killed


def test_worker_syncs_a_comment_after_a_crash_between_sql_and_redis(
    bob: User, question: Post
) -> None:
    with suppress(Killed), transaction.atomic():
        transaction.on_commit(kill)
        lost = add_comment(bob, question)
    assert tallies(question, bob) == {}
    deliver_outbox()
    assert tallies(question, bob)[lost.pk].vote is Vote.UP


def test_repeated_delivery_adds_no_vote_and_keeps_newer_ones(
    redis: Redis, ada: User, bob: User, question: Post, comments: list[Comment]
) -> None:
    vote(bob, comments[0], Vote.NONE)
    for one in comments:
        outbox.write(PostSync(question.pk, one.pk))
    deliver_outbox()
    assert voters(redis, comments[0].pk, question.pk) == (set(), {ada.pk})
    assert comments[2].pk not in tallies(question, ada), "the deleted comment stays deleted"


def test_the_archive_has_votes_and_tallies_of_comments(
    ada: User, bob: User, question: Post, comments: list[Comment]
) -> None:
    archive_all()
    answer, below, deleted = (Comment.objects.get(pk=one.pk) for one in comments)
    assert [(one.up, one.down) for one in (answer, below, deleted)] == [(1, 1), (2, 0), (2, 0)]
    votes = ArchivedVote.objects.filter(comment_id=answer.pk)
    assert dict(votes.values_list("user_id", "vote")) == {bob.pk: 1, ada.pk: -1}
    assert {one.post_id for one in votes} == {question.pk}
    assert LedgerEntry.objects.filter(comment_id=answer.pk).count() == 2
    assert Post.objects.get(pk=question.pk).up == 1, "votes on comments are not votes on the post"


def test_a_lost_redis_gets_tallies_voters_and_newest_comments_back(
    redis: Redis, ada: User, bob: User, question: Post, comments: list[Comment]
) -> None:
    archive_all()
    before = {one.pk: tallies(question, one) for one in (ada, bob)}
    voted = [voters(redis, one.pk, question.pk) for one in comments[:2]]
    redis.flushall()
    assert ensure_filled()
    assert {one.pk: tallies(question, one) for one in (ada, bob)} == before
    assert [voters(redis, one.pk, question.pk) for one in comments[:2]] == voted
    assert redis.ttl(keys.voters(Target(question.pk, comments[0].pk))) == -1, (
        "voters of answers never expire"
    )
    assert not vote(ada, comments[0], Vote.DOWN).changed
    assert (vote(ada, comments[0], Vote.UP).up, vote(bob, comments[1], Vote.NONE).up) == (2, 1)
    with pytest.raises(UnknownTarget):
        vote(ada, comments[2], Vote.UP)
    assert list(differences()) == []


def test_live_rebuild_keeps_votes_that_are_not_archived(
    ada: User, question: Post, comments: list[Comment]
) -> None:
    before = tallies(question, ada)
    assert get_voting_service().maintenance.ledger.lag() > 0
    rebuild()
    assert tallies(question, ada) == before


def test_live_rebuild_restores_newest_comments_from_sql(
    question: Post, comments: list[Comment]
) -> None:
    window, address = reader(), reverse("post_comments", args=[question.pk])
    assert "Why?" in window.get(address).content.decode()
    Comment.objects.filter(pk=comments[1].pk).update(body_html="<p>As SQL has it.</p>")
    assert "Why?" in window.get(address).content.decode(), "Redis has the list"
    rebuild()
    assert "As SQL has it." in window.get(address).content.decode()


def test_a_comment_written_just_before_redis_was_lost_has_its_authors_vote(
    redis: Redis, bob: User, question: Post
) -> None:
    fresh = add_comment(bob, question)
    redis.flushall()
    ensure_filled()
    assert not vote(bob, fresh, Vote.UP).changed
    assert tallies(question, bob)[fresh.pk].up == 1


def test_votes_on_a_comment_that_closed_long_ago_stay_counted(
    redis: Redis, ada: User, bob: User, question: Post, comments: list[Comment]
) -> None:
    archive_all()
    long_ago = timezone.now() - timedelta(seconds=2 * WEEK)
    Comment.objects.update(created_at=long_ago)
    rebuild()
    assert tallies(question, bob)[comments[1].pk].points == 2
    with pytest.raises(VotingClosed):
        vote(bob, comments[1], Vote.DOWN)
    assert vote(ada, comments[0], Vote.UP).changed, "voting on answers never closes"


def test_comments_of_a_post_deleted_during_a_rebuild_are_restored_with_it(
    ada: User, question: Post, comments: list[Comment]
) -> None:
    before = tallies(question, ada)
    post_actions.delete(question)
    rebuild()
    with pytest.raises(UnknownTarget):
        vote(ada, comments[0], Vote.UP)
    visibility.release(question)
    assert tallies(question, ada) == before
    assert vote(ada, comments[0], Vote.UP).up == 2


def test_an_imported_comment_comes_with_its_voters_and_no_new_ledger_entries(
    redis: Redis, bob: User, question: Post
) -> None:
    now = timezone.now().replace(microsecond=0)
    imported = Comment.objects.create(
        post=question, author=bob, body="Old.", body_html="", created_at=now, up=3
    )
    ArchivedVote.objects.bulk_create(
        ArchivedVote(user_id=voter, post_id=question.pk, comment_id=imported.pk, vote=1, at=now)
        for voter in (bob.pk, 801, 802)
    )
    outbox.write(PostSync(question.pk, imported.pk))
    post_sync.deliver([question.pk])
    assert voters(redis, imported.pk, question.pk) == ({bob.pk, 801, 802}, set())
    assert ledger(redis, imported.pk, question.pk) == []
    assert stored_newest(redis, question.pk)[0] == [imported.pk]


Tamper = Callable[[Redis, Target, User], object]
TAMPERING: dict[str, tuple[Tamper, str]] = {
    "an up vote counted twice": (
        lambda redis, on, ada: miscount(redis, on, up=1),
        "up votes: SQL has 1, Redis has 2",
    ),
    "a down vote not counted": (
        lambda redis, on, ada: miscount(redis, on, down=-1),
        "down votes: SQL has 1, Redis has 0",
    ),
    "a stranger among the voters": (
        lambda redis, on, ada: redis.sadd(keys.voters(on), 777),
        "people who voted up",
    ),
    "an opposite vote": (
        lambda redis, on, ada: (
            redis.srem(keys.voters(on), -ada.pk),
            redis.sadd(keys.voters(on), ada.pk),
        ),
        "people who voted down",
    ),
    "another time": (
        lambda redis, on, ada: redis.hincrby(keys.target(on), "posted_at", -60),
        "posting time",
    ),
    "an answer that would close": (
        lambda redis, on, ada: redis.hdel(keys.target(on), "open"),
        "an answer: SQL has True, Redis has False",
    ),
    "an edit missing in Redis": (
        lambda redis, on, ada: redis.hincrby(keys.target(on), "version", -1),
        "version: SQL has 1, Redis has 0",
    ),
    "marked as deleted": (
        lambda redis, on, ada: redis.hset(keys.target(on), "gone", 1),
        "shown: SQL has True, Redis has False",
    ),
    "deleted": (
        lambda redis, on, ada: redis.delete(keys.target(on)),
        "is missing in Redis",
    ),
}


@pytest.mark.parametrize(("tamper", "message"), TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_with_a_comment_is_reported_and_a_rebuild_repairs_it(
    redis: Redis, ada: User, comments: list[Comment], tamper: Tamper, message: str
) -> None:
    assert list(differences()) == []
    tamper(redis, Target(comments[0].post_id, comments[0].pk), ada)
    sentences = list(differences())
    assert any(f"comment {comments[0].pk}" in one and message in one for one in sentences), (
        sentences
    )
    rebuild()
    assert list(differences()) == []


def test_comment_waiting_in_the_outbox_is_no_difference(bob: User, question: Post) -> None:
    now = timezone.now().replace(microsecond=0)
    waiting = Comment.objects.create(
        post=question, author=bob, body="", body_html="", created_at=now, up=1
    )
    assert any("is missing" in sentence for sentence in differences())
    outbox.write(PostSync(question.pk, waiting.pk))
    assert list(differences()) == []


def test_records_are_read_in_two_queries_a_batch(
    question: Post, comments: list[Comment], django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(3):  # two for the batch; one finds no further batch
        found = list(comment_records.read_comment_records(Comment.objects.visible()))
    assert [one.comment.id for one in found] == [comments[0].pk, comments[1].pk]
    assert [one.comment.answer for one in found] == [True, False]

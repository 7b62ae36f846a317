"""New votes are copied to SQL even if Redis lost older votes that had been copied."""

import pytest
from django.db import OperationalError, transaction
from redis import Redis

from forum.ledger import cursors
from forum.ledger.archiver import Archiver, archive_rest
from forum.models import ArchivedVote, LedgerCursor, LedgerEntry, Post, User
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import ensure_filled, restore_forgotten
from forum.operations.repair.repair_posts import repair
from forum.operations.repair.scope import WHOLE
from forum.store.service import get_voting_service
from tests.forum.factories import post
from tests.forum.outages import failing_sql
from voting import keys
from voting.errors import StoreUnavailable
from voting.types import Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
BRAM, CLEO = 900_501, 900_502


@pytest.fixture
def written(ada: User) -> Post:
    """A post whose only vote has been copied to SQL."""
    made = post(ada)
    worker = Archiver("worker")
    assert worker.step(block_ms=1) == 1
    worker.stop()
    return made


@pytest.fixture
def ahead(written: Post) -> LedgerCursor:
    """A ledger cursor (the id of the last vote copied to SQL) that is a minute ahead of Redis."""
    shard = keys.shard(written.pk)
    cursor = LedgerCursor.objects.get(shard=shard)
    cursor.entry = f"{int(cursor.entry.split('-')[0]) + 60_000}-0"
    cursor.save()
    return cursor


def ups(of: Post) -> set[int]:
    """Return the ids of the people whose up vote on a post is in SQL."""
    votes = ArchivedVote.objects.filter(post_id=of.pk, vote=1)
    return set(votes.values_list("user_id", flat=True))


def test_votes_cast_while_the_clock_is_behind_are_archived(
    written: Post, ahead: LedgerCursor
) -> None:
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    worker = Archiver("another")
    worker.step(block_ms=1)
    assert ups(written) == {written.author_id, BRAM}, (
        "a vote cast before the loss was noticed is archived"
    )
    assert worker.behind == {ahead.shard: 1}
    get_voting_service().votes.cast(CLEO, Target(written.pk), Vote.UP)
    assert worker.step(block_ms=1) == 1
    assert ups(written) == {written.author_id, BRAM, CLEO}, "a vote cast afterwards is archived"
    assert get_voting_service().maintenance.ledger.lag() == 0
    restore_forgotten(worker.behind)
    assert not cursors.any_behind()
    assert list(differences()) == []


def test_repair_during_the_recovery_loses_no_vote(written: Post, ahead: LedgerCursor) -> None:
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    repair(WHOLE)
    assert ups(written) == {written.author_id, BRAM}
    assert get_voting_service().posts.rows([written.pk], viewer=BRAM)[0].vote is Vote.UP


def test_worker_killed_after_noticing_leaves_the_rest_to_the_next(
    written: Post, ahead: LedgerCursor
) -> None:
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    cursors.position(get_voting_service().maintenance.generations.current(), [ahead.shard])
    assert cursors.any_behind(), "noticed, but not recovered yet"
    archive_rest(get_voting_service().maintenance.generations.current())
    assert ups(written) == {written.author_id, BRAM}


def test_worker_killed_while_writing_leaves_all_to_the_next(
    written: Post, ahead: LedgerCursor
) -> None:
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    with failing_sql("INSERT INTO forum_archivedvote"), pytest.raises(OperationalError):
        archive_rest(get_voting_service().maintenance.generations.current())
    archive_rest(get_voting_service().maintenance.generations.current())
    assert ups(written) == {written.author_id, BRAM}


def test_lost_ledger_continues_after_its_archived_entries(
    redis: Redis, written: Post, ahead: LedgerCursor
) -> None:
    redis.delete(keys.ledger(ahead.shard))
    worker = Archiver("another")
    worker.step(block_ms=1)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    worker.step(block_ms=1)
    assert ups(written) == {written.author_id, BRAM}
    assert LedgerEntry.objects.latest("pk").entry > ahead.entry


def test_second_loss_during_the_recovery_is_noticed(ahead: LedgerCursor) -> None:
    worker = Archiver("another")
    worker.step(block_ms=1)
    assert worker.behind == {ahead.shard: 1}
    LedgerCursor.objects.filter(shard=ahead.shard).update(behind=2)
    restore_forgotten(worker.behind)
    assert cursors.any_behind()


def test_worker_stopped_during_the_recovery_leaves_it_to_the_next(ahead: LedgerCursor) -> None:
    worker = Archiver("another")
    worker.step(block_ms=1)

    def stopped(_more: int) -> None:
        raise StoreUnavailable("stopped half way")

    with pytest.raises(StoreUnavailable):
        restore_forgotten(worker.behind, stopped)
    assert cursors.any_behind()
    restore_forgotten(worker.behind)
    assert not cursors.any_behind()


def test_redis_refilled_before_the_recovery_lacks_nothing(
    redis: Redis, ahead: LedgerCursor
) -> None:
    Archiver("another").step(block_ms=1)
    assert cursors.any_behind()
    redis.flushall()
    ensure_filled()
    Archiver("a third").step(block_ms=1)
    assert not cursors.any_behind()


def test_complete_ledger_needs_no_recovery(redis: Redis, written: Post) -> None:
    redis.flushall()
    ensure_filled()
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    worker = Archiver("another")
    worker.step(block_ms=1)
    assert worker.behind == {}
    assert not cursors.any_behind()


def test_reader_of_an_earlier_generation_moves_no_cursor(redis: Redis, ada: User) -> None:
    """A process is suspended while Redis is emptied and filled again with a new generation."""
    made = post(ada)
    maintenance = get_voting_service().maintenance
    frozen = cursors.position(maintenance.generations.current(), maintenance.ledger.shards)
    redis.flushall()
    ensure_filled()
    assert Archiver("awake").step(block_ms=1) == 0
    with pytest.raises(cursors.StalePosition), transaction.atomic():
        cursors.move(frozen, {keys.shard(made.pk): "5-0"})

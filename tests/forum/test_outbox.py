"""The worker repeats failed syncs from the outbox until they succeed. Extra repeats do no harm."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions.unread import UnreadSync
from forum.models import LedgerEntry, OutboxItem, Post, User
from forum.operations import worker
from forum.store import outbox, post_sync
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.concurrency import after_query, run_at_once
from tests.forum.factories import groups, person, post
from tests.forum.outages import failing_sql, redis_down
from tests.forum.past_posts import past_post
from tests.forum.worker_runs import deliver_outbox, make_rows_due
from tests.patience import people_waiting
from tests.voting.servers import Server
from tests.voting.stored_state import assert_fits, ledger, voters
from tests.waiting import until
from voting import keys
from voting.errors import StoreEmpty, StoreUnavailable, UnknownTarget
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
BRAM = 900_501


def listed() -> list[int]:
    """Return the ids of the site's newest posts, from Redis."""
    return [row.id for row in get_voting_service().listings.page(Order.NEW, 1).rows]


def test_the_worker_delivers_every_kind() -> None:
    assert set(worker.DELIVERED) == set(outbox.KINDS.values())


def test_rows_of_unknown_kinds_are_left_to_newer_processes(ada: User) -> None:
    due = {"in_background": False, "due_at": timezone.now()}
    newer = OutboxItem.objects.create(kind="newer", details={}, **due)
    outbox.write(PostSync(post(ada).pk))
    assert deliver_outbox() == 1
    assert OutboxItem.objects.filter(pk=newer.pk).exists()


def test_failing_kind_is_retried_later_and_others_are_delivered(ada: User) -> None:
    written = post(ada)
    outbox.write(UnreadSync(["nobody"]), PostSync(written.pk))  # type: ignore[list-item]
    deliver_outbox()
    assert not OutboxItem.waiting_posts().exists()
    (broken,) = OutboxItem.objects.filter(kind="unread")
    assert broken.due_at > timezone.now() + outbox.LEASE / 2


def test_two_workers_take_no_row_twice(ada: User) -> None:
    outbox.write(PostSync(post(ada).pk), PostSync(post(ada).pk))
    make_rows_due()
    assert sum(run_at_once(*[outbox.repeat] * 4)) == 2


def test_rows_are_deleted_once_they_are_delivered(ada: User) -> None:
    written = post(ada)
    assert listed() == [written.pk]
    assert not OutboxItem.waiting_posts().exists()
    assert outbox.repeat() == 0


def test_a_post_written_while_redis_is_down_is_delivered_later(
    redis: Redis, ada: User, settings: Any
) -> None:
    url = settings.REDIS_URL
    with redis_down(settings):
        written = post(ada)
        make_rows_due()
        with pytest.raises(StoreUnavailable):
            outbox.repeat()
        assert OutboxItem.waiting_posts().count() == 1, "the post waits in the outbox"
    settings.REDIS_URL = url
    get_voting_service.cache_clear()
    assert listed() == []
    assert outbox.repeat() == 1
    assert listed() == [written.pk]
    assert voters(redis, written.pk) == ({ada.pk}, set())
    assert not OutboxItem.waiting_posts().exists()
    assert outbox.repeat() == 0


def test_a_post_written_while_redis_hangs_is_saved_and_has_one_vote_of_its_author(
    ada: User, server: Server
) -> None:
    with server.hung(), people_waiting():
        written = post(ada)
        assert Post.objects.filter(pk=written.pk).exists(), "the post is saved"
        assert OutboxItem.waiting_posts().count() == 1
    make_rows_due()
    until_delivered()
    with server.plain() as plain:
        assert voters(plain, written.pk) == ({ada.pk}, set())
        assert [entry[0] for entry in ledger(plain, written.pk)] == [ada.pk]
        assert_fits(plain, get_voting_service(), [written.pk])


def until_delivered() -> None:
    """Repeat failed syncs, as the worker does, until Redis is back and all posts are synced."""

    def delivered() -> bool:
        outbox.repeat()
        return not OutboxItem.waiting_posts().exists()

    until(delivered, "the outbox is delivered after the outage")


def test_a_post_written_while_redis_is_full_is_delivered_when_there_is_room(
    ada: User, server: Server
) -> None:
    with server.full():
        written = post(ada)
    assert deliver_outbox() == 1
    assert listed() == [written.pk]


def test_repeated_deliveries_add_no_second_vote_of_the_author(redis: Redis, ada: User) -> None:
    written = post(ada)
    for _ in range(3):
        outbox.write(PostSync(written.pk))
        make_rows_due()
        assert outbox.repeat() == 1
    assert voters(redis, written.pk) == ({ada.pk}, set())
    assert len(ledger(redis, written.pk)) == 1


def test_a_repeated_delivery_keeps_newer_votes(redis: Redis, ada: User) -> None:
    written = post(ada)
    get_voting_service().votes.cast(ada.pk, Target(written.pk), Vote.NONE)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.DOWN)
    post_sync.deliver([written.pk])
    assert voters(redis, written.pk) == (set(), {BRAM})
    assert_fits(redis, get_voting_service(), [written.pk])


def test_an_old_row_does_not_undo_a_newer_edit(redis: Redis, ada: User) -> None:
    written = post(ada, slugs="books")
    outbox.write(PostSync(written.pk))
    post_actions.regroup(written, groups("maths"))
    post_actions.change(written, title="The newer title", body="")
    deliver_outbox()
    (row,) = get_voting_service().posts.rows([written.pk])
    assert row.groups == ("maths",)
    assert "The newer title" in row.card
    assert get_voting_service().listings.page(Order.NEW, 1, group="books").total == 0


def test_a_row_written_during_a_delivery_is_kept(ada: User) -> None:
    written = post(ada)
    outbox.write(PostSync(written.pk))
    # The other thread only writes an outbox row, like a request that is killed after its commit.
    with after_query('FROM "forum_post"', partial(outbox.write, PostSync(written.pk))):
        post_sync.deliver([written.pk])
    assert OutboxItem.waiting_posts().count() == 1


def test_an_old_row_of_a_deleted_post_does_not_restore_it(ada: User) -> None:
    written = post(ada)
    outbox.write(PostSync(written.pk))
    post_actions.delete(written)
    deliver_outbox()
    assert listed() == []
    with pytest.raises(UnknownTarget):
        get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)


def test_a_post_deleted_while_redis_is_down_is_gone_when_it_is_up(ada: User, settings: Any) -> None:
    written, other = post(ada), post(ada)
    url = settings.REDIS_URL
    with redis_down(settings):
        post_actions.delete(written)
    settings.REDIS_URL = url
    get_voting_service.cache_clear()
    assert deliver_outbox() == 1
    assert listed() == [other.pk]


def test_the_worker_leaves_new_rows_to_the_request_that_wrote_them(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "GRACE", timedelta(hours=1))
    written = post(ada)
    outbox.write(PostSync(written.pk))
    assert outbox.repeat() == 0, "the request itself delivers the row"
    assert deliver_outbox() >= 1


def test_many_rows_are_delivered_in_batches(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for written in [past_post(ada, days=1) for _ in range(3)]:
        outbox.write(PostSync(written.pk))
    monkeypatch.setattr(outbox, "BATCH", 4)
    assert [deliver_outbox(), deliver_outbox()] == [4, 2]
    assert not OutboxItem.waiting_posts().exists()
    assert len(listed()) == 3


def test_an_imported_post_is_synced_with_its_voters_and_no_new_ledger_entries(
    redis: Redis, ada: User
) -> None:
    imported = past_post(ada, days=2, ups=range(900_600, 900_620), downs=(900_700,))
    post_sync.deliver([imported.pk])
    (row,) = get_voting_service().posts.rows([imported.pk], viewer=900_700)
    assert (row.up, row.down, row.vote) == (21, 1, Vote.DOWN)
    assert ledger(redis, imported.pk) == []
    assert not LedgerEntry.objects.exists()


def test_rows_wait_while_redis_is_empty(redis: Redis, ada: User) -> None:
    redis.flushall()
    written = past_post(ada, days=1)
    with pytest.raises(StoreEmpty):
        post_sync.deliver([written.pk])
    assert OutboxItem.waiting_posts().count() == 1
    assert not redis.exists(keys.post(written.pk))


def test_no_error_is_shown_if_sql_fails_after_the_commit(ada: User) -> None:
    with failing_sql('DELETE FROM "forum_outboxitem"'):
        written = post(ada)
    with failing_sql('SELECT "forum_inboxitem"'):
        comment_actions.write(author=person("bob"), post=written, parent=None, body="So it is.")
    assert Post.objects.get().comment_count == 1
    with failing_sql('DELETE FROM "forum_outboxitem"'):
        post_actions.regroup(written, groups("maths"))
    deliver_outbox()
    assert not OutboxItem.waiting_posts().exists()
    assert get_voting_service().posts.rows([written.pk])[0].groups == ("maths",)

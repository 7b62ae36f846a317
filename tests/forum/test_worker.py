"""The worker archives votes, retries failed syncs, refills an empty Redis, and survives errors."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from shutil import copytree, rmtree
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.utils import timezone
from redis import Redis

from forum.actions import following
from forum.ledger import cursors, vote_value
from forum.ledger.archiver import archive_rest
from forum.models import (
    AccountNetwork,
    ArchivedVote,
    LedgerCursor,
    LedgerEntry,
    OutboxItem,
    Post,
    QueueItem,
    User,
    VoteSign,
)
from forum.operations import worker
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.scope import WHOLE
from forum.store import outbox, post_sync
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.factories import post, reader
from tests.forum.outages import failing_sql
from tests.forum.past_posts import PastPost, past_posts
from tests.forum.voting_sites import cast, newcomers, older_person
from tests.forum.worker_runs import make_rows_due
from tests.voting.servers import Server
from tests.voting.sites import site_at
from tests.waiting import until
from voting import keys
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
BRAM, CLEO, DINA = 900_501, 900_502, 900_503


class Working:
    """A worker in a background thread. `by_way_of`, if given, wraps the worker's SQL queries."""

    def __init__(self, by_way_of: Callable[..., Any] | None = None) -> None:
        self._by_way_of = by_way_of
        self.stopping = Event()
        self.thread = Thread(target=self._run)

    def _run(self) -> None:
        way = connection.execute_wrapper(self._by_way_of) if self._by_way_of else nullcontext()
        try:
            with way:
                worker.run(self.stopping)
        finally:
            connection.close()

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join(timeout=120)
        assert not self.thread.is_alive(), "the worker has not stopped"


@pytest.fixture
def start() -> Iterator[Callable[[], Working]]:
    """Return a function that starts a worker. All started workers are stopped after the test."""
    started: list[Working] = []

    def begin(by_way_of: Callable[..., Any] | None = None) -> Working:
        started.append(Working(by_way_of))
        started[-1].thread.start()
        return started[-1]

    yield begin
    for one in started:
        one.stop()


def karma(user: User) -> int | None:
    """Return a person's karma from Redis."""
    found = get_voting_service().people.counts(user.pk)
    return found.karma if found else None


def test_votes_are_in_sql_within_seconds(start: Callable[[], Working], ada: User) -> None:
    written = post(ada)
    start()
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.DOWN)
    until(
        lambda: ArchivedVote.objects.filter(user_id=BRAM, vote=-1).exists(), "the vote is archived"
    )
    until(lambda: Post.objects.get(pk=written.pk).down == 1, "its tally is archived, too")


def test_votes_are_archived_while_the_site_is_read_only(
    start: Callable[[], Working], ada: User, settings: Any
) -> None:
    written = post(ada)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.DOWN)
    settings.READ_ONLY = True
    start()
    until(lambda: Post.objects.get(pk=written.pk).down == 1, "the vote is archived")


def test_worker_started_before_sql_delivers_the_outbox(
    start: Callable[..., Working], ada: User, bob: User
) -> None:
    get_voting_service().votes.cast(bob.pk, Target(post(ada).pk), Vote.UP)
    with failing_sql("SELECT given.*, points"):
        archive_rest(get_voting_service().maintenance.generations.current())
    make_rows_due()
    absences = iter([OperationalError("SQL is starting")] * 2)

    def late(execute: Any, sql: str, *rest: Any) -> Any:
        if 'FROM "forum_outboxitem"' in sql and (absence := next(absences, None)):
            raise absence
        return execute(sql, *rest)

    start(late)
    until(lambda: karma(ada) == 1, "Ada's karma counts the vote")
    until(lambda: not OutboxItem.objects.exists(), "nothing waits")


def test_expired_sessions_are_deleted(start: Callable[[], Working], bob: User) -> None:
    for _ in range(2):
        reader(bob)
    ended = Session.objects.all()[0]
    Session.objects.filter(pk=ended.pk).update(expire_date=timezone.now())
    start()
    until(lambda: Session.objects.count() == 1, "one process has ended")
    assert not Session.objects.filter(pk=ended.pk).exists(), "valid sessions are kept"


def test_old_networks_and_earlier_signs_are_deleted(
    start: Callable[[], Working], bob: User
) -> None:
    day = (timezone.now() - timedelta(days=31)).date()
    AccountNetwork.objects.create(person=bob, day=day, month=f"{day:%Y-%m}", network="x")
    now, kind = timezone.now(), VoteSign.Kind.SIGN_UPS
    VoteSign.objects.create(kind=kind, since=now, until=now, votes=0, people=[], accounts=0)
    start()
    until(lambda: not AccountNetwork.objects.exists(), "the network is deleted")
    until(lambda: not VoteSign.objects.exists(), "the worker has searched the votes")


def test_new_accounts_that_vote_on_a_post_raise_an_alarm(
    start: Callable[[], Working], settings: Any
) -> None:
    settings.ALARM_NEW_VOTES = 1
    written = post(older_person("author"))
    for who in newcomers(2):
        cast(who, written)
    archive_rest(get_voting_service().maintenance.generations.current())
    start()
    until(lambda: QueueItem.objects.filter(post=written).exists(), "the post is in the queue")


def test_votes_are_archived_while_another_process_rebuilds_redis(
    start: Callable[[], Working], ada: User
) -> None:
    target = Target(post(ada).pk)
    archive_rest(get_voting_service().maintenance.generations.current())
    LedgerCursor.objects.update(behind=1)
    lease = get_voting_service().maintenance.ledger.take_rebuild_lease
    assert lease("somebody else")
    start()
    for voter in (BRAM, CLEO, DINA):
        archived = ArchivedVote.objects.filter(user_id=voter)
        get_voting_service().votes.cast(voter, target, Vote.DOWN)
        until(
            lambda: lease("somebody else") and archived.exists(),  # noqa: B023  # it is done by then
            "the vote is archived, and only one process rebuilt Redis",
        )
    assert cursors.any_behind()
    get_voting_service().maintenance.ledger.drop_rebuild_lease("somebody else")
    until(lambda: not cursors.any_behind(), "the lost vote is restored")


def test_old_outbox_rows_are_delivered(
    start: Callable[[], Working], redis: Redis, ada: User
) -> None:
    written = post(ada)
    redis.delete(keys.post(written.pk))
    outbox.write(PostSync(written.pk))
    OutboxItem.objects.update(due_at=timezone.now())
    start()
    until(lambda: get_voting_service().posts.rows([written.pk]), "the post appears")
    until(lambda: not OutboxItem.waiting_posts().exists(), "the outbox is empty")


def test_voters_expired_by_a_wrong_clock_are_reloaded_at_the_next_vote(
    start: Callable[[], Working], redis: Redis, ada: User
) -> None:
    target = Target(post(ada).pk)
    get_voting_service().votes.cast(BRAM, target, Vote.UP)
    redis.expireat(keys.voters(target), 1)
    start()
    ballot = until(
        lambda: get_voting_service().votes.cast(BRAM, target, Vote.DOWN), "votes are taken again"
    )
    assert (ballot.up, ballot.down) == (1, 1), "Bram's first vote is switched, not doubled"


def test_an_empty_redis_is_filled(start: Callable[[], Working], redis: Redis, ada: User) -> None:
    written = post(ada)
    start()
    until(LedgerEntry.objects.exists, "the worker works")
    redis.flushall()
    (row,) = until(
        lambda: get_voting_service().listings.page(Order.HOT, 1).rows, "the front page is back"
    )
    assert (row.id, row.up) == (written.pk, 1)


def test_a_worker_that_starts_with_an_empty_redis_fills_it_at_once(
    start: Callable[[], Working], redis: Redis, ada: User
) -> None:
    post(ada)
    redis.flushall()
    start()
    until(lambda: get_voting_service().listings.page(Order.HOT, 1).rows, "the front page is back")


def test_a_worker_that_starts_with_other_settings_rescores_every_post(
    start: Callable[[], Working], ada: User, new_rules: Any
) -> None:
    written = post(ada)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    before = get_voting_service().posts.standing(written.pk).score
    new_rules(weight=864.0)
    start()
    until(
        get_voting_service().maintenance.generations.has_current_rules,
        "the scores are of the new settings",
    )
    gained = 2 * (864.0 - 4_320.0)
    until(
        lambda: get_voting_service().posts.standing(written.pk).score == before + gained,
        "votes weigh less now",
    )


def test_a_worker_measures_the_vote_value_and_scores_posts_by_it(
    start: Callable[[], Working], ada: User
) -> None:
    made = past_posts(ada, *(PastPost(2, ups=range(600, 639)) for _ in range(30)))
    post_sync.deliver([one.pk for one in made])
    start()
    right = made[0].posted_at + 40 * 86_400 / 40
    until(
        lambda: get_voting_service().posts.standing(made[0].pk).score == right,
        "a good post gets 40 votes",
    )
    until(
        lambda: get_voting_service().maintenance.generations.has_current_rules(86_400 / 40),
        "and all posts are scored",
    )
    assert Post.objects.get(pk=made[0].pk).score == right


def test_a_running_worker_keeps_a_redis_filled_with_newer_settings(
    start: Callable[[], Working], ada: User, settings: Any
) -> None:
    written, own = post(ada), get_voting_service().maintenance.generations
    newer = site_at(settings.REDIS_URL, replace(settings.VOTING_RULES, weight=864.0))
    newer.maintenance.generations.record_rules()
    start()
    until(lambda: own.has_current_rules(vote_value.weight()), "the starting worker re-scores posts")
    until(
        lambda: newer.maintenance.ledger.take_rebuild_lease("newer"),
        "no other process rebuilds Redis",
    )
    newer.maintenance.generations.close()
    sleep(1.0)
    newer.maintenance.generations.open()
    newer.maintenance.ledger.drop_rebuild_lease("newer")
    newer.votes.cast(BRAM, Target(written.pk), Vote.UP)
    until(lambda: ArchivedVote.objects.filter(user_id=BRAM).exists(), "the worker continues")
    assert newer.maintenance.generations.has_current_rules(), (
        "it didn't rebuild Redis with its older settings"
    )


def test_a_worker_waits_while_redis_hangs(
    people_wait: None, start: Callable[[], Working], server: Server, ada: User
) -> None:
    written = post(ada)
    working = start()
    until(lambda: LedgerEntry.objects.count() == 1, "the worker works")
    with server.hung():
        working.thread.join(timeout=1.2)
        assert working.thread.is_alive(), "the worker keeps running"
    until(
        lambda: get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP),
        "votes are taken again",
    )
    until(lambda: LedgerEntry.objects.count() == 2, "the votes are archived")


def test_restored_older_redis_gets_lost_data_back_during_votes(
    start: Callable[[], Working], server: Server, ada: User, bob: User, tmp_path: Path
) -> None:
    """The worker notices that Redis was restored from its own older snapshot."""
    written = post(ada)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    copytree(server.directory / "appendonlydir", tmp_path / "older")
    target = Target(written.pk)
    for voter in (BRAM, CLEO):
        get_voting_service().votes.cast(voter, target, Vote.DOWN)
    forgotten = post(bob, "Forgotten")
    following.set_follow(bob, ada, on=True)
    working = start()
    until(lambda: LedgerEntry.objects.count() == 5, "everything is archived")
    working.stop()
    server.kill()
    rmtree(server.directory / "appendonlydir")
    copytree(tmp_path / "older", server.directory / "appendonlydir")
    server.start()
    assert until(lambda: get_voting_service().posts.rows([written.pk]), "it answers")[0].up == 2, (
        "Redis is the older one"
    )
    get_voting_service().votes.cast(DINA, target, Vote.UP)
    start()
    until(lambda: get_voting_service().posts.rows([forgotten.pk]), "the lost post is restored")
    until(lambda: not cursors.any_behind(), "everything else is restored")
    (row,) = get_voting_service().posts.rows([written.pk], viewer=BRAM)
    assert (row.up, row.down, row.vote) == (2, 2, Vote.DOWN), "Ada, Dina; Bram, Cleo"
    assert get_voting_service().follows.counts(ada.pk).followers == 1
    assert ArchivedVote.objects.get(user_id=DINA).vote == 1, "cast on the restored older Redis"
    assert list(differences(WHOLE)) == list(replay.differences(WHOLE)) == []


def test_worker_continues_after_a_restart_of_redis(
    start: Callable[[], Working], server: Server, ada: User
) -> None:
    written = post(ada)
    start()
    until(lambda: LedgerEntry.objects.count() == 1, "the worker works")
    server.kill()
    server.start()
    until(
        lambda: get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP),
        "votes are taken again",
    )
    until(lambda: LedgerEntry.objects.count() == 2, "the votes are archived")


@pytest.mark.long
def test_a_second_worker_takes_over_when_the_first_stops(
    start: Callable[[], Working], ada: User
) -> None:
    written = post(ada)
    first = start()
    until(lambda: LedgerEntry.objects.count() == 1, "the first worker works")
    start()
    first.stop()
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    until(lambda: LedgerEntry.objects.count() == 2, "the second worker continues")


def test_a_worker_can_be_stopped_while_redis_is_down(
    people_wait: None, start: Callable[[], Working], server: Server, ada: User
) -> None:
    post(ada)
    working = start()
    until(lambda: LedgerEntry.objects.count() == 1, "the worker works")
    with server.hung():
        working.stop()

"""Each vote is copied from the ledger in Redis to SQL once and in order, even if a process dies."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from random import Random
from threading import Event
from time import monotonic, sleep

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.models import BigAutoField
from redis import Redis
from structlog.testing import capture_logs

from forum.ledger.archiver import ROUND, Archiver, archive, archive_rest
from forum.ledger.cursors import Position, StalePosition, position
from forum.models import (
    ArchivedVote,
    BoardPoints,
    DailyViews,
    InboxItem,
    LedgerCursor,
    LedgerEntry,
    OutboxItem,
    Post,
    User,
)
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.factories import post
from tests.forum.outages import failing_sql
from tests.forum.past_posts import BRAM, CLEO, to_datetime
from tests.voting.servers import Server
from tests.waiting import set_at_end, until
from voting import keys
from voting.errors import StoreEmpty, StoreUnavailable
from voting.types import Target, Vote
from voting.types.maintenance import VoteEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def written(ada: User) -> Post:
    """A post on which Bram voted up and later down, and Cleo voted down."""
    made = post(ada)
    for voter, vote in ((BRAM, Vote.UP), (CLEO, Vote.DOWN), (BRAM, Vote.DOWN)):
        get_voting_service().votes.cast(voter, Target(made.pk), vote)
    return made


def read() -> tuple[Position, list[VoteEntry]]:
    """Return the position where a new ledger reader starts, and the first entries that it reads."""
    maintenance = get_voting_service().maintenance
    where = position(maintenance.generations.current(), maintenance.ledger.shards)
    return where, maintenance.ledger.read(where.cursors)


def archived() -> list[tuple[int, int]]:
    """Return the person's id and the vote of each ledger entry that was copied to SQL, in order."""
    return list(LedgerEntry.objects.order_by("pk").values_list("user_id", "vote"))


@contextmanager
def trimming_refused(redis: Redis) -> Iterator[None]:
    """In the `with` block, Redis refuses writes, so trimming the ledger raises StoreUnavailable."""
    if get_voting_service().store.is_cluster:
        pytest.skip("on a cluster, ranking posts comes first and fails, too")
    redis.config_set("min-replicas-to-write", 9)
    try:
        with pytest.raises(StoreUnavailable):
            yield
    finally:
        redis.config_set("min-replicas-to-write", 0)


def test_every_change_reaches_sql_once_and_in_order(ada: User, written: Post) -> None:
    reader = Archiver("reader")
    assert reader.step(block_ms=1) == 4
    assert archived() == [(ada.pk, 1), (BRAM, 1), (CLEO, -1), (BRAM, -1)]
    assert reader.step(block_ms=1) == 0, "there is nothing left to read"
    assert get_voting_service().maintenance.ledger.lag() == 0, "archived entries are trimmed"
    entry = LedgerEntry.objects.last()
    assert entry is not None
    assert (entry.post_id, entry.comment_id, entry.shard) == (written.pk, 0, written.pk % 64)
    assert abs(entry.at - to_datetime(get_voting_service().now())).total_seconds() < 60


def test_archive_has_each_persons_current_vote(ada: User, written: Post) -> None:
    Archiver("reader").step(block_ms=1)
    get_voting_service().votes.cast(CLEO, Target(written.pk), Vote.NONE)
    Archiver("reader").step(block_ms=1)
    votes = ArchivedVote.objects.filter(post_id=written.pk)
    assert dict(votes.values_list("user_id", "vote")) == {ada.pk: 1, BRAM: -1, CLEO: 0}


def test_archiving_updates_tallies_and_score_of_the_post(written: Post) -> None:
    Archiver("reader").step(block_ms=1)
    written.refresh_from_db()
    assert (written.up, written.down) == (1, 2)
    in_redis = get_voting_service().posts.standing(written.pk)
    assert written.score == in_redis.score == written.posted_at - 28_800


def test_votes_on_a_post_that_sql_does_not_have_are_archived(written: Post) -> None:
    Post.objects.all().delete()
    assert Archiver("reader").step(block_ms=1) == 4


def test_more_votes_than_fit_in_one_transaction_are_archived_in_one_step(ada: User) -> None:
    posts = [post(ada).pk for _ in range(5)]
    for voter in range(ROUND // 5 + 20):
        for post_id in posts:
            get_voting_service().votes.cast(900_000 + voter, Target(post_id), Vote.UP)
    assert Archiver("reader").step(block_ms=1) == ROUND + 105
    assert LedgerEntry.objects.count() == ROUND + 105
    assert get_voting_service().maintenance.ledger.lag() == 0


def test_archiving_the_rest_takes_several_reads_if_needed(ada: User) -> None:
    crowded, piece = post(ada), get_voting_service().maintenance.ledger.batch
    for voter in range(piece):
        get_voting_service().votes.cast(900_000 + voter, Target(crowded.pk), Vote.UP)
    generation = get_voting_service().maintenance.generations.current()
    assert archive_rest(generation) == piece + 1, "including the author's vote"
    assert get_voting_service().maintenance.ledger.lag() == 0


def test_reader_killed_between_commit_and_trim_doubles_nothing(redis: Redis, written: Post) -> None:
    where, entries = read()
    with trimming_refused(redis):
        archive(where, entries)
    assert get_voting_service().maintenance.ledger.lag() == 4, "nothing was trimmed"
    assert LedgerEntry.objects.count() == 4, "all is committed"
    assert Archiver("another").step(block_ms=1) == 0
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    assert Archiver("another").step(block_ms=1) == 1
    assert LedgerEntry.objects.count() == 5
    assert get_voting_service().maintenance.ledger.lag() == 0


def test_a_reader_that_could_not_trim_trims_later(redis: Redis, written: Post) -> None:
    reader = Archiver("reader")
    reader.step(block_ms=1)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    with trimming_refused(redis):
        reader.step(block_ms=1)
    assert get_voting_service().maintenance.ledger.lag() == 1
    assert reader.step(block_ms=1) == 0, "it is archived already"
    assert get_voting_service().maintenance.ledger.lag() == 0


def test_entries_that_a_dead_reader_left_do_not_delay_a_rebuild(
    redis: Redis, written: Post
) -> None:
    where, entries = read()
    with trimming_refused(redis):
        archive(where, entries)
    generation = get_voting_service().maintenance.generations.current()
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(in_a_thread(partial(archive_rest, generation)))
        try:
            assert rest.result(timeout=120) == 0
            assert get_voting_service().maintenance.ledger.lag() == 0, "it is trimmed now"
        finally:
            redis.delete(*(keys.ledger(shard) for shard in range(keys.SHARDS)))
    assert LedgerEntry.objects.count() == 4


def test_a_reader_killed_before_committing_loses_nothing(written: Post) -> None:
    where, entries = read()
    with failing_sql("INSERT INTO forum_archivedvote"), pytest.raises(OperationalError):
        archive(where, entries)
    assert archived() == [], "the transaction was rolled back"
    assert Archiver("another").step(block_ms=1) == 4
    assert [voter for voter, _ in archived()] == [written.author_id, BRAM, CLEO, BRAM]


def test_an_entry_that_sql_rejects_stops_only_its_shard(
    redis: Redis, ada: User, written: Post
) -> None:
    elsewhere = [post(ada) for _ in range(3)]
    shard = keys.shard(written.pk)
    broken = str(redis.xadd(keys.ledger(shard), {"e": f"-1 {written.pk} 0 1 1 9 9"}))
    reader = Archiver("reader")
    with capture_logs() as lines:
        assert reader.step(block_ms=1) == 3, "the other shards' posts"
    errors = [line for line in lines if line["log_level"] == "error"]
    assert [line["shard"] for line in errors] == [shard]
    get_voting_service().votes.cast(BRAM, Target(elsewhere[0].pk), Vote.UP)
    assert reader.step(block_ms=1) == 1, "reading continues"
    redis.xdel(keys.ledger(shard), broken)
    reader.look_again()
    assert reader.step(block_ms=1) == 4, "after the entry was removed"
    assert get_voting_service().maintenance.ledger.lag() == 0


@pytest.mark.parametrize("command", ["rebuild_voting", "check_voting"])
def test_a_rebuild_fails_with_a_sentence_if_sql_rejects_an_entry(
    redis: Redis, written: Post, command: str
) -> None:
    ledger = keys.ledger(keys.shard(written.pk))
    broken = str(redis.xadd(ledger, {"e": f"-1 {written.pk} 0 1 1 9 9"}))
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    with pytest.raises(CommandError, match=r"SQL refuses a vote that isn.t archived yet"):
        call_command(command)
    (row,) = get_voting_service().posts.rows([written.pk], viewer=BRAM)
    assert row.vote is Vote.UP, "people can still vote"
    redis.xdel(ledger, broken)
    call_command(command)
    assert archived()[-1] == (BRAM, 1)


def test_a_reader_overtaken_by_another_writes_nothing_and_continues_after_it(written: Post) -> None:
    slow, same = read()
    quick, entries = read()
    archive(quick, entries)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.NONE)
    with pytest.raises(StalePosition):
        archive(slow, same)
    assert LedgerEntry.objects.count() == 4
    assert Archiver("slow").step(block_ms=1) == 1
    assert LedgerEntry.objects.count() == 5


def test_a_reader_without_leases_waits() -> None:
    Archiver("first").step(block_ms=1)
    second = Archiver("second")
    second.step(block_ms=1)
    began = monotonic()
    for _ in range(3):
        assert second.step(block_ms=50) == 0
    assert monotonic() - began >= 0.15, "a step without entries waits for block_ms"


def test_a_reader_that_stops_drops_its_leases(written: Post) -> None:
    first = Archiver("first")
    first.step(block_ms=1)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.NONE)
    assert Archiver("second").step(block_ms=1) == 0, "the first has the leases"
    first.stop()
    assert Archiver("second").step(block_ms=1) == 1


def test_archiving_frees_a_full_server(ada: User, server: Server) -> None:
    on = Target(post(ada).pk)
    get_voting_service().votes.cast(BRAM, on, Vote.UP)
    worker = Archiver("worker")

    def is_archived() -> bool:
        worker.step(block_ms=1)
        return get_voting_service().maintenance.ledger.lag() == 0

    with server.full():
        with pytest.raises(StoreUnavailable):
            get_voting_service().votes.cast(BRAM, on, Vote.NONE)
        until(is_archived, "the worker has archived all")
    assert archived() == [(ada.pk, 1), (BRAM, 1)]


def test_a_reader_raises_if_redis_is_empty(redis: Redis, written: Post) -> None:
    redis.flushall()
    with pytest.raises(StoreEmpty):
        Archiver("reader").step(block_ms=1)


def test_new_generation_is_read_from_its_start_and_sql_keeps_its_rows(
    redis: Redis, written: Post
) -> None:
    reader = Archiver("reader")
    reader.step(block_ms=1)
    first = get_voting_service().maintenance.generations.current()
    redis.flushall()
    ensure_filled()
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    second = get_voting_service().maintenance.generations.current()
    assert reader.step(block_ms=1) == 0, "the reader notices the new generation"
    assert reader.step(block_ms=1) == 1
    made = LedgerEntry.objects.order_by("pk").values_list("generation", flat=True)
    assert list(made) == [first] * 4 + [second]
    cursor = LedgerCursor.objects.get(shard=written.pk % 64)
    assert cursor.generation == second
    assert ArchivedVote.objects.get(post_id=written.pk, user_id=BRAM).vote == Vote.UP


def in_a_thread(work: Callable[[], object]) -> Callable[[], object]:
    """Return a function that runs `work` and then closes the thread's SQL connection."""

    def wrapped() -> object:
        try:
            return work()
        finally:
            connection.close()

    return wrapped


def test_readers_that_steal_leases_neither_double_nor_lose_votes(redis: Redis, ada: User) -> None:
    posts = [post(ada).pk for _ in range(3)]
    voted = Event()
    changes = len(posts)

    def work(name: str) -> None:
        while not voted.is_set() or get_voting_service().maintenance.ledger.lag():
            Archiver(name).step(block_ms=1)
            # Each of the two readers believes that it is the only one.
            redis.delete(keys.readers(), *(keys.lease(shard) for shard in range(keys.SHARDS)))

    with ThreadPoolExecutor(3) as pool, set_at_end(voted):
        names = ("first", "second", "third")
        readers = [pool.submit(in_a_thread(partial(work, name))) for name in names]
        chance = Random(0)
        for _ in range(400):
            voter, vote = chance.randrange(900_000, 900_020), chance.choice(list(Vote))
            target = Target(chance.choice(posts))
            changes += get_voting_service().votes.cast(voter, target, vote).changed
            sleep(0.001)
    for reader in readers:
        reader.result()
    assert LedgerEntry.objects.count() == changes, "each acknowledged change, once"
    for shard in {post_id % 64 for post_id in posts}:
        entries = LedgerEntry.objects.filter(shard=shard).order_by("pk")
        ids = entries.values_list("entry", flat=True)
        spelled = [tuple(map(int, entry.split("-"))) for entry in ids]
        assert spelled == sorted(spelled), "in the ledger's order"
    for row in get_voting_service().posts.rows(posts):
        found = Post.objects.get(pk=row.id)
        assert (found.up, found.down) == (row.up, row.down)
        votes = ArchivedVote.objects.filter(post_id=row.id)
        assert votes.filter(vote=1).count() == row.up
        assert votes.filter(vote=-1).count() == row.down


def test_ids_of_rows_written_for_votes_do_not_run_out() -> None:
    """Ids have 64 bits, because PostgreSQL uses up an id even if an upsert only updates a row."""
    models = (ArchivedVote, BoardPoints, DailyViews, InboxItem, LedgerEntry, OutboxItem)
    assert {type(model._meta.pk) for model in models} == {BigAutoField}

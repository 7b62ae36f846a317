"""After Redis is rebuilt from SQL, pages are the same as before; a running site loses no vote."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from redis import Redis

from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.ledger.archiver import archive_rest
from forum.models import ArchivedVote, LedgerEntry, Post, User
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import ensure_filled, ensure_scored, rebuild, refill
from forum.store import post_sync
from forum.store.post_records import read_post_records
from forum.store.service import get_voting_service
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, post
from tests.forum.listing_snapshots import snapshot
from tests.forum.past_posts import BRAM, CLEO, DINA, archive_all, posts_of_all_ages
from tests.voting.sites import site_at
from tests.voting.stored_state import assert_fits, voters
from tests.waiting import set_at_end
from voting import keys
from voting.errors import StoreEmpty, StoreUnavailable, UnknownTarget, VotingClosed
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
at_both_steps = pytest.mark.parametrize(
    "progress", [0, 1], ids=["while it counts", "while it loads posts"]
)


@pytest.fixture
def posts(ada: User) -> list[Post]:
    """Posts with open and with closed voting. Redis lacks the voters of some closed posts."""
    return posts_of_all_ages(ada)


def seen(redis: Redis, ada: User) -> dict[str, Any]:
    """Return all listings as Bram sees them, and the listing `new` as three others see it."""
    return snapshot(redis, ("books", "maths"), (BRAM, ada.pk, CLEO, DINA))


def test_emptied_redis_is_refilled_with_the_same_pages(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    archive_all()
    before = seen(redis, ada)
    redis.flushall()
    with pytest.raises(StoreEmpty):
        get_voting_service().listings.page(Order.HOT, 1)
    assert ensure_filled()
    after = seen(redis, ada)
    assert {name for name in before if before[name] != after[name]} == set()
    assert_fits(redis, get_voting_service(), [one.pk for one in posts[3:]], whole_ledger=False)


def test_redis_of_a_release_with_another_layout_is_rebuilt(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    archive_all()
    before = seen(redis, ada)
    for tag in keys.tags():
        redis.rename(keys.generation(tag), f"{tag}:generation")
    redis.xadd("{s00}:ledger", {"u": 1, "p": 1, "v": 1})
    for one in posts:
        redis.delete(keys.post(one.pk))
        redis.hset(keys.post(one.pk), mapping={"posted_at": 1, "up": 5, "down": 0, "card": "[]"})
    with pytest.raises(StoreEmpty):
        get_voting_service().listings.page(Order.HOT, 1)
    assert ensure_filled()
    after = seen(redis, ada)
    assert {name for name in before if before[name] != after[name]} == set()
    assert list(differences()) == []


def test_live_rebuild_keeps_votes_that_are_not_archived(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    before = seen(redis, ada)
    assert get_voting_service().maintenance.ledger.lag() > 0
    assert rebuild() == len(posts)
    after = seen(redis, ada)
    assert {name for name in before if before[name] != after[name]} == set()


def test_voting_continues_after_a_rebuild(redis: Redis, posts: list[Post]) -> None:
    rebuild()
    target = Target(posts[-1].pk)
    assert not get_voting_service().votes.cast(BRAM, target, Vote.UP).changed
    ballot = get_voting_service().votes.cast(CLEO, target, Vote.UP)
    assert (ballot.changed, ballot.down) == (True, 0)
    with pytest.raises(VotingClosed):
        get_voting_service().votes.cast(BRAM, Target(posts[0].pk), Vote.DOWN)
    assert_fits(redis, get_voting_service(), [posts[-1].pk], whole_ledger=False)


def test_votes_on_a_post_that_closed_within_the_hour_are_still_shown(posts: list[Post]) -> None:
    rebuild()
    closed = posts[2]
    assert not get_voting_service().votes.is_open(closed.posted_at)
    for voter, cast in ((BRAM, Vote.DOWN), (CLEO, Vote.UP), (DINA, Vote.NONE)):
        assert get_voting_service().posts.rows([closed.pk], viewer=voter)[0].vote is cast


def test_killed_rebuild_loses_no_vote(ada: User) -> None:
    written = post(ada)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    get_voting_service().maintenance.generations.close()  # as if the process was killed here
    assert ensure_filled()
    (row,) = get_voting_service().posts.rows([written.pk], viewer=BRAM)
    assert (row.up, row.vote) == (2, Vote.UP)
    assert LedgerEntry.objects.count() == 2


def test_rebuild_killed_while_loading_starts_again(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    archive_all()
    before = seen(redis, ada)
    maintenance = get_voting_service().maintenance
    maintenance.generations.close()
    maintenance.generations.clear()
    maintenance.loading.load_posts(list(read_post_records(Post.objects.all()))[:5], filling=True)
    assert ensure_filled()
    assert seen(redis, ada) == before


@at_both_steps
def test_worker_stopped_during_a_rebuild_leaves_the_rest_to_the_next(
    redis: Redis, ada: User, posts: list[Post], progress: int
) -> None:
    archive_all()
    before = seen(redis, ada)
    redis.flushall()

    def stop(more: int) -> None:
        if more == progress:
            raise StoreUnavailable("stopped")

    with pytest.raises(StoreUnavailable):
        ensure_filled(progress=stop)
    with pytest.raises(StoreEmpty):
        get_voting_service().listings.page(Order.HOT, 1)
    assert ensure_filled()
    assert seen(redis, ada) == before


@at_both_steps
def test_suspended_rebuild_drops_no_vote_cast_after_another_finished(
    redis: Redis, ada: User, progress: int
) -> None:
    """A rebuild is suspended, as with Ctrl-Z. Its lock expires, and another rebuild finishes."""
    written = post(ada)
    archive_all()
    redis.flushall()
    still = ["once"]

    def suspend(more: int) -> None:
        if still and more == progress:
            still.clear()
            redis.delete(keys.rebuild_lease())
            assert ensure_filled()
            get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)

    with pytest.raises(StoreUnavailable, match="was suspended"):
        rebuild(suspend)
    (row,) = get_voting_service().posts.rows([written.pk], viewer=BRAM)
    assert (row.up, row.vote) == (2, Vote.UP)
    archive_all()
    assert list(differences()) == []


def test_delivery_during_a_rebuild_restores_no_old_votes(ada: User) -> None:
    written = post(ada)
    archive_all()
    stale = list(read_post_records(Post.objects.all()))
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.UP)
    maintenance = get_voting_service().maintenance
    (ended,) = set(maintenance.generations.close().values())
    archive_rest(ended)
    maintenance.generations.clear()
    with pytest.raises(StoreEmpty):
        maintenance.loading.load_posts(stale)
    with pytest.raises(StoreEmpty):
        post_sync.deliver([written.pk])
    ensure_filled()
    assert get_voting_service().posts.rows([written.pk], viewer=BRAM)[0].vote is Vote.UP


def test_a_post_written_just_before_redis_was_lost_still_has_its_authors_vote(
    redis: Redis, ada: User
) -> None:
    written = post(ada)
    redis.flushall()
    ensure_filled()
    (row,) = get_voting_service().posts.rows([written.pk], viewer=ada.pk)
    assert (row.up, row.vote) == (1, Vote.UP)
    again = get_voting_service().votes.cast(ada.pk, Target(written.pk), Vote.UP)
    assert (again.changed, again.up) == (False, 1), "losing Redis doesn't double a vote"
    assert_fits(redis, get_voting_service(), [written.pk], whole_ledger=False)


def test_removed_vote_of_an_author_is_not_restored(redis: Redis, ada: User) -> None:
    written = post(ada)
    get_voting_service().votes.cast(ada.pk, Target(written.pk), Vote.NONE)
    archive_all()
    redis.flushall()
    ensure_filled()
    assert voters(redis, written.pk) == (set(), set())
    assert get_voting_service().posts.rows([written.pk])[0].up == 0


def test_post_written_during_a_rebuild_is_in_redis_afterwards(redis: Redis, ada: User) -> None:
    get_voting_service().maintenance.generations.close()
    written = post(ada)
    ensure_filled()
    post_sync.deliver([written.pk])
    (row,) = get_voting_service().posts.rows([written.pk], viewer=ada.pk)
    assert (row.up, row.vote) == (1, Vote.UP)
    assert_fits(redis, get_voting_service(), [written.pk], whole_ledger=False)


def test_deleted_posts_stay_deleted_and_are_restored_with_their_votes(
    redis: Redis, posts: list[Post]
) -> None:
    deleted = posts[-1]
    post_actions.delete(deleted)
    rebuild()
    with pytest.raises(UnknownTarget):
        get_voting_service().votes.cast(BRAM, Target(deleted.pk), Vote.UP)
    assert deleted.pk not in [
        row.id for row in get_voting_service().listings.page(Order.NEW, 1).rows
    ]
    visibility.release(deleted)
    (row,) = get_voting_service().posts.rows([deleted.pk], viewer=BRAM)
    assert (row.up, row.down, row.vote) == (2, 1, Vote.UP)
    assert_fits(redis, get_voting_service(), [deleted.pk], whole_ledger=False)


def rescore() -> bool:
    """Make the stored scores outdated, then recompute all scores."""
    other = replace(settings.VOTING_RULES, weight=1.0)
    site_at(settings.REDIS_URL, other).maintenance.generations.record_rules()
    return ensure_scored()


@pytest.mark.parametrize("build", [rebuild, rescore, refill], ids=["live", "rescored", "closed"])
def test_rebuild_during_votes_loses_no_acknowledged_vote(
    redis: Redis, ada: User, build: Callable[[], object]
) -> None:
    """People vote during a rebuild, and keep trying while the rebuild refuses votes."""
    targets = [Target(post(ada).pk) for _ in range(4)]
    acknowledged: dict[tuple[Target, int], Vote] = {}
    refused, stop = [0], Event()

    def votes(thread: int) -> None:
        turn = 0
        while not stop.wait(0.003):
            turn += 1
            voter, target = 900_000 + 10 * thread + turn % 10, targets[turn % 4]
            cast = Vote((turn // 40) % 3 - 1)
            try:
                get_voting_service().votes.cast(voter, target, cast)
            except StoreUnavailable:
                refused[0] += 1
                continue
            acknowledged[target, voter] = cast

    with ThreadPoolExecutor(4) as pool, set_at_end(stop):
        running = [pool.submit(votes, number) for number in range(4)]
        for turn in range(50):
            build()
            if turn >= 2 and acknowledged and (refused[0] or build is not refill):
                break
    for one in running:
        one.result()
    assert acknowledged, "nobody voted during the rebuild, so this tested nothing"
    assert bool(refused[0]) is (build is refill), "a live rebuild refuses no vote"
    for (target, voter), cast in acknowledged.items():
        ups, downs = voters(redis, target.post_id)
        assert (voter in ups) - (voter in downs) == cast, (
            f"person {voter} had an acknowledged {cast.name} on post {target.post_id}"
        )
    assert_fits(
        redis, get_voting_service(), [target.post_id for target in targets], whole_ledger=False
    )
    archive_all()
    for target in targets:
        votes_of = ArchivedVote.objects.filter(post_id=target.post_id)
        ups = set(votes_of.filter(vote=1).values_list("user_id", flat=True))
        assert ups == voters(redis, target.post_id)[0], "SQL and Redis agree"


def test_complete_redis_is_not_rebuilt(posts: list[Post]) -> None:
    generation = get_voting_service().maintenance.generations.current()
    assert not ensure_filled()
    assert not ensure_scored()
    assert get_voting_service().maintenance.generations.current() == generation


def test_one_of_several_processes_rebuilds_and_the_others_wait(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    archive_all()
    before = seen(redis, ada)
    redis.flushall()
    assert sorted(run_at_once(*[ensure_filled] * 3)) == [False, False, True]
    assert seen(redis, ada) == before


def test_progress_is_reported_for_every_post(posts: list[Post]) -> None:
    reported: list[int] = []
    assert rebuild(reported.append) == len(posts) == sum(reported)


def test_command_rebuilds_and_prints_totals(
    redis: Redis, ada: User, posts: list[Post], capsys: pytest.CaptureFixture[str]
) -> None:
    archive_all()
    groups("books")
    redis.flushall()
    call_command("rebuild_voting")
    assert f"{len(posts)} posts" in capsys.readouterr().out
    assert get_voting_service().listings.page(Order.NEW, 1).total == len(posts)


def test_command_refuses_to_mix_scores_of_different_settings(
    posts: list[Post], new_rules: Any
) -> None:
    archive_all()
    new_rules(weight=864.0)
    with pytest.raises(CommandError, match="Run this command with the site's settings"):
        call_command("rebuild_voting")
    ensure_scored()
    call_command("rebuild_voting")

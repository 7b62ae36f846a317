"""Redis filled anew from SQL: the same pages as before, and no vote lost on a live site."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from redis import Redis

from forum.content import publishing
from forum.counts.archive import Archiver, archive_rest
from forum.models import ArchivedVote, Comment, LedgerEntry, Post, User
from forum.records.records import records
from forum.store import voting
from forum.upkeep.rebuilding import ensure_filled, ensure_scored, rebuild, refill
from tests.forum.cast import groups, post
from tests.forum.history import past_post
from tests.forum.snapshots import snapshot
from tests.forum.talk import say
from tests.voting.looks import assert_fits, voters
from voting.errors import StoreEmpty, StoreUnavailable, UnknownTarget, VotingClosed
from voting.service import connect
from voting.types import Formula, Order, Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)
BRAM, CLEO, DINA = 900_501, 900_502, 900_503


@pytest.fixture
def posts(ada: User) -> list[Post]:
    """Posts that are open, closed, closed and forgotten; some in several groups; with votes."""
    with transaction.atomic():
        made = [
            past_post(ada, days=40, ups=(BRAM, CLEO, DINA), slugs="books maths"),
            past_post(ada, days=8, ups=(BRAM,), downs=(CLEO, DINA), slugs="maths"),
            past_post(ada, days=7.02, ups=(CLEO,), downs=(BRAM,), slugs="books"),
            past_post(ada, days=3, ups=(600, 601, 602), slugs="books maths"),
            *(past_post(ada, days=hour / 24, slugs="books") for hour in range(22)),
        ]
    publishing.deliver([one.pk for one in made])
    made += [post(ada, slugs="maths books") for _ in range(3)]
    for number, one in enumerate(made[3:]):
        voting().cast_vote(BRAM, Target(one.pk), Vote.UP)
        voting().cast_vote(CLEO, Target(one.pk), Vote.DOWN if number % 3 else Vote.UP)
        voting().cast_vote(DINA, Target(one.pk), Vote.UP)
        voting().cast_vote(DINA, Target(one.pk), Vote.NONE)
    return made


def seen(redis: Redis, ada: User) -> dict[str, Any]:
    """Return what four people see of the lists."""
    return snapshot(redis, ("books", "maths"), (BRAM, ada.pk, CLEO, DINA))


def archive_all() -> None:
    """Do the worker's work."""
    reader = Archiver("worker")
    while voting().upkeep.ledger_lag():
        reader.step(block_ms=1)
    reader.stop()


def test_an_emptied_redis_is_filled_with_the_same_pages(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    archive_all()
    before = seen(redis, ada)
    redis.flushall()
    with pytest.raises(StoreEmpty):
        voting().listing(Order.HOT, 1)
    assert ensure_filled()
    after = seen(redis, ada)
    assert {name for name in before if before[name] != after[name]} == set()
    assert_fits(redis, voting(), [one.pk for one in posts[3:]], whole_ledger=False)


def test_a_rebuild_of_a_living_redis_keeps_votes_that_nobody_has_archived(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    before = seen(redis, ada)
    assert voting().upkeep.ledger_lag() > 0
    assert rebuild() == len(posts)
    after = seen(redis, ada)
    assert {name for name in before if before[name] != after[name]} == set()


def test_people_go_on_voting_after_a_rebuild_where_they_were(
    redis: Redis, posts: list[Post]
) -> None:
    rebuild()
    target = Target(posts[-1].pk)
    assert not voting().cast_vote(BRAM, target, Vote.UP).changed
    ballot = voting().cast_vote(CLEO, target, Vote.UP)
    assert (ballot.changed, ballot.down) == (True, 0)
    with pytest.raises(VotingClosed):
        voting().cast_vote(BRAM, Target(posts[0].pk), Vote.DOWN)
    assert_fits(redis, voting(), [posts[-1].pk], whole_ledger=False)


def test_votes_on_a_post_that_closed_within_the_hour_are_still_shown(posts: list[Post]) -> None:
    rebuild()
    closed = posts[2]
    assert not voting().is_open(closed.posted_at)
    for voter, cast in ((BRAM, Vote.DOWN), (CLEO, Vote.UP), (DINA, Vote.NONE)):
        assert voting().rows([closed.pk], viewer=voter)[0].vote is cast


def test_a_rebuild_that_died_half_way_has_lost_no_vote(ada: User) -> None:
    written = post(ada)
    voting().cast_vote(BRAM, Target(written.pk), Vote.UP)
    voting().upkeep.close_store()  # and here the rebuilding process is killed
    assert ensure_filled()
    (row,) = voting().rows([written.pk], viewer=BRAM)
    assert (row.up, row.vote) == (2, Vote.UP)
    assert LedgerEntry.objects.count() == 2


def test_a_rebuild_that_died_while_loading_is_begun_again(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    archive_all()
    before = seen(redis, ada)
    upkeep = voting().upkeep
    upkeep.close_store()
    upkeep.clear()
    upkeep.load(list(records(Post.objects.all()))[:5], filling=True)
    assert ensure_filled()
    assert seen(redis, ada) == before


def test_a_delivery_in_the_middle_of_a_rebuild_does_not_bring_old_votes_back(ada: User) -> None:
    written = post(ada)
    archive_all()
    stale = list(records(Post.objects.all()))
    voting().cast_vote(BRAM, Target(written.pk), Vote.UP)
    upkeep = voting().upkeep
    (ended,) = set(upkeep.close_store().values())
    archive_rest(ended)
    upkeep.clear()
    with pytest.raises(StoreEmpty):
        upkeep.load(stale)
    with pytest.raises(StoreEmpty):
        publishing.deliver([written.pk])
    ensure_filled()
    assert voting().rows([written.pk], viewer=BRAM)[0].vote is Vote.UP


def test_a_post_written_just_before_redis_was_lost_still_has_its_authors_vote(
    redis: Redis, ada: User
) -> None:
    written = post(ada)
    redis.flushall()
    ensure_filled()
    (row,) = voting().rows([written.pk], viewer=ada.pk)
    assert (row.up, row.vote) == (1, Vote.UP)
    again = voting().cast_vote(ada.pk, Target(written.pk), Vote.UP)
    assert (again.changed, again.up) == (False, 1), "nobody votes twice by losing Redis"
    assert_fits(redis, voting(), [written.pk], whole_ledger=False)


def test_an_author_who_took_the_vote_back_does_not_get_it_again(redis: Redis, ada: User) -> None:
    written = post(ada)
    voting().cast_vote(ada.pk, Target(written.pk), Vote.NONE)
    archive_all()
    redis.flushall()
    ensure_filled()
    assert voters(redis, written.pk) == (set(), set())
    assert voting().rows([written.pk])[0].up == 0


def test_a_post_written_while_redis_is_rebuilt_is_there_afterwards(redis: Redis, ada: User) -> None:
    voting().upkeep.close_store()
    written = post(ada)
    ensure_filled()
    publishing.deliver([written.pk])
    (row,) = voting().rows([written.pk], viewer=ada.pk)
    assert (row.up, row.vote) == (1, Vote.UP)
    assert_fits(redis, voting(), [written.pk], whole_ledger=False)


def test_deleted_posts_stay_away_and_come_back_with_their_votes(
    redis: Redis, posts: list[Post]
) -> None:
    deleted = posts[-1]
    publishing.delete(deleted)
    rebuild()
    with pytest.raises(UnknownTarget):
        voting().cast_vote(BRAM, Target(deleted.pk), Vote.UP)
    assert deleted.pk not in [row.id for row in voting().listing(Order.NEW, 1).rows]
    publishing.undelete(deleted)
    (row,) = voting().rows([deleted.pk], viewer=BRAM)
    assert (row.up, row.down, row.vote) == (2, 1, Vote.UP)
    assert_fits(redis, voting(), [deleted.pk], whole_ledger=False)


def score_anew() -> bool:
    """Score everything anew, as after a change of the settings."""
    other = replace(settings.VOTING_RULES, weight=1.0)
    connect(settings.REDIS_URL, other).upkeep.note_rules()
    return ensure_scored()


@pytest.mark.parametrize(
    "build", [rebuild, score_anew, refill], ids=["live", "scored anew", "closed meanwhile"]
)
def test_a_rebuild_while_people_vote_loses_no_acknowledged_vote(
    redis: Redis, ada: User, build: Callable[[], object]
) -> None:
    """A living Redis is rebuilt while everybody votes; where it is closed, people try again."""
    targets = [Target(post(ada).pk) for _ in range(4)]
    acknowledged: dict[tuple[Target, int], Vote] = {}
    refused, stop = [0], Event()

    def votes(thread: int) -> None:
        turn = 0
        while not stop.is_set():
            turn += 1
            voter, target = 1_000 + 10 * thread + turn % 10, targets[turn % 4]
            wanted = Vote((turn // 40) % 3 - 1)
            try:
                voting().cast_vote(voter, target, wanted)
            except StoreUnavailable:
                refused[0] += 1
                continue
            acknowledged[target, voter] = wanted

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(votes, number) for number in range(4)]
        for turn in range(50):
            build()
            if turn >= 2 and acknowledged and (refused[0] or build is not refill):
                break
        stop.set()
        for one in running:
            one.result(timeout=20)
    assert acknowledged, "people voted meanwhile, or this proves nothing"
    assert bool(refused[0]) is (build is refill), "nobody is refused by a living one"
    for (target, voter), wanted in acknowledged.items():
        ups, downs = voters(redis, target.post_id)
        assert (voter in ups) - (voter in downs) == wanted, (
            f"person {voter} was told that {wanted.name} on post {target.post_id} counts"
        )
    assert_fits(redis, voting(), [target.post_id for target in targets], whole_ledger=False)
    archive_all()
    for target in targets:
        votes_of = ArchivedVote.objects.filter(post_id=target.post_id)
        ups = set(votes_of.filter(vote=1).values_list("user_id", flat=True))
        assert ups == voters(redis, target.post_id)[0], "SQL knows what Redis knows"


@pytest.mark.parametrize(
    "changed",
    [{"weight": 864.0}, {"formula": Formula.LOG}, {"window": 14 * 86_400}],
    ids=["weight", "formula", "window"],
)
def test_changed_rules_score_every_open_post_again_at_the_next_start(
    redis: Redis, ada: User, posts: list[Post], new_rules: Any, changed: dict[str, Any]
) -> None:
    archive_all()
    new_rules(**changed)
    assert ensure_scored(), "what was scored with other rules is scored again"
    assert not ensure_scored(), "once"
    service = voting()
    for one in Post.objects.all():
        standing = service.explain(one.pk)
        assert standing.score == service.score(one.posted_at, standing.up - standing.down)
        if service.is_open(one.posted_at):
            assert one.score == standing.score, "SQL's copy follows"
    assert_fits(redis, service, [one.pk for one in posts[3:]], whole_ledger=False)


def test_scoring_that_is_stopped_half_way_is_begun_again_at_the_next_start(
    posts: list[Post], new_rules: Any
) -> None:
    new_rules(weight=864.0)
    stopping = Event()
    stopping.set()
    with pytest.raises(StoreUnavailable):
        ensure_scored(stopping)
    assert voting().listing(Order.HOT, 1).rows, "people read on"
    assert ensure_scored()


def test_scoring_that_is_stopped_half_way_is_undone_where_the_settings_are_taken_back(
    posts: list[Post], new_rules: Any
) -> None:
    stopping = Event()
    stopping.set()
    new_rules(weight=864.0)
    with pytest.raises(StoreUnavailable):
        ensure_scored(stopping)
    new_rules()
    assert ensure_scored(), "some are scored by settings that nobody has any more"
    service = voting()
    for one in Post.objects.all():
        score = service.score(one.posted_at, one.up - one.down)
        assert (service.explain(one.pk).score, one.score) == (score, score)


def test_scoring_stops_among_comments_too(ada: User, posts: list[Post], new_rules: Any) -> None:
    said = Comment.objects.filter(pk=say(ada, posts[-1]).pk)
    archive_all()
    said.update(up=9)

    class OnceCounted(Event):
        def is_set(self) -> bool:
            return said.filter(up=1).exists()

    new_rules(weight=864.0)
    with pytest.raises(StoreUnavailable):
        ensure_scored(OnceCounted())


def test_a_deleted_post_that_comes_back_after_a_change_of_rules_has_the_score_of_the_new_ones(
    posts: list[Post], new_rules: Any
) -> None:
    archive_all()
    publishing.delete(posts[-1])
    new_rules(weight=864.0)
    ensure_scored()
    publishing.undelete(Post.objects.get(pk=posts[-1].pk))
    one = Post.objects.get(pk=posts[-1].pk)
    score = voting().score(one.posted_at, one.up - one.down)
    assert (voting().explain(one.pk).score, one.score) == (score, score)


def test_changed_rules_leave_the_best_posts_in_a_full_ranking(ada: User, new_rules: Any) -> None:
    new_rules(formula=Formula.LOG, ranking_limit=8)
    chance = Random(3)
    with transaction.atomic():
        made = [
            past_post(ada, days=1 + n / 20, ups=range(600, 600 + chance.choice((0, 1, 5, 30, 60))))
            for n in range(40)
        ]
    publishing.deliver([one.pk for one in made])
    rebuild()
    new_rules(ranking_limit=8)
    ensure_scored()
    best = Post.objects.order_by("-score", "-pk").values_list("pk", flat=True)[:8]
    assert [row.id for row in voting().listing(Order.HOT, 1).rows] == list(best)


def test_a_longer_window_opens_posts_again_with_the_votes_they_had(
    posts: list[Post], new_rules: Any
) -> None:
    new_rules(window=14 * 86_400)
    ensure_scored()
    ballot = voting().cast_vote(CLEO, Target(posts[1].pk), Vote.UP)
    assert (ballot.up, ballot.down) == (3, 1), "Cleo's archived down vote is switched, not doubled"


def test_a_shorter_window_closes_posts(posts: list[Post], new_rules: Any) -> None:
    new_rules(window=86_400)
    ensure_scored()
    with pytest.raises(VotingClosed):
        voting().cast_vote(BRAM, Target(posts[3].pk), Vote.DOWN)
    assert voting().cast_vote(BRAM, Target(posts[4].pk), Vote.DOWN).changed


def test_where_all_is_well_nothing_is_rebuilt(posts: list[Post]) -> None:
    generation = voting().upkeep.generation()
    assert not ensure_filled()
    assert not ensure_scored()
    assert voting().upkeep.generation() == generation


def test_of_several_that_find_redis_empty_one_rebuilds_and_the_others_wait(
    redis: Redis, ada: User, posts: list[Post]
) -> None:
    archive_all()
    before = seen(redis, ada)
    redis.flushall()

    def start(_: int) -> bool:
        try:
            return ensure_filled()
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(start, range(3))) == [False, False, True]
    assert seen(redis, ada) == before


def test_progress_is_told_of_every_post(posts: list[Post]) -> None:
    told: list[int] = []
    assert rebuild(told.append) == len(posts) == sum(told)


def test_the_command_rebuilds_and_says_how_much(
    redis: Redis, ada: User, posts: list[Post], capsys: pytest.CaptureFixture[str]
) -> None:
    archive_all()
    groups("books")
    redis.flushall()
    call_command("rebuild_voting")
    assert f"{len(posts)} posts" in capsys.readouterr().out
    assert voting().listing(Order.NEW, 1).total == len(posts)

"""check_voting prints nothing if Redis and SQL agree, and a message for each difference."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from redis import Redis

from forum.actions import posts as post_actions
from forum.ledger.archiver import Archiver
from forum.models import ArchivedVote, Post, User
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import ensure_scored, rebuild
from forum.operations.repair.scope import WHOLE, Scope
from forum.store import outbox, post_sync
from forum.store.post_records import to_voting_post
from forum.store.post_sync import PostSync
from forum.store.service import get_voting_service
from tests.forum.factories import groups, post
from tests.forum.outages import redis_down
from tests.forum.past_posts import BRAM, disputed_post, past_post
from tests.voting.corruption import miscount, misstate, take_away
from tests.waiting import set_at_end
from voting import keys
from voting.errors import StoreEmpty
from voting.redis.encoding import member
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def written(ada: User) -> Post:
    """A post in two groups, with an up vote by Bram and a down vote by Cleo."""
    return disputed_post(ada)


def test_check_without_differences_reports_nothing(ada: User, written: Post) -> None:
    old = [past_post(ada, days=days, ups=(BRAM,)) for days in (3, 8, 40)]
    post_sync.deliver([one.pk for one in old])
    deleted = post(ada)
    post_actions.delete(deleted)
    post_actions.regroup(written, groups("maths", "physics"))
    post_actions.change(written, title="Another title", body="")
    assert list(differences()) == []


def test_check_archives_waiting_votes_before_comparing(written: Post) -> None:
    assert get_voting_service().maintenance.ledger.lag() == 3
    assert list(differences()) == []
    assert get_voting_service().maintenance.ledger.lag() == 0


Tamper = Callable[[Redis, Post], object]
TAMPERING: dict[str, tuple[Tamper, str]] = {
    "an up vote counted twice": (
        lambda redis, post: miscount(redis, Target(post.pk), up=1),
        "up votes: SQL has 2, Redis has 3",
    ),
    "a down vote not counted": (
        lambda redis, post: miscount(redis, Target(post.pk), down=-1),
        "down votes: SQL has 1, Redis has 0",
    ),
    "a stranger among the voters": (
        lambda redis, post: redis.sadd(keys.voters(Target(post.pk)), 777),
        "people who voted up",
    ),
    "an opposite vote": (
        lambda redis, post: (
            redis.srem(keys.voters(Target(post.pk)), BRAM),
            redis.sadd(keys.voters(Target(post.pk)), -BRAM),
        ),
        "people who voted down",
    ),
    "all voters deleted": (
        lambda redis, post: redis.delete(keys.voters(Target(post.pk))),
        "people who voted up",
    ),
    "a better place in hot": (
        lambda redis, post: redis.zincrby(keys.ranking(Order.HOT), 1_000, member(post.pk)),
        "has a wrong score in hot",
    ),
    "no place in hot": (
        lambda redis, post: redis.zrem(keys.ranking(Order.HOT), member(post.pk)),
        "has a wrong score in hot",
    ),
    "no place in new": (
        lambda redis, post: redis.zrem(keys.ranking(Order.NEW), member(post.pk)),
        "has a wrong score in new",
    ),
    "no place in active": (
        lambda redis, post: redis.zrem(keys.ranking(Order.ACTIVE), member(post.pk)),
        "has a wrong score in active",
    ),
    "no place among its author's": (
        lambda redis, post: redis.delete(keys.author(post.author_id)),
        "has a wrong score in the posts of its author",
    ),
    "another place among its author's": (
        lambda redis, post: redis.zincrby(keys.author(post.author_id), 60, member(post.pk)),
        "has a wrong score in the posts of its author",
    ),
    "a group's views deleted": (
        lambda redis, post: redis.delete(keys.ranking(Order.VIEWS, "maths")),
        "has a wrong score in views of maths",
    ),
    "a better place in a group": (
        lambda redis, post: redis.zincrby(keys.ranking(keys.BANDS[0], "maths"), 1, member(post.pk)),
        "has a wrong score in top:all of maths",
    ),
    "out of a group": (
        lambda redis, post: redis.srem(keys.group("maths"), post.pk),
        "groups: SQL has ['books', 'maths'], Redis has ['books']",
    ),
    "in a group it is not in": (
        lambda redis, post: redis.sadd(keys.group("physics"), post.pk),
        "is listed in physics in Redis, but isn't in that group in SQL",
    ),
    "ranked in a group it is not in": (
        lambda redis, post: redis.zadd(
            keys.ranking(Order.HOT, "physics"), {member(post.pk): 2_000_000_000}
        ),
        "is listed in physics in Redis, but isn't in that group in SQL",
    ),
    "a post that never existed": (
        lambda redis, post: redis.zadd(keys.ranking(Order.HOT), {member(777): 2_000_000_000}),
        "post 777 is listed in Redis, but not visible in SQL",
    ),
    "another posting time": (
        lambda redis, post: misstate(redis, post.pk, earlier=60),
        "posting time",
    ),
    "an edit or a comment missing in Redis": (
        lambda redis, post: redis.hincrby(keys.post(post.pk), "version", -1),
        "version: SQL has 1, Redis has 0",
    ),
    "another title": (
        lambda redis, post: misstate(redis, post.pk, card="[]"),
        "card: ",
    ),
    "retracted": (
        lambda redis, post: take_away(redis, post.pk),
        "listed: SQL has True, Redis has False",
    ),
    "the whole post deleted": (
        lambda redis, post: redis.delete(keys.post(post.pk)),
        "is missing in Redis",
    ),
}


@pytest.mark.parametrize(("tamper", "message"), TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_is_reported_and_a_rebuild_repairs_it(
    redis: Redis, written: Post, tamper: Tamper, message: str
) -> None:
    groups("physics")
    assert list(differences()) == []
    tamper(redis, written)
    sentences = list(differences())
    assert any(message in sentence for sentence in sentences), (
        f"{message!r} is not among {sentences}"
    )
    rebuild()
    assert list(differences()) == []


def test_post_missing_from_sql_is_reported(redis: Redis, written: Post) -> None:
    list(differences())
    Post.objects.filter(pk=written.pk).update(deleted_at=written.created_at)
    assert f"post {written.pk} is listed in Redis, but not visible in SQL" in differences()


def test_post_missing_from_sql_is_reported_if_checked_alone(written: Post) -> None:
    alone = Scope(post_id=written.pk)
    post_actions.delete(written)
    assert list(differences(alone)) == []
    get_voting_service().posts.publish(to_voting_post(Post.objects.get(pk=written.pk)))
    assert list(differences(alone)) == [
        f"post {written.pk} is listed in Redis, but not visible in SQL"
    ]


def test_wrong_score_in_sql_is_reported_and_repaired(written: Post) -> None:
    list(differences())
    Post.objects.filter(pk=written.pk).update(score=1.0)
    assert list(differences()) == [
        f"post {written.pk}: its score in SQL doesn't match its votes and time"
    ]
    call_command("check_voting", "--repair")
    assert list(differences()) == []


def test_scores_by_other_settings_are_reported_as_such(
    written: Post, new_rules: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    list(differences())  # archive first, because archiving updates scores
    new_rules(weight=864.0)
    with pytest.raises(CommandError, match="differences"):
        call_command("check_voting")
    assert (
        "The scores in Redis were made with other values of VOTES_PER_DAY"
        in capsys.readouterr().out
    )
    ensure_scored()
    call_command("check_voting")
    assert "other values of VOTES_PER_DAY" not in capsys.readouterr().out


def test_vote_missing_from_sql_is_reported(written: Post) -> None:
    list(differences())
    ArchivedVote.objects.filter(user_id=BRAM).delete()
    assert any("people who voted up" in sentence for sentence in differences())


def test_post_waiting_in_the_outbox_is_no_difference(ada: User, written: Post) -> None:
    Post.objects.filter(pk=written.pk).update(title="Edited a moment ago")
    outbox.write(PostSync(written.pk))
    past_post(ada, days=1)
    assert list(differences()) == []


def test_deletion_waiting_in_the_outbox_is_no_difference(
    ada: User, written: Post, settings: Any
) -> None:
    with redis_down(settings):
        post_actions.delete(written)
    for scope in (WHOLE, Scope(post_id=written.pk)):
        assert list(differences(scope)) == []
    post_sync.deliver([written.pk])
    assert list(differences()) == []


def test_votes_cast_during_the_check_are_no_difference(ada: User) -> None:
    targets = [Target(post(ada).pk) for _ in range(3)]
    stop, turns = Event(), [0, 0]

    def votes(thread: int) -> None:
        while not stop.is_set():
            turns[thread] += 1
            turn = turns[thread]
            voter, vote = 900_000 + 10 * thread + turn % 7, Vote(turn // 21 % 3 - 1)
            get_voting_service().votes.cast(voter, targets[turn % 3], vote)
            sleep(0.005)

    with ThreadPoolExecutor(2) as pool, set_at_end(stop):
        running = [pool.submit(votes, number) for number in range(2)]
        found: list[str] = []
        looks = 0
        while looks < 5 or (min(turns) <= 10 and not any(one.done() for one in running)):
            found += differences()
            looks += 1
    for one in running:
        one.result()
    assert min(turns) > 10, "people voted during the check"
    assert found == []
    assert list(differences()) == []


def test_emptied_redis_is_an_error_and_not_a_list_of_differences(
    redis: Redis, written: Post, capsys: pytest.CaptureFixture[str]
) -> None:
    redis.flushall()
    with pytest.raises(StoreEmpty):
        list(differences())
    with pytest.raises(CommandError, match="Redis is empty"):
        call_command("check_voting")
    assert capsys.readouterr().out == "", "no differences are listed"


def test_command_says_that_redis_and_sql_agree(
    written: Post, capsys: pytest.CaptureFixture[str]
) -> None:
    for waited in (3, 0):
        call_command("check_voting")
        output = capsys.readouterr().out
        assert f"weren't archived in SQL yet: {waited}." in output
        assert "agree on all 1 posts" in output


def test_command_lists_differences_and_fails(
    redis: Redis, written: Post, capsys: pytest.CaptureFixture[str]
) -> None:
    Archiver("worker").step(block_ms=1)
    miscount(redis, Target(written.pk), up=1)
    with pytest.raises(CommandError, match="rebuild_voting"):
        call_command("check_voting")
    assert f"post {written.pk}: up votes" in capsys.readouterr().out

"""Repairing single posts: `rebuild_voting --only`, `check_voting --deep` and `--repair`."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from sqlite3 import SQLITE_LIMIT_VARIABLE_NUMBER
from threading import Event
from time import sleep
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.ledger.archiver import archive_rest
from forum.models import ArchivedVote, Comment, LedgerEntry, OutboxItem, Post, User
from forum.operations.repair import replay
from forum.operations.repair.check import differences
from forum.operations.repair.rebuild import rebuild
from forum.operations.repair.repair_posts import reload, repair
from forum.operations.repair.scope import WHOLE, Scope
from forum.operations.repair.stray_entries import remove_stray_posts
from forum.store import post_sync
from forum.store.post_records import to_voting_post
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.concurrency import after_query, run_at_once
from tests.forum.factories import groups, post, posts, reader
from tests.forum.outages import failing_sql, redis_down
from tests.forum.past_posts import BRAM, CLEO, disputed_post, past_post
from tests.voting.corruption import miscount, misstate, take_away
from tests.voting.stored_state import assert_fits, voters
from tests.waiting import set_at_end
from voting import keys
from voting.errors import UnknownTarget
from voting.types import Order, Target, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
MANY = 1_000
"""The test stops after a thread has cast this many votes. A reload must succeed before then."""
AT_ONCE = 1_600
"""Tests lower SQLite's limit of parameters in a statement to this number. The default is 32,766."""


@pytest.fixture
def written(ada: User) -> Post:
    """A post with two archived votes: an up vote by Bram and a down vote by Cleo."""
    made = disputed_post(ada)
    archive_rest(get_voting_service().maintenance.generations.current())
    return made


@pytest.fixture
def comment(ada: User, written: Post) -> Comment:
    """A comment with an up vote by Bram, which is already in SQL."""
    made = comment_actions.write(author=ada, post=written, parent=None, body="Well said")
    get_voting_service().votes.cast(BRAM, Target(written.pk, made.pk), Vote.UP)
    archive_rest(get_voting_service().maintenance.generations.current())
    return made


def ledger_differences(scope: Scope = WHOLE) -> list[str]:
    """Return a sentence for each difference between SQL's votes and SQL's copy of the ledger."""
    return list(replay.differences(scope))


def lose_last_vote(redis: Redis, on: Target, voter: int) -> None:
    """Remove a person's up vote from Redis, as a failover to an outdated replica does."""
    redis.srem(keys.voters(on), voter)
    miscount(redis, on, up=-1)


def test_replayed_ledger_equals_the_tallies(ada: User, written: Post, comment: Comment) -> None:
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.NONE)
    get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.DOWN)
    past_post(ada, days=9, ups=(BRAM,), downs=(CLEO,))
    archive_rest(get_voting_service().maintenance.generations.current())
    assert ledger_differences() == []


def test_wrong_vote_in_the_archive_is_reported(written: Post) -> None:
    ArchivedVote.objects.filter(user_id=BRAM).update(vote=-1)
    ArchivedVote.objects.filter(user_id=CLEO).delete()
    assert ledger_differences() == [
        f"post {written.pk}: person {BRAM}: the ledger has up, SQL has down",
        f"post {written.pk}: person {CLEO}: the ledger has down, SQL has nothing",
    ]


def test_tallies_that_differ_from_the_ledger_are_reported(written: Post, comment: Comment) -> None:
    Post.objects.filter(pk=written.pk).update(up=7)
    Comment.objects.filter(pk=comment.pk).update(down=1)
    assert ledger_differences() == [
        f"post {written.pk}: the ledger has 2 up votes, SQL has 7",
        f"comment {comment.pk}: the ledger has 0 down votes, SQL has 1",
    ]


def test_missing_ledger_entry_is_reported(written: Post) -> None:
    LedgerEntry.objects.filter(user_id=CLEO).delete()
    ArchivedVote.objects.filter(user_id=CLEO).delete()
    assert ledger_differences() == [f"post {written.pk}: the ledger has 0 down votes, SQL has 1"]


def test_one_post_or_comment_can_be_checked_alone(
    redis: Redis, ada: User, written: Post, comment: Comment, capsys: pytest.CaptureFixture[str]
) -> None:
    other = post(ada)
    archive_rest(get_voting_service().maintenance.generations.current())
    Post.objects.filter(pk=other.pk).update(up=9)
    miscount(redis, Target(written.pk, comment.pk), up=1)
    call_command("check_voting", f"comment:{comment.pk}", deep=True, repair=True)
    call_command("check_voting", f"post:{written.pk}", deep=True)
    output = capsys.readouterr().out
    assert "Reloaded 1 posts and comments; 0 were skipped" in output
    assert f"Redis and SQL agree on comment:{comment.pk}." in output
    assert f"Redis and SQL agree on post:{written.pk}." in output
    with pytest.raises(CommandError, match="differences"):
        call_command("check_voting", f"post:{other.pk}", deep=True)


@pytest.mark.parametrize("spelled", ["42", "post:", "post:x", "user:1", "post:999999"])
def test_invalid_target_is_refused_with_a_message(spelled: str) -> None:
    for command in (["check_voting", spelled], ["rebuild_voting", "--only", spelled]):
        with pytest.raises(CommandError, match="post:"):
            call_command(*command)


def test_repair_updates_redis_if_sql_is_newer(
    redis: Redis, written: Post, comment: Comment
) -> None:
    """After a failover, Redis lacks two votes that SQL has. Then a person casts another vote."""
    on_post, on_comment = Target(written.pk), Target(written.pk, comment.pk)
    lose_last_vote(redis, on_post, BRAM)
    lose_last_vote(redis, on_comment, BRAM)
    get_voting_service().votes.cast(900_503, on_post, Vote.UP)
    assert list(differences())
    assert repair(WHOLE) == (2, 0)
    assert list(differences()) == []
    assert ledger_differences() == []
    (row,) = get_voting_service().posts.rows([written.pk], viewer=BRAM)
    assert (row.up, row.down, row.vote) == (3, 1, Vote.UP)
    assert (
        get_voting_service().comments.tallies(written.pk, [comment.pk], BRAM)[comment.pk].vote
        is Vote.UP
    )
    assert_fits(redis, get_voting_service(), [written.pk], whole_ledger=False)


def newest(on: Post) -> str:
    """Return the HTML of the page with a post's newest comments."""
    return reader().get(f"/p/{on.pk}/comments").content.decode()


@pytest.mark.parametrize("fix", [lambda: repair(WHOLE), rebuild], ids=["repair", "rebuild"])
def test_repair_also_updates_pages_of_comments(
    ada: User, written: Post, settings: Any, fix: Callable[[], object]
) -> None:
    """A failover lost three changes: an edit, a deletion and a new comment."""
    changed, deleted, kept = (
        add_comment(ada, written, text) for text in ("Befor.", "Gone.", "Kept.")
    )
    assert "Gone." in newest(written)
    with redis_down(settings):
        comment_actions.change(changed, "Before.")
        comment_actions.delete(deleted, by=ada)
        add_comment(ada, written, "Written.")
    OutboxItem.objects.all().delete()
    assert "Befor." in newest(written)
    assert list(differences())
    fix()
    assert list(differences()) == []
    bodies = re.findall(r"Befor\w*|Gone|Kept|Written", newest(written))
    assert bodies == ["Written", "Kept", "Before"]
    assert "<b>3</b> <span>comments</span>" in reader().get("/new").content.decode()
    with pytest.raises(UnknownTarget):
        get_voting_service().votes.cast(BRAM, Target(written.pk, deleted.pk), Vote.UP)
    assert get_voting_service().votes.cast(BRAM, Target(written.pk, kept.pk), Vote.UP).up == 2


@pytest.mark.parametrize("order", [Order.ACTIVE, Order.VIEWS])
def test_repair_refills_a_lost_list(redis: Redis, written: Post, order: Order) -> None:
    listed = redis.zrange(keys.ranking(order), 0, -1, withscores=True)
    redis.delete(keys.ranking(order))
    repair(WHOLE)
    assert redis.zrange(keys.ranking(order), 0, -1, withscores=True) == listed


def test_repair_removes_posts_missing_from_sql(redis: Redis, written: Post) -> None:
    Post.objects.filter(pk=written.pk).update(deleted_at=written.created_at)
    repair(WHOLE)
    assert list(differences()) == []


@pytest.mark.parametrize(
    "fix",
    [("check_voting", "post:{}", "--repair"), ("rebuild_voting", "--only", "post:{}")],
    ids=["repair", "rebuild"],
)
def test_deleted_post_in_redis_can_be_removed_alone(written: Post, fix: tuple[str, ...]) -> None:
    post_actions.delete(written)
    get_voting_service().posts.publish(to_voting_post(Post.objects.get(pk=written.pk)))
    call_command(*(word.format(written.pk) for word in fix))
    assert list(differences()) == []
    with pytest.raises(UnknownTarget):
        get_voting_service().votes.cast(BRAM, Target(written.pk), Vote.NONE)


@pytest.mark.parametrize("command", ["check_voting", "rebuild_voting"])
def test_commands_end_with_a_message_while_sql_is_down(written: Post, command: str) -> None:
    with (
        failing_sql("SELECT"),
        pytest.raises(CommandError, match="SQL database is unavailable: database is locked"),
    ):
        call_command(command)


@pytest.mark.parametrize("command", [("check_voting", ""), ("rebuild_voting", "--only", "")])
def test_empty_target_does_not_mean_all(command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="give post:42"):
        call_command(*command)


def test_repair_removes_posts_from_wrong_groups(redis: Redis, written: Post) -> None:
    groups("physics")
    redis.sadd(keys.group("physics"), written.pk)
    assert list(differences()) == [
        f"post {written.pk} is listed in physics in Redis, but isn't in that group in SQL"
    ]
    repair(WHOLE)
    assert list(differences()) == []
    assert get_voting_service().groups.sizes(["books", "physics"]) == {"books": 1, "physics": 0}


def test_reloaded_post_is_unchanged(redis: Redis, written: Post) -> None:
    before = get_voting_service().posts.get(written.pk, viewer=BRAM)
    redis.delete(keys.voters(Target(written.pk)))
    miscount(redis, Target(written.pk), up=97)
    misstate(redis, written.pk, card="[]")
    take_away(redis, written.pk)
    call_command("rebuild_voting", "--only", f"post:{written.pk}")
    assert get_voting_service().posts.get(written.pk, viewer=BRAM) == before
    assert list(differences()) == []


def test_reloaded_post_leaves_wrong_groups(redis: Redis, written: Post) -> None:
    groups("physics")
    get_voting_service().posts.publish(
        replace(to_voting_post(written), groups=("books", "physics"))
    )
    reload(Scope(post_id=written.pk))
    assert get_voting_service().groups.sizes(["books", "maths", "physics"]) == {
        "books": 1,
        "maths": 1,
        "physics": 0,
    }
    assert list(differences()) == []


def test_reload_keeps_a_newer_edit(written: Post) -> None:
    from_before = Post.objects.get(pk=written.pk)
    post_actions.change(from_before, title="Another title", body="More text.")
    reload(Scope(post_id=written.pk))
    assert list(differences()) == []


def test_votes_cast_during_a_reload_are_kept(redis: Redis, ada: User) -> None:
    """The test votes ever more slowly, until a reload fits into the pause between two votes."""
    targets = [Target(post(ada).pk) for _ in range(3)]
    acknowledged: dict[tuple[Target, int], Vote] = {}
    stop, turns = Event(), [0, 0]

    def votes(thread: int) -> None:
        while not stop.is_set():
            turns[thread] += 1
            turn = turns[thread]
            voter, target = 900_000 + 10 * thread + turn % 7, targets[turn % 3]
            vote = Vote(turn // 21 % 3 - 1)
            get_voting_service().votes.cast(voter, target, vote)
            acknowledged[target, voter] = vote
            sleep(0.01 * turn)

    with ThreadPoolExecutor(2) as pool, set_at_end(stop):
        running = [pool.submit(votes, number) for number in range(2)]
        reloaded: list[int] = []
        while (min(turns) <= 5 or not any(reloaded)) and max(turns) < MANY:
            reloaded.append(reload(WHOLE)[0])
            if any(one.done() for one in running):
                break
    for one in running:
        one.result()
    assert any(reloaded), "nothing was reloaded, so this tested nothing"
    for (target, voter), vote in acknowledged.items():
        ups, downs = voters(redis, target.post_id)
        assert (voter in ups) - (voter in downs) == vote
    assert list(differences()) == []
    assert ledger_differences() == []
    assert_fits(
        redis, get_voting_service(), [target.post_id for target in targets], whole_ledger=False
    )


@pytest.mark.long
def test_repair_of_more_posts_than_sql_parameters_repairs_all(redis: Redis, ada: User) -> None:
    """To be fast, the test lowers SQLite's limit of 32,766 parameters in a statement."""
    crowd = posts(ada, AT_ONCE + 1)
    archive_rest(get_voting_service().maintenance.generations.current())
    redis.delete(*(keys.post(one.pk) for one in crowd))
    with few_sql_parameters(AT_ONCE):
        assert repair(WHOLE) == (len(crowd), 0)
    assert list(differences()) == []


@contextmanager
def few_sql_parameters(most: int) -> Iterator[None]:
    """In the `with` block, limit each SQLite statement to `most` parameters."""
    if connection.vendor != "sqlite":
        pytest.skip("This is not SQLite.")
    connection.ensure_connection()
    before = connection.connection.setlimit(SQLITE_LIMIT_VARIABLE_NUMBER, most)
    try:
        yield
    finally:
        connection.connection.setlimit(SQLITE_LIMIT_VARIABLE_NUMBER, before)


@pytest.mark.parametrize("synced", [True, False], ids=["synced", "not synced"])
def test_post_restored_while_it_is_removed_stays(written: Post, synced: bool) -> None:
    Post.objects.filter(pk=written.pk).update(deleted_at=written.created_at)

    def come_back() -> None:
        Post.objects.filter(pk=written.pk).update(deleted_at=None)
        if synced:
            post_sync.deliver([written.pk])

    with after_query('FROM "forum_post"', come_back):
        remove_stray_posts()
    assert list(differences()) == []
    assert [row.id for row in get_voting_service().listings.page(Order.NEW, 1).rows] == [written.pk]


@pytest.mark.parametrize(
    "fix", [remove_stray_posts, partial(repair, WHOLE)], ids=["lists", "posts"]
)
def test_post_undeleted_during_a_delivery_stays(written: Post, fix: Callable[[], object]) -> None:
    """Repair again and again. In the nth run, undelete the post after the nth query of posts."""

    def come_back() -> None:
        visibility.release(Post.objects.get(pk=written.pk))

    def then_another(execute: Any, sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if 'FROM "forum_post"' in sql and not connection.in_atomic_block and not next(left):
            run_at_once(come_back)
        return found

    turn = 0
    while True:
        Post.objects.filter(pk=written.pk).update(deleted_at=written.created_at)
        left = count(turn, -1)
        with connection.execute_wrapper(then_another):
            fix()
        if next(left) >= 0:
            break
        assert list(differences()) == []
        assert [row.id for row in get_voting_service().listings.page(Order.NEW, 1).rows] == [
            written.pk
        ]
        turn += 1
    assert turn > 1, "the post was restored after each query but the last"

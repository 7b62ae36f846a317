"""Each vote that is copied to SQL changes people's karma and numbers of likes exactly once."""

from contextlib import nullcontext
from functools import partial
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext
from redis import Redis

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions import visibility
from forum.ledger.archiver import Archiver
from forum.models import ArchivedVote, BoardPoints, Post, User
from forum.operations.repair.rebuild import ensure_filled, rebuild
from forum.queries.counts import sql_counts
from forum.queries.people import profile_state
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import person, post, reader
from tests.forum.outages import redis_down
from tests.forum.pages import get_html
from tests.forum.worker_runs import run_worker
from voting.types import Target, Vote
from voting.types.people import PersonCounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


def vote(voter: User, written: Post, value: Vote) -> None:
    get_voting_service().votes.cast(voter.pk, Target(written.pk), value)


def archive() -> None:
    Archiver("reader").step(block_ms=1)


def counted(user: User) -> PersonCounts:
    """Return a person's karma and likes counters from Redis."""
    found = get_voting_service().people.counts(user.pk)
    assert found is not None, "Redis has the counters"
    return found


def test_karma_counts_votes_of_others_only(ada: User, bob: User) -> None:
    written = post(ada)
    vote(bob, written, Vote.UP)
    vote(person("cleo"), written, Vote.UP)
    vote(person("dina"), written, Vote.DOWN)
    archive()
    assert counted(ada) == PersonCounts(posts=1, karma=1)
    assert counted(bob) == PersonCounts(likes_given=1)
    ada.refresh_from_db()
    assert (ada.karma, ada.likes_given) == (1, 0)


def test_karma_follows_switched_and_removed_votes(ada: User, bob: User) -> None:
    written = post(ada)
    for value, karma, given in ((Vote.UP, 1, 1), (Vote.DOWN, -1, 0), (Vote.NONE, 0, 0)):
        vote(bob, written, value)
        archive()
        assert (counted(ada).karma, counted(bob).likes_given) == (karma, given)


def test_many_changes_in_one_batch_count_as_the_last_of_them(ada: User, bob: User) -> None:
    written = post(ada)
    for value in (Vote.UP, Vote.NONE, Vote.DOWN, Vote.UP):
        vote(bob, written, value)
    archive()
    assert (counted(ada).karma, counted(bob).likes_given) == (1, 1)


def test_published_posts_are_counted_and_deleted_ones_are_not(ada: User) -> None:
    first, _second = post(ada), post(ada)
    run_worker()
    assert counted(ada).posts == 2
    post_actions.delete(first)
    run_worker()
    assert counted(ada).posts == 1
    visibility.release(first)
    run_worker()
    assert counted(ada).posts == 2


def test_the_worker_counts_comments_written_or_deleted(ada: User, bob: User) -> None:
    written = post(ada)
    first, _second = add_comment(bob, written), add_comment(bob, written)
    run_worker()
    assert (counted(bob).comments, counted(ada).posts) == (2, 1)
    comment_actions.delete(first, by=bob)
    run_worker()
    assert counted(bob).comments == 1


def test_writing_does_not_count_earlier_posts_and_comments(ada: User) -> None:
    window, written = reader(ada), post(ada)
    sent: tuple[tuple[str, dict[str, str]], ...] = (
        (f"/p/{written.pk}/comment", {"body": "One more."}),
        ("/submit", {"kind": "text", "title": "Another", "body": "Words.", "groups": "books"}),
        (f"/p/{written.pk}/delete", {}),
    )
    for path, form in sent:
        with CaptureQueriesContext(connection) as queries:
            assert window.post(path, form).status_code == 303
        counting_them = [
            one["sql"] for one in queries if "COUNT(" in one["sql"] and "author_id" in one["sql"]
        ]
        assert counting_them == [], path
    run_worker()
    assert counted(ada) == PersonCounts(posts=1, comments=1)


def test_posts_deleted_during_an_outage_are_counted_after_it(settings: Any, ada: User) -> None:
    first, _second = post(ada), post(ada)
    run_worker()
    with redis_down(settings):
        post_actions.delete(first)
        for _round in range(2):
            run_worker()
    assert counted(ada).posts == 2, "the deletion is not counted yet"
    run_worker()
    assert counted(ada).posts == 1


def test_many_deleted_posts_of_a_person_are_counted_once(
    settings: Any, ada: User, bob: User
) -> None:
    made = [post(ada) for _number in range(4)]
    post(bob)
    run_worker()
    with redis_down(settings):
        for each in made[1:]:
            post_actions.delete(each)
        visibility.release(made[1])
        add_comment(bob, made[0])
        run_worker()
    with CaptureQueriesContext(connection) as queries:
        run_worker()
    assert (counted(ada).posts, counted(bob).posts, counted(bob).comments) == (2, 1, 1)
    assert sum("COUNT(" in one["sql"] for one in queries) == 2, "once before writing and once after"


def test_a_vote_archived_again_by_a_slow_reader_counts_once(ada: User, bob: User) -> None:
    written = post(ada)
    vote(bob, written, Vote.UP)
    archive()
    archive()
    Archiver("another").step(block_ms=1)
    assert counted(ada).karma == 1


def test_saving_a_stale_person_keeps_newer_karma(ada: User, bob: User) -> None:
    vote(bob, post(ada), Vote.UP)
    archive()
    ada.about = "I was read before the vote."
    ada.save()
    ada.refresh_from_db()
    assert (ada.karma, ada.about) == (1, "I was read before the vote.")


def test_karma_is_restored_after_redis_was_lost(redis: Redis, ada: User, bob: User) -> None:
    vote(bob, post(ada), Vote.UP)
    archive()
    redis.flushall()
    meanwhile = profile_state(ada, bob.pk)
    assert (meanwhile.counts, meanwhile.redis_down) == (PersonCounts(posts=1, karma=1), True)
    ensure_filled()
    assert counted(ada) == PersonCounts(posts=1, karma=1)
    assert counted(bob) == PersonCounts(likes_given=1)


def test_a_rebuild_corrects_counters(redis: Redis, ada: User) -> None:
    post(ada)
    get_voting_service().people.set_counts({ada.pk: PersonCounts(posts=7, karma=99)})
    rebuild()
    assert counted(ada) == PersonCounts(posts=1)


def test_eight_people_voting_at_once_leave_exact_karma(ada: User, bob: User) -> None:
    written = [post(author) for author in (ada, bob) for _ in range(3)]
    voters = [person(f"voter{number}") for number in range(8)]
    run_worker()

    def work(voter: User) -> None:
        chance = Random(voter.pk)
        for _ in range(25):
            vote(voter, chance.choice(written), chance.choice(list(Vote)))

    run_at_once(*(partial(work, voter) for voter in voters))
    archive()
    for author in (ada, bob):
        own = [one.pk for one in written if one.author_id == author.pk]
        votes = ArchivedVote.objects.filter(post_id__in=own).exclude(user_id=author.pk)
        expected = votes.aggregate(n=Sum("vote"))["n"] or 0
        assert counted(author).karma == expected
        board = BoardPoints.objects.filter(kind="person", group="", subject_id=author.pk)
        assert (board.aggregate(n=Sum("points"))["n"] or 0) == expected
    for voter in voters:
        ups = ArchivedVote.objects.filter(user_id=voter.pk, vote=1).count()
        found = get_voting_service().people.counts(voter.pk)
        assert (found.likes_given if found else 0) == ups


def test_counting_many_people_takes_one_query(ada: User, django_assert_num_queries: Any) -> None:
    people = [ada, *(person(f"reader{number}") for number in range(5))]
    post(ada)
    with django_assert_num_queries(1):
        found = sql_counts([one.pk for one in people])
    assert found[ada.pk].posts == 1
    assert len(found) == 6


def test_profile_shows_activity_and_karma_also_while_redis_is_down(
    ada: User, bob: User, settings: Any
) -> None:
    vote(bob, post(ada), Vote.UP)
    archive()
    for redis in (nullcontext(), redis_down(settings)):
        with redis:
            page = get_html("/u/ada/")
        assert "1 karma" in page
        assert "1 post" in page
    assert "gave 1 up vote" in get_html("/u/bob/")

"""Leaderboards of the site and of groups count each vote once, on the day when it was cast."""

import re
from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models import Sum
from redis import Redis

from forum.actions import posts as post_actions
from forum.ledger.archiver import ROUND, Archiver, archive
from forum.ledger.cursors import StalePosition, position
from forum.models import ArchivedVote, BoardPoints, Comment, LedgerEntry, Post, User
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.concurrency import run_at_once
from tests.forum.factories import groups, person, post, reader
from tests.forum.outages import failing_sql, redis_down
from tests.forum.worker_runs import deliver_outbox, run_worker
from voting import keys
from voting.types import Target, Vote
from voting.types.maintenance import VoteEntry

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("one_day"),
    pytest.mark.dialect,
]
NOON = 43_200


def today() -> date:
    return get_voting_service().activity.today()


def cast(voter: User, target: Post | Comment, value: Vote, *, ago: int = 0) -> None:
    """Write a vote to SQL as if it had been cast `ago` days ago."""
    post_id, comment_id = (
        (target.post_id, target.pk) if isinstance(target, Comment) else (target.pk, 0)
    )
    midnight = get_voting_service().now() // 86_400 * 86_400
    entry = VoteEntry(
        id=f"{get_voting_service().now()}-{Random().randrange(10**9)}",
        shard=post_id % 64,
        user_id=voter.pk,
        target=Target(post_id, comment_id),
        vote=value,
        at=midnight - ago * 86_400 + NOON,
        up=1,
        down=0,
    )
    maintenance = get_voting_service().maintenance
    archive(position(maintenance.generations.current(), maintenance.ledger.shards), [entry])


def board(kind: str, *, ago: int = 0, group: str = "") -> dict[int, int]:
    """Return Redis's leaderboard of `ago` days ago, which maps ids of posts or people to points."""
    found = getattr(
        get_voting_service().boards.day(today() - timedelta(days=ago), group=group), kind
    )
    return {placing.subject_id: placing.points for placing in found.lines}


def test_votes_count_for_the_post_and_its_author_and_in_each_group(ada: User, bob: User) -> None:
    written = post(ada, slugs="books maths")
    get_voting_service().votes.cast(bob.pk, Target(written.pk), Vote.UP)
    Archiver("reader").step(block_ms=1)
    for group in ("", "books", "maths"):
        assert board("posts", group=group) == {written.pk: 1}, group
        assert board("people", group=group) == {ada.pk: 1}, group
    assert board("posts", group="music") == {}


def test_own_vote_does_not_count(ada: User) -> None:
    post(ada)
    Archiver("reader").step(block_ms=1)
    assert (board("posts"), board("people")) == ({}, {})


def test_votes_on_comments_count_for_people_only(ada: User, bob: User) -> None:
    written = post(ada)
    comment = add_comment(bob, written)
    cast(ada, comment, Vote.UP)
    assert (board("posts"), board("people")) == ({}, {bob.pk: 1})


def test_a_removed_vote_no_longer_counts_on_its_day(ada: User, bob: User) -> None:
    written = post(ada)
    cast(bob, written, Vote.UP, ago=2)
    assert board("posts", ago=2) == {written.pk: 1}
    cast(bob, written, Vote.NONE)
    assert board("posts", ago=2) == {}
    assert board("people", ago=2) == {}
    assert board("posts") == {}


def test_a_switched_vote_counts_on_the_new_day_only(ada: User, bob: User) -> None:
    written, cleo = post(ada), person("cleo")
    cast(bob, written, Vote.DOWN, ago=1)
    cast(cleo, written, Vote.UP, ago=1)
    cast(bob, written, Vote.UP)
    assert board("posts", ago=1) == {written.pk: 1}
    assert board("posts") == {written.pk: 1}
    days = BoardPoints.objects.filter(kind="post", group="").order_by("day")
    assert list(days.values_list("points", flat=True)) == [1, 1]


def test_a_switched_and_removed_vote_counts_on_no_day(ada: User, bob: User) -> None:
    written = post(ada)
    for ago, value in ((2, Vote.DOWN), (1, Vote.UP), (0, Vote.NONE)):
        cast(bob, written, value, ago=ago)
    assert set(BoardPoints.objects.values_list("points", flat=True)) == {0}


def test_boards_start_at_the_earliest_day_kept(ada: User, bob: User) -> None:
    written, kept = post(ada), get_voting_service().boards.days_kept
    cast(bob, written, Vote.UP, ago=kept + 1)
    assert not BoardPoints.objects.exists()
    cast(person("cleo"), written, Vote.UP, ago=kept)
    assert set(BoardPoints.objects.values_list("day", flat=True)) == {
        today() - timedelta(days=kept)
    }


def test_a_move_that_is_rolled_back_moves_no_points(ada: User, bob: User) -> None:
    written = post(ada, slugs="books")
    cast(bob, written, Vote.UP)
    with pytest.raises(OperationalError), failing_sql('DELETE FROM "forum_post_groups"'):
        post_actions.regroup(written, groups("maths"))
    assert (board("posts", group="books"), board("posts", group="maths")) == ({written.pk: 1}, {})


def test_boards_are_exact_while_readers_steal_leases(redis: Redis, ada: User, bob: User) -> None:
    posts = [post(author, slugs="books") for author in (ada, bob) for _ in range(3)]
    voters = [person(f"voter{number}") for number in range(8)]
    leases = [keys.readers(), *(keys.lease(shard) for shard in range(keys.SHARDS))]

    def work(voter: User) -> None:
        chance = Random(voter.pk)
        for _ in range(25):
            target, value = Target(chance.choice(posts).pk), chance.choice(list(Vote))
            get_voting_service().votes.cast(voter.pk, target, value)
            if chance.random() < 0.2:
                redis.delete(*leases)
                Archiver(voter.username).step(block_ms=1)

    run_at_once(*(partial(work, voter) for voter in voters))
    redis.delete(*leases)
    Archiver("last").step(block_ms=1)
    deliver_outbox()
    assert get_voting_service().maintenance.ledger.lag() == 0
    of_voters = ArchivedVote.objects.filter(user_id__in=[one.pk for one in voters])
    sums = dict(of_voters.values("post_id").annotate(n=Sum("vote")).values_list("post_id", "n"))
    expected = {post_id: n for post_id, n in sums.items() if n > 0}
    for group in ("", "books"):
        assert board("posts", group=group) == expected
    by_author = {
        author.pk: sum(sums.get(one.pk, 0) for one in posts if one.author_id == author.pk)
        for author in (ada, bob)
    }
    assert board("people") == {who: n for who, n in by_author.items() if n > 0}


def test_a_moved_post_takes_its_points_to_the_boards_of_its_new_groups(
    ada: User, bob: User
) -> None:
    written = post(ada, slugs="books maths")
    comment = add_comment(bob, written)
    cast(bob, written, Vote.UP, ago=1)
    cast(ada, comment, Vote.UP)
    post_actions.regroup(written, groups("maths", "music"))
    run_worker()
    for group, listed in (("", True), ("books", False), ("maths", True), ("music", True)):
        assert board("posts", ago=1, group=group) == ({written.pk: 1} if listed else {}), group
        assert board("people", group=group) == ({bob.pk: 1} if listed else {}), group
    cast(bob, written, Vote.NONE)
    assert BoardPoints.objects.exclude(subject_id=bob.pk).exclude(points=0).count() == 0


def test_a_moved_post_takes_no_points_for_its_authors_own_vote(ada: User) -> None:
    written = post(ada, slugs="books")
    Archiver("reader").step(block_ms=1)
    post_actions.regroup(written, groups("maths"))
    run_worker()
    assert (board("posts", group="maths"), board("people", group="maths")) == ({}, {})


def test_points_of_a_post_moved_during_an_outage_follow_after_it(
    settings: Any, ada: User, bob: User
) -> None:
    written = post(ada, slugs="books")
    cast(ada, add_comment(bob, written), Vote.UP)
    cast(bob, written, Vote.UP, ago=get_voting_service().boards.days_kept)
    with redis_down(settings):
        post_actions.change(written, title="A title", body="Moved.", groups=groups("maths"))
        run_worker()
    assert board("people", group="books") == {bob.pk: 1}, "as last synced to Redis"
    run_worker()
    for group, listed in (("books", False), ("maths", True)):
        assert board("people", group=group) == ({bob.pk: 1} if listed else {}), group
        long_ago = board("posts", ago=get_voting_service().boards.days_kept, group=group)
        assert long_ago == ({written.pk: 1} if listed else {}), group


def test_forty_days_are_restored_after_redis_was_lost(redis: Redis, ada: User, bob: User) -> None:
    written = post(ada)
    cast(bob, written, Vote.UP, ago=3)
    cast(person("cleo"), written, Vote.UP)
    row = {"kind": "post", "group": "", "subject_id": written.pk}
    BoardPoints.objects.create(day=today() - timedelta(days=40), points=5, **row)
    redis.flushall()
    ensure_filled()
    assert board("posts", ago=3) == {written.pk: 1}
    assert board("posts", ago=40) == {written.pk: 5}
    assert board("people") == {ada.pk: 1}


def test_boards_are_synced_later_if_sql_fails_after_the_commit(ada: User, bob: User) -> None:
    written = post(ada)
    with failing_sql("SELECT given.*, points"):
        cast(bob, written, Vote.UP)
    assert board("posts") == {}
    deliver_outbox()
    assert board("posts") == {written.pk: 1}


def test_a_reader_that_stops_between_two_rounds_has_synced_the_first(ada: User) -> None:
    """Votes are copied to SQL in rounds; after each round, the leaderboards are synced to Redis."""
    first, second = post(ada), post(ada)
    targets = [Target(first.pk)] * ROUND + [Target(second.pk)]
    now = get_voting_service().now()
    votes = [
        VoteEntry(f"{now}-{n}", on.post_id % 64, 10_000 + n, on, Vote.UP, now, n, 0)
        for n, on in enumerate(targets)
    ]
    maintenance = get_voting_service().maintenance
    where = position(maintenance.generations.current(), maintenance.ledger.shards)
    where.cursors[second.pk % 64] = "somebody else has been here"
    with pytest.raises(StalePosition):
        archive(where, votes)
    assert LedgerEntry.objects.count() == ROUND
    assert board("posts") == {first.pk: ROUND}
    assert board("people") == {ada.pk: ROUND}


def test_the_page_shows_posts_and_people_with_the_points_of_the_day(
    ada: User, bob: User, django_assert_num_queries: Any
) -> None:
    written = post(ada, "A leading post")
    cast(bob, written, Vote.UP)
    cast(person("cleo"), written, Vote.UP)
    window = reader()
    window.get("/leaders")
    with django_assert_num_queries(2):
        page = window.get("/leaders").content.decode()
    assert "A leading post" in page
    assert "2 points, by ada" in page
    assert '<a href="/u/ada/">ada</a>' in page
    assert "/u/bob/" not in page


def test_a_groups_leaders_are_headed_by_its_title(ada: User, bob: User) -> None:
    cast(bob, post(ada), Vote.UP)
    assert ", in Books</p>" in reader().get("/leaders?group=books").content.decode()


def test_days_are_browsed_back_and_forth(ada: User, bob: User) -> None:
    cast(bob, post(ada, "Of the day before"), Vote.UP, ago=1)
    first = reader().get("/leaders").content.decode()
    yesterday = (today() - timedelta(days=1)).isoformat()
    assert "Of the day before" not in first
    assert f'href="/leaders?day={yesterday}"' in first
    second = reader().get(f"/leaders?day={yesterday}").content.decode()
    assert "Of the day before" in second
    assert 'rel="next">A day later' in second
    assert "Of the day before" in reader().get("/leaders?t=week").content.decode()
    last = (today() - timedelta(days=40)).isoformat()
    assert 'rel="prev"' not in reader().get(f"/leaders?day={last}").content.decode()


@pytest.mark.parametrize(
    ("seen", "ways"),
    [(0, {"prev": 7}), (3, {"prev": 10, "next": 0}), (32, {"prev": 34, "next": 25})],
)
def test_weeks_are_browsed_week_by_week(seen: int, ways: dict[str, int]) -> None:
    day = {ago: (today() - timedelta(days=ago)).isoformat() for ago in (seen, *ways.values())}
    page = reader().get(f"/leaders?t=week&day={day[seen]}").content.decode()
    for rel, ago in ways.items():
        where = f"/leaders?t=week&amp;day={day[ago]}" if ago else "/leaders?t=week"
        assert f'href="{where}" rel="{rel}">A week' in page
    assert page.count(">A week ") == len(ways)


def test_every_week_that_is_shown_counts_the_votes_of_all_its_seven_days(
    ada: User, bob: User
) -> None:
    written, earliest = post(ada, "Of five weeks ago"), get_voting_service().boards.days_kept
    cast(bob, written, Vote.UP, ago=earliest)
    cast(person("cleo"), written, Vote.UP, ago=earliest - 6)
    oldest = (today() - timedelta(days=earliest)).isoformat()
    whole = (today() - timedelta(days=earliest - 6)).isoformat()
    day = reader().get(f"/leaders?day={oldest}").content.decode()
    assert f'href="/leaders?t=week&amp;day={whole}"' in day
    window = reader()
    page = window.get(f"/leaders?t=week&day={whole}").content.decode()
    assert "Of five weeks ago" in page
    assert "2 points, by ada" in page
    assert 'rel="prev"' not in page
    refused = window.get(f"/leaders?t=week&day={oldest}")
    assert refused.status_code == 404
    assert f"today and for the previous {earliest - 6} days" in refused.content.decode()


def test_groups_have_boards_of_their_own(ada: User, bob: User) -> None:
    cast(bob, post(ada, "About maths", slugs="maths"), Vote.UP)
    groups("books")
    assert "About maths" in reader().get("/leaders?group=maths").content.decode()
    assert "About maths" not in reader().get("/leaders?group=books").content.decode()
    assert reader().get("/leaders?group=nowhere").status_code == 404


@pytest.mark.parametrize("day", ["yesterday", "2020-01-01", "2999-01-01", "2024-02-30", "%00"])
def test_day_without_boards_is_refused_with_a_link_to_today(day: str) -> None:
    response = reader().get(f"/leaders?day={day}")
    assert response.status_code == 404
    page = response.content.decode()
    assert "today and for the previous 40 days" in page
    assert '<a class="button" href="/leaders">Leaders of the day</a>' in page


def test_only_days_that_have_boards_can_be_picked() -> None:
    groups("maths")
    first, last = today() - timedelta(days=40), today()
    assert f'min="{first}" max="{last}"' in reader().get("/leaders").content.decode()


@pytest.mark.parametrize("query", ["p=0", "p=x", "p=2"])
def test_invalid_pages_are_not_found(query: str) -> None:
    assert reader().get(f"/leaders?{query}").status_code == 404


def test_an_unknown_period_shows_the_day_and_the_choices() -> None:
    html = reader().get("/leaders?t=year").content.decode()
    assert re.search(r'aria-current="page">Day</a>', html)
    assert 'href="/leaders?t=week' in html


def test_a_deleted_post_is_not_shown(ada: User, bob: User) -> None:
    written = post(ada, "Gone by now")
    cast(bob, written, Vote.UP)
    post_actions.delete(written)
    assert "Gone by now" not in reader().get("/leaders").content.decode()


@pytest.mark.parametrize("span", ["day", "week"])
def test_boards_come_from_sql_while_redis_is_down(
    ada: User, bob: User, settings: Any, span: str
) -> None:
    cast(bob, post(ada, "Told by SQL"), Vote.UP)
    with redis_down(settings):
        page = reader().get(f"/leaders?t={span}").content.decode()
    assert "Told by SQL" in page
    assert "1 point, by ada" in page

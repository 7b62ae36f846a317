"""Votes of new accounts wait, and count when their accounts are no longer new."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from forum.ledger import finished_days, vote_states
from forum.ledger.archiver import archive_waiting
from forum.models import ArchivedVote, DayPost, LedgerEntry, Post, User, VoteState
from forum.operations.repair.rebuild import ensure_filled
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment
from tests.forum.factories import person, post, reader
from tests.forum.merging import assert_consistent
from tests.forum.voids import void
from tests.forum.voting_sites import (
    DAY,
    cast,
    newcomers,
    older_person,
    target_of,
    turned_clock,
    work,
)
from voting.types import Order, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]


@pytest.fixture
def author() -> User:
    """The author, whose account is the first of a site that is older than a week."""
    return older_person("author")


@pytest.fixture
def written(author: User) -> Post:
    return post(author)


def front_page() -> list[tuple[int, int]]:
    """Return the ids and points of the posts on the front page, in order."""
    page = get_voting_service().listings.page(Order.HOT, 1)
    return [(row.id, row.points) for row in page.rows]


def points(on: Post) -> int:
    (row,) = get_voting_service().posts.rows([on.pk])
    return row.points


def test_void_votes_of_new_accounts_leave_their_places(written: Post, stella: User) -> None:
    ring = [person(f"ring{number}") for number in range(3)]
    for one in ring:
        cast(one, written)
    assert cast(person("early"), written).counts_at
    void(*ring, by=stella)
    work()
    assert cast(person("honest"), written).counts_at is None


def test_fifty_two_new_accounts_give_three_points_and_can_be_voided(
    author: User, written: Post
) -> None:
    others = [post(author) for _ in range(8)]
    for other in others:
        cast(older_person(f"reader{other.pk}"), other)
    work()
    before = front_page()
    people = newcomers(52)
    for number, who in enumerate(people):
        cast(who, written, network=f"net{number % 6}")
    work()
    assert points(written) == 1 + 3
    assert_consistent()
    with turned_clock(DAY):
        work()
        assert points(written) == 1 + 52
        assert front_page()[0] == (written.pk, 53)
        cast_by_them = ArchivedVote.objects.filter(user_id__in=[who.pk for who in people])
        pks = list(cast_by_them.values_list("pk", flat=True))
        vote_states.change(pks, LedgerEntry.Kind.VOID, "void:1", vote_states.void)
        work()
        assert front_page() == before
        assert_consistent()


def test_one_vote_a_network_counts_unless_networks_are_shared(written: Post, settings: Any) -> None:
    first, second, third = newcomers(3)
    assert cast(first, written, network="school").counts_at is None
    assert cast(second, written, network="school").counts_at is not None
    settings.SHARED_NETWORKS = True
    assert cast(third, written, network="school").counts_at is None


def test_nothing_waits_in_the_first_week_of_a_site(ada: User) -> None:
    written = post(ada)
    assert all(cast(who, written).counts_at is None for who in newcomers(5))


def test_nothing_waits_if_the_site_switches_it_off(written: Post, settings: Any) -> None:
    settings.NEW_VOTES = 0
    assert all(cast(who, written).counts_at is None for who in newcomers(5))


def test_votes_of_invited_people_never_wait(written: Post) -> None:
    invited = [person(f"guest{number}", counts_at_once=True) for number in range(5)]
    assert all(cast(who, written).counts_at is None for who in invited)


def board(day: date) -> dict[int, int]:
    found = get_voting_service().boards.day(day).posts.lines
    return {line.subject_id: line.points for line in found}


@pytest.mark.usefixtures("one_day")
def test_waiting_vote_counts_for_karma_and_boards_on_the_day_it_begins_to(
    author: User, written: Post
) -> None:
    for who in newcomers(5):
        cast(who, written)
    work()
    author.refresh_from_db()
    assert author.karma == 3
    today = get_voting_service().activity.today()
    with turned_clock(DAY):
        work()
        author.refresh_from_db()
        assert author.karma == 5
        tomorrow = today + timedelta(days=1)
        assert (board(today), board(tomorrow)) == ({written.pk: 3}, {written.pk: 2})
        assert_consistent()


def test_best_of_the_day_takes_the_time_at_which_a_vote_began_to_count(
    author: User, written: Post
) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    Post.objects.filter(pk=written.pk).update(created_at=yesterday)
    for number, state in enumerate((VoteState.COUNTED, VoteState.COUNTED, VoteState.WAITING)):
        counts_at = (None, timezone.now(), timezone.now())[number]
        ArchivedVote.objects.create(
            user_id=9_000 + number,
            post_id=written.pk,
            vote=1,
            at=yesterday,
            state=state,
            counts_at=counts_at,
        )
    work()
    LedgerEntry.objects.all().delete()
    ArchivedVote.objects.update(at=yesterday)
    finished_days.finish()
    assert DayPost.objects.get(post=written).points == 2, "the author's vote and one other"


def test_vote_that_waits_beyond_the_end_of_voting_never_counts(
    written: Post, settings: Any
) -> None:
    settings.NEW_PERSON = 8 * DAY
    people = newcomers(4)
    for who in people:
        cast(who, written)
    with turned_clock(8 * DAY):
        work()
        work()
        assert ArchivedVote.objects.get(user_id=people[3].pk).state == VoteState.LATE
        assert not LedgerEntry.objects.filter(kind=LedgerEntry.Kind.COUNT).exists()
        assert points(written) == 4
        assert_consistent()


def test_waiting_votes_on_answers_and_comments_count_later(author: User, written: Post) -> None:
    comment = add_comment(author, written)
    for who in newcomers(5):
        cast(who, comment)
    with turned_clock(DAY):
        work()
        on = target_of(comment)
        tally = get_voting_service().comments.tallies(on.post_id, [on.comment_id])[comment.pk]
        assert (tally.up, tally.down) == (6, 0)
        assert_consistent()


def test_vote_changed_after_it_was_counted_but_before_redis_knew(written: Post) -> None:
    people = newcomers(4)
    for who in people:
        cast(who, written)
    with turned_clock(DAY):
        archive_waiting()
        vote_states.count_due()
        assert cast(people[3], written, Vote.DOWN).counts_at is not None, "Redis doesn't know yet"
        work()
        assert points(written) == 1 + 3 - 1
        assert_consistent()


def test_rebuild_keeps_waiting_votes_and_places(written: Post) -> None:
    people = newcomers(6)
    for who in people[:5]:
        cast(who, written)
    work()
    service = get_voting_service()
    service.maintenance.generations.close()
    service.maintenance.generations.clear()
    ensure_filled()
    assert points(written) == 4
    assert cast(people[5], written).counts_at is not None
    work()
    assert_consistent()


def test_others_see_no_trace_of_a_waiting_vote(author: User, written: Post) -> None:
    *three, fourth = newcomers(4)
    for who in three:
        cast(who, written)
    work()
    paths = [written.get_absolute_url(), "/u/author/", "/leaders", "/feed.atom"]

    def public() -> list[Any]:
        ids = [row.id for row in get_voting_service().listings.page(Order.HOT, 1).rows]
        guest = reader(headers={"Purpose": "prefetch"})  # so that no view is counted
        return [ids, *(guest.get(path).content.decode() for path in paths)]

    before = public()
    cast(fourth, written)
    work()
    assert public() == before

"""Whatever happens to votes, all numbers and lists are those of a plain model."""

import pytest
from redis import Redis

from forum.models import BoardPoints, FinishedDay, LedgerEntry, User, VoteValue
from forum.queries.days import listing_of_day
from forum.queries.leaders import leaders
from forum.queries.listings import listing
from forum.store.service import get_voting_service
from tests.forum.merging import assert_consistent
from tests.forum.random_site import RandomSite, moment
from tests.forum.voting_model import DAY, Model, Text, day_of
from tests.forum.voting_sites import work
from voting.types import Order

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]
STEPS = 90
SEEDS = range(6)
KIND = LedgerEntry.Kind


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_all_numbers_are_those_of_a_plain_model(seed: int, redis: Redis) -> None:
    site = RandomSite(seed, redis)
    with site.clock():
        site.open()
        yesterday = day_of(site.model.now - DAY)
        VoteValue.objects.create(
            day=yesterday, at=moment(0), votes_per_day=20, measured=4, posts=30
        )
        measured = VoteValue.objects.values().get()
        for number in range(1, STEPS + 1):
            site.happens()
            if number % 15 == 0:
                check(site)
        assert_consistent()
        assert VoteValue.objects.values().get() == measured


def check(site: RandomSite) -> None:
    """Assert that what people see, and what SQL stores, is what the model says."""
    work()
    model = site.model
    assert comment_tallies(model) == {
        one.id: model.tally(one) for one in model.texts if one.on and one.is_visible
    }
    check_listings(model)
    check_own_votes(site)
    check_people(model)
    check_boards(site)
    check_finished_days(model)
    check_ledger(model)


def comment_tallies(model: Model) -> dict[int, tuple[int, int]]:
    found = dict[int, tuple[int, int]]()
    for post in model.posts:
        ids = [one.id for one in model.texts if one.on is post and one.is_visible]
        tallies = get_voting_service().comments.tallies(post.id, ids)
        found |= {pk: (tally.up, tally.down) for pk, tally in tallies.items()}
    return found


def check_listings(model: Model) -> None:
    visible = [one for one in model.posts if one.is_visible]
    recent = [one for one in visible if one.posted_at > model.now - DAY]
    for group in (None, "books", "maths"):
        for order, posts, key in (
            (Order.HOT, visible, model.hot),
            (Order.TOP_ALL, visible, model.points),
            (Order.TOP_DAY, recent, model.points),
        ):
            expected = sorted(
                (one for one in posts if group is None or group in one.groups),
                key=lambda one: (key(one), one.posted_at, one.id),
                reverse=True,
            )
            rows = listing(order, 1, group=group).page.rows
            found = [(row.id, row.up, row.down) for row in rows]
            assert found == [(one.id, *model.tally(one)) for one in expected], (order, group)


def check_own_votes(site: RandomSite) -> None:
    posts = {one.id: one for one in site.model.posts}
    for who in site.people:
        for row in listing(Order.HOT, 1, viewer_id=who).page.rows:
            own = site.model.row(posts[row.id], who)
            assert (row.vote or 0) == (own.vote if own else 0), (who, row)


def check_people(model: Model) -> None:
    karma, likes = model.karma(), model.likes_given()
    found = User.objects.values_list("pk", "karma", "likes_given")
    assert list(found) == [(pk, karma[pk], likes[pk]) for pk, *_ in found]


def check_boards(site: RandomSite) -> None:
    expected = site.model.boards()
    lines = BoardPoints.objects.exclude(points=0)
    names = ("day", "group", "kind", "subject_id", "points")
    assert {line[:4]: line[4] for line in lines.values_list(*names)} == expected
    shown = {
        "post": {one.id for one in site.model.posts if one.is_visible},
        "person": site.people.keys() - site.gone,
    }
    for day, group in sorted({line[:2] for line in expected}):
        page = leaders(day, week=False, group=group, page=1)
        for kind, found in (("post", page.posts), ("person", page.people)):
            best = [
                (points, line[3])
                for line, points in expected.items()
                if line[:3] == (day, group, kind) and points > 0 and line[3] in shown[kind]
            ]
            here = [(one.points, one.subject.pk) for one in found]
            assert here == sorted(best, reverse=True), (day, group, kind)


def check_finished_days(model: Model) -> None:
    for day in FinishedDay.objects.values_list("day", flat=True):
        found = listing_of_day(day, 1)
        shown = [(row.id, found.final_points[row.id]) for row in found.page.rows]
        assert shown == model.best_of(day), day


def check_ledger(model: Model) -> None:
    """Assert that the ledger, replayed, has each person's own vote, and which votes are void."""
    votes, void = dict[tuple[int, int, int], int](), set[tuple[int, int, int]]()
    for entry in LedgerEntry.objects.order_by("pk"):
        key = (entry.post_id, entry.comment_id, entry.user_id)
        if entry.kind == KIND.VOTE:
            votes[key] = entry.vote
        elif entry.kind == KIND.VOID:
            void.add(key)
        elif entry.kind == KIND.RESTORE:
            void.remove(key)
    own = {
        key_of(text, who): casts[-1].vote
        for text in model.texts
        for who, casts in text.votes.items()
    }
    assert votes == own
    assert void == {key_of(text, who) for text in model.texts for who in text.void}


def key_of(text: Text, who: int) -> tuple[int, int, int]:
    return text.post.id, text.id if text.on else 0, who

"""Imported points are a starting value: they rank a post, but are nobody's votes."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from redis import Redis

from forum.ledger import finished_days
from forum.ledger.recount import recount_all
from forum.models import ArchivedVote, BoardPoints, DayPost, LedgerEntry, Post, User
from forum.models.post import POINTS
from forum.moderation.actions import removals, undo
from forum.operations.repair import check, replay
from forum.operations.repair.rebuild import ensure_filled, rebuild, refill
from forum.operations.repair.scope import WHOLE
from forum.queries.listings import listing, listing_of
from forum.store.service import get_voting_service
from tests.forum.factories import person, post, reader
from tests.forum.merging import assert_consistent, cast, merge, numbers, undone
from tests.forum.outages import redis_down
from tests.forum.past_posts import archive_all
from tests.forum.test_export import exported, loaded
from tests.forum.test_voting_pages import SCRIPT, press
from tests.forum.worker_runs import run_worker
from tests.start.test_export import contents
from voting.types import Order, Vote

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.dialect]

POSTS = {"Rye": 143, "Spelt": 1, "Wheat": 0, "Oats": -20}
"""The titles of imported posts, and their points in the file."""
BEST_FIRST = list(POSTS)


@pytest.fixture(autouse=True)
def _imported(tmp_path: Path) -> None:
    """Import posts of today by Pia, which have points."""
    at = (timezone.now() - timedelta(minutes=5)).isoformat(timespec="seconds")
    rows = [f"{n},{title},,{points},pia,{at}" for n, (title, points) in enumerate(POSTS.items())]
    file = tmp_path / "posts.csv"
    file.write_text("\n".join(["id,title,url,points,author,created_at", *rows, ""]))
    call_command("import_posts", str(file), "--source", "oven")


@pytest.fixture
def rye() -> Post:
    return titled("Rye")


def titled(title: str) -> Post:
    return Post.objects.get(title=title)


def shown(order: Order = Order.TOP_ALL) -> dict[str, int]:
    """Return the points of posts by title, as a listing shows them, best first."""
    titles = dict(Post.objects.values_list("pk", "title"))
    return {titles[row.id]: row.points for row in listing(order, 1).page.rows}


def score(points: int, on: Post) -> float:
    return get_voting_service().posts.hot_score(on.posted_at, points)


@pytest.mark.parametrize("order", [Order.HOT, Order.TOP_DAY, Order.TOP_ALL])
def test_posts_are_listed_and_shown_with_their_points(order: Order) -> None:
    assert shown(order) == POSTS
    assert list(shown(order)) == BEST_FIRST
    page = reader().get("/top").content.decode()
    assert 'data-points="143" data-ups="1" data-downs="0"' in page
    assert "143 points" in page


def test_nobody_voted(rye: Post) -> None:
    assert not ArchivedVote.objects.exists()
    assert not BoardPoints.objects.exists()
    assert set(User.objects.values_list("karma", "likes_given")) == {(0, 0)}
    (entry,) = LedgerEntry.objects.filter(post_id=rye.pk)
    assert (entry.kind, entry.points, entry.user_id, entry.vote) == ("start", 142, 0, 0)
    assert str(entry) == f"+142 starting points of post {rye.pk}"


def test_page_of_a_post_says_where_its_points_come_from(rye: Post) -> None:
    html = reader().get(rye.get_absolute_url()).content.decode()
    assert "1 up, 0 down" in html
    assert "<dt>Points on another site</dt><dd>142</dd>" in html
    html = reader().get(titled("Spelt").get_absolute_url()).content.decode()
    assert "Points on another site" not in html


def test_programs_see_starting_points_beside_votes(rye: Post) -> None:
    found = reader().get(f"/api/v1/posts/{rye.pk}").json()
    parts = {name: found[name] for name in ("points", "up", "down", "starting_points")}
    assert parts == {"points": 143, "up": 1, "down": 0, "starting_points": 142}


def test_vote_comes_on_top_counts_for_karma_and_is_taken_back(rye: Post, bob: User) -> None:
    window = reader(bob)
    press(window, rye, "up")
    assert shown()["Rye"] == 144
    archive_all()
    voted = titled("Rye")
    assert (voted.up, voted.starting_points, voted.score) == (2, 142, score(144, rye))
    assert User.objects.get(username="pia").karma == 1
    assert LedgerEntry.objects.get(user_id=bob.pk).kind == LedgerEntry.Kind.VOTE
    assert_consistent()
    press(window, rye, "none")
    archive_all()
    assert shown() == POSTS
    assert titled("Rye").score == score(143, rye)
    assert User.objects.get(username="pia").karma == 0
    assert_consistent()


def test_fragment_after_a_vote_has_all_points(rye: Post, bob: User) -> None:
    answer = press(reader(bob), rye, "down", headers=SCRIPT)
    assert 'data-points="142" data-ups="1" data-downs="1"' in answer.content.decode()


def test_listings_from_sql_have_the_same_points(settings: Any) -> None:
    found = listing_of(Post.objects.all(), Order.TOP_ALL, 1).page.rows
    assert [row.points for row in found] == list(POSTS.values())
    with redis_down(settings):
        assert shown() == POSTS
    ordered = Post.objects.order_by(POINTS.desc()).values_list("title", flat=True)
    assert list(ordered) == BEST_FIRST


def test_search_counts_starting_points() -> None:
    page = reader().get("/search?q=points:>100").content.decode()
    assert "Rye" in page
    assert "Spelt" not in page


REPAIRS: dict[str, Callable[[], object]] = {
    "rebuild": rebuild,
    "refill": refill,
    "recount": recount_all,
}


@pytest.mark.parametrize("repair", REPAIRS.values(), ids=REPAIRS.keys())
def test_repairs_keep_starting_points(repair: Callable[[], object], rye: Post, bob: User) -> None:
    cast(bob, rye, Vote.UP)
    archive_all()
    repair()
    assert shown() == POSTS | {"Rye": 144}
    assert titled("Rye").score == score(144, rye)
    assert_consistent()


def test_emptied_redis_has_the_points_again(redis: Redis) -> None:
    redis.flushall()
    assert ensure_filled()
    assert shown() == POSTS
    assert_consistent()


def test_check_and_replay_name_changed_starting_points_and_repair_corrects_them(
    rye: Post, capsys: Any
) -> None:
    Post.objects.filter(pk=rye.pk).update(starting_points=0)
    assert f"post {rye.pk}: starting points: SQL has 0, Redis has 142" in check.differences()
    (sentence,) = replay.differences(WHOLE)
    assert sentence == f"post {rye.pk}: the ledger has 142 starting points, SQL has 0"
    with pytest.raises(CommandError):
        call_command("check_voting", "--deep")
    call_command("check_voting", "--deep", "--repair")
    assert titled("Rye").starting_points == 142
    call_command("check_voting", "--deep")
    assert shown() == POSTS


def test_export_and_restored_site_have_the_points(tmp_path: Path, rye: Post, bob: User) -> None:
    cast(bob, rye, Vote.UP)
    archive_all()
    first = exported(tmp_path / "first")
    loaded(first)
    assert contents(exported(tmp_path / "second")) == contents(first)
    refill()
    assert shown() == POSTS | {"Rye": 144}
    assert_consistent()


def test_removed_post_has_its_points_again_after_undo(rye: Post, stella: User) -> None:
    action = removals.remove(rye, by=stella, reason="Off topic")
    rebuild()
    assert "Rye" not in shown()
    undo.undo(action, by=stella)
    run_worker()
    assert shown() == POSTS
    assert_consistent()


def test_starting_points_count_on_the_page_of_a_day() -> None:
    yesterday = timezone.now() - timedelta(days=1)
    Post.objects.update(created_at=yesterday.replace(microsecond=0))
    finished_days.finish()
    found = DayPost.objects.order_by("rank").values_list("post__title", "points")
    assert dict(found) == POSTS
    assert [title for title, _points in found] == BEST_FIRST


def test_merged_posts_add_up_their_starting_points_until_the_merge_is_undone(
    ada: User, bob: User, stella: User, rye: Post
) -> None:
    own, oats = post(ada, "Our oven"), titled("Oats")
    cast(bob, rye, Vote.UP)
    archive_all()
    before = numbers()
    first = merge(rye, own, stella)
    assert shown()["Our oven"] == 1 + 2 + 142, "Ada, Pia and Bob, and the starting points"
    assert_consistent()
    second = merge(oats, own, stella)
    assert titled("Our oven").points == 3 + 142 - 21, "Pia counts once"
    assert_consistent()
    rebuild()
    assert titled("Our oven").points == 124
    undone(first, stella)
    assert shown()["Rye"] == 144
    assert titled("Our oven").points == 2 - 21
    undone(second, stella)
    assert shown() == POSTS | {"Rye": 144, "Our oven": 1}
    assert numbers() == before
    assert_consistent()


def test_posts_merged_into_a_merged_post_keep_all_points(
    ada: User, stella: User, rye: Post
) -> None:
    own, oats = post(ada, "Our oven"), titled("Oats")
    merge(rye, oats, stella)
    action = merge(oats, own, stella)
    assert titled("Our oven").starting_points == 142 - 21
    assert_consistent()
    undone(action, stella)
    assert titled("Our oven").starting_points == 0
    assert shown()["Oats"] == 1 + 142 - 21
    assert_consistent()


def test_admin_lists_starting_points_in_the_log_of_votes(rye: Post) -> None:
    admin = person("root", is_staff=True, is_superuser=True)
    html = reader(admin).get(f"/admin/forum/ledgerentry/?q={rye.pk}").content.decode()
    assert "+142" in html
    assert "starting points" in html

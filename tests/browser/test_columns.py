"""Wide windows have a column beside lists and threads, and phones begin with the posts."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import FloatRect, Locator, Page, ViewportSize, expect

from forum.models import DayPost, FinishedDay, Group, GroupModerator, Post, User
from forum.queries.days import best_of_yesterday
from tests.browser.pages import axe_violations, too_wide
from tests.forum.factories import groups, post, posts

DESK = ViewportSize(width=1280, height=1080)
PHONE = ViewportSize(width=390, height=844)
DESCRIPTION = "What we read, how we read it, and where to find it. Say whether you would lend it."
ABOUT = "About this group"
TEXT = 55 * 16
"""The width of lists and threads in pixels, as it was before there was a column."""


def box(part: Locator) -> FloatRect:
    found = part.bounding_box()
    assert found, f"{part} is not on the screen"
    return found


@pytest.fixture
def books(ada: User) -> Group:
    """A group with a description, a moderator and some posts."""
    (group,) = groups("books")
    group.description = DESCRIPTION
    group.save()
    GroupModerator.objects.create(group=group, user=ada)
    posts(ada, 5)
    return group


@pytest.fixture
def best(ada: User) -> Post:
    """The best post of yesterday."""
    written = post(ada, "Best of all")
    yesterday = timezone.now() - timedelta(days=1)
    Post.objects.filter(pk=written.pk).update(created_at=yesterday)
    day = FinishedDay.objects.create(day=yesterday.date())
    DayPost.objects.create(day=day, rank=1, post=written, points=1)
    best_of_yesterday.forget()
    return written


@pytest.mark.parametrize("path", ["/g/books/", "/g/books+science/", "/g/books/top"])
def test_first_post_of_a_group_begins_within_300_pixels_on_a_phone(
    page: Page, log_in: Callable[[User], None], bob: User, books: Group, path: str
) -> None:
    groups("science")
    page.set_viewport_size(PHONE)
    for member in (None, bob):
        if member:
            log_in(member)
        page.goto(path)
        assert box(page.locator(".rows > li").first)["y"] <= 300, f"for {member}"
        assert not too_wide(page)


def test_title_and_follow_are_on_one_line_of_a_phone_and_the_rest_opens(
    as_bob: Page, books: Group
) -> None:
    as_bob.set_viewport_size(PHONE)
    as_bob.goto("/g/books/")
    title = box(as_bob.get_by_role("heading", level=1))
    follow = box(as_bob.get_by_role("button", name="Follow"))
    assert follow["y"] < title["y"] + title["height"]
    assert title["y"] < follow["y"] + follow["height"]
    expect(as_bob.get_by_text(DESCRIPTION)).to_be_hidden()
    as_bob.get_by_text(ABOUT).click()
    expect(as_bob.get_by_text(DESCRIPTION)).to_be_visible()
    expect(as_bob.get_by_role("link", name="About the moderators")).to_be_visible()
    assert not axe_violations(as_bob)


@pytest.mark.parametrize("path", ["/", "/new", "/g/books/", "thread"])
def test_column_takes_no_room_from_the_text(page: Page, books: Group, path: str) -> None:
    path = Post.objects.latest("pk").get_absolute_url() if path == "thread" else path
    for width in (1200, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 1080})
        page.goto(path)
        text, side = box(page.locator(".text-column")), box(page.locator(".side-column"))
        assert text["width"] >= TEXT, f"at {width} pixels"
        assert text["x"] + text["width"] < side["x"], f"at {width} pixels"
        assert side["width"] >= 210, f"at {width} pixels"
        assert not too_wide(page)
    main = page.locator("main").evaluate("e => e.getBoundingClientRect().width")
    assert main == pytest.approx(75 * 16, abs=1), "72rem and the padding"


def test_group_is_described_in_the_column_of_a_wide_window(as_bob: Page, books: Group) -> None:
    as_bob.set_viewport_size(DESK)
    as_bob.goto("/g/books/")
    expect(as_bob.get_by_text(ABOUT)).to_be_hidden()
    rows = box(as_bob.locator(".rows"))
    for part in (
        as_bob.get_by_text(DESCRIPTION),
        as_bob.get_by_role("button", name="Follow"),
        as_bob.locator(".side-column").get_by_role("link", name="ada"),
    ):
        assert box(part)["x"] > rows["x"] + rows["width"]
    assert not axe_violations(as_bob)


def test_best_of_yesterday_is_beside_the_front_page_of_a_wide_window(
    page: Page, best: Post
) -> None:
    page.set_viewport_size(DESK)
    page.goto("/")
    beside = page.locator(".side-column").get_by_role("link", name="Best of all")
    expect(beside).to_have_attribute("href", best.get_absolute_url())
    assert box(beside)["x"] > TEXT
    assert box(page.locator(".welcome"))["x"] > TEXT
    assert not axe_violations(page)
    page.set_viewport_size(PHONE)
    expect(beside).to_be_hidden()
    expect(page.locator(".welcome")).to_be_visible()


def test_thread_has_its_group_and_similar_posts_beside_it(
    page: Page, ada: User, books: Group
) -> None:
    written = post(ada, "How to read a long novel")
    post(ada, "How to read another novel")
    page.set_viewport_size(DESK)
    page.goto(written.get_absolute_url())
    similar = page.get_by_role("link", name="How to read another novel")
    about = page.get_by_text(DESCRIPTION)
    assert box(similar)["x"] > TEXT
    assert box(about)["x"] > TEXT
    assert not axe_violations(page)
    page.set_viewport_size(PHONE)
    expect(about).to_be_hidden()
    talk = box(page.locator("#comments"))
    assert box(similar)["y"] >= talk["y"] + talk["height"]


def test_forms_have_no_column(as_bob: Page, books: Group) -> None:
    as_bob.set_viewport_size(DESK)
    for path in ("/submit", "/preferences", "/u/bob/", "/about"):
        as_bob.goto(path)
        assert box(as_bob.locator("main"))["width"] == pytest.approx(58 * 16, abs=1), path

"""Daily readers find unread posts, and see where the posts since their last visit end."""

from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import Page, expect

from forum.models import User
from forum.models.user import viewer_key
from forum.store import post_sync
from tests.browser.pages import row
from tests.forum.comments import add_comment
from tests.forum.factories import post
from tests.forum.past_posts import past_post


def test_opened_thread_leaves_the_unread_list_until_it_has_a_new_comment(
    as_bob: Page, ada: User
) -> None:
    page, written, other = as_bob, post(ada, "Knots"), post(ada, "Bread")
    page.goto("/unread")
    page.get_by_role("link", name="Knots", exact=True).click()
    expect(page.get_by_role("heading", name="Knots")).to_be_visible()
    page.goto("/")
    page.get_by_role("link", name="Unread", exact=True).click()
    expect(row(page, other)).to_be_visible()
    expect(row(page, written)).to_have_count(0)
    add_comment(ada, written)
    page.reload()
    expect(row(page, written).locator(".unseen")).to_have_text("1 new")


def test_line_below_new_posts_leads_to_the_best_of_them(as_bob: Page, ada: User, bob: User) -> None:
    page, old, new = as_bob, past_post(ada, days=0.5), post(ada, "Fresh")
    post_sync.deliver([old.pk])
    ended = timezone.now() - timedelta(hours=3)
    User.objects.filter(pk=bob.pk).update(active_at=ended)
    cache.delete(viewer_key(bob.pk))
    page.goto("/new")
    line = page.get_by_text("New since your last visit, 3 hours ago")
    above, box, below = (part.bounding_box() for part in (row(page, new), line, row(page, old)))
    assert above, "the new post is visible"
    assert box, "the line is visible"
    assert below, "the old post is visible"
    assert above["y"] < box["y"] < below["y"]
    line.get_by_role("link", name="What you missed").click()
    expect(row(page, new)).to_be_visible()
    expect(row(page, old)).to_have_count(0)

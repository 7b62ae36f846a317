"""Members read, vote and write with single keys, which do the same as the buttons."""

import re
from datetime import timedelta
from pathlib import Path
from time import time

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect
from redis import Redis

from forum.actions import comments as comment_actions
from forum.models import Comment, Post, User
from forum.web.keyboard import SHORTCUTS
from tests.browser.pages import arrow, expect_sound, expect_vote, is_marked, mark_document, row
from tests.forum.factories import post, posts
from voting.keys import people

ACTIONS = re.compile(r'^  "?([^\s":])"?: ', re.MULTILINE)
"""Matches the keys of `ACTIONS` in the script."""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def write(author: User, written: Post, parent: Comment | None = None, body: str = "A.") -> Comment:
    return comment_actions.write(author=author, post=written, parent=parent, body=body)


def comment(page: Page, written: Comment) -> Locator:
    return page.locator(f"#comment-{written.pk}")


@pytest.fixture
def rows(ada: User) -> list[Post]:
    """Three posts, the newest first, as on the page of new posts."""
    return posts(ada, 3)[::-1]


@pytest.fixture
def thread(ada: User, bob: User) -> tuple[Post, list[Comment]]:
    """A post with two comments, and a reply to the first."""
    written = post(ada)
    first = write(ada, written, body="First.")
    reply = write(bob, written, parent=first, body="Reply.")
    second = write(ada, written, body="Second.")
    return written, [first, reply, second]


def test_j_and_k_move_through_a_list(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/new")
    press(page, "j")
    expect(row(page, rows[0])).to_be_focused()
    press(page, "j", "j")
    expect(row(page, rows[2])).to_be_focused()
    press(page, "j")
    expect(row(page, rows[2])).to_be_focused()
    press(page, "k")
    expect(row(page, rows[1])).to_be_focused()


def test_a_and_z_vote_and_the_focus_stays(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/new")
    mark_document(page)
    press(page, "j", "j", "a")
    expect_vote(page, rows[1], "up", 2)
    expect(row(page, rows[1])).to_be_focused()
    press(page, "z")
    expect_vote(page, rows[1], "down", 0)
    press(page, "z")
    expect_vote(page, rows[1], "none", 1)
    press(page, "j")
    expect(row(page, rows[2])).to_be_focused()
    assert is_marked(page)


def test_a_key_for_an_item_does_nothing_before_an_item_is_chosen(
    as_bob: Page, rows: list[Post]
) -> None:
    page = as_bob
    page.goto("/new")
    press(page, "a", "s", "h", "e", "j")
    expect(row(page, rows[0])).to_be_focused()
    for each in rows:
        expect(arrow(page, each, "up")).to_have_attribute("aria-pressed", "false")


def test_s_saves_and_h_hides(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/new")
    press(page, "j", "s")
    expect(row(page, rows[0]).locator(".save")).to_have_attribute("aria-pressed", "true")
    press(page, "j", "h")
    expect(page.locator(f"#post-{rows[1].pk}.away")).to_be_visible()
    page.goto("/u/bob/saved")
    expect(row(page, rows[0])).to_be_visible()


def test_enter_opens_and_c_opens_the_comments(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/new")
    press(page, "j", "Enter")
    expect(page).to_have_url(re.compile(rf"/p/{rows[0].pk}\b"))
    page.goto("/new")
    press(page, "j", "j", "c")
    expect(page).to_have_url(re.compile(rf"/p/{rows[1].pk}\b.*#comments$"))


def test_enter_on_a_comment_opens_the_comment(
    as_bob: Page, thread: tuple[Post, list[Comment]]
) -> None:
    page, (written, (first, _reply, second)) = as_bob, thread
    page.goto(f"{written.get_absolute_url()}?sort=old")
    press(page, "j", "j", "Enter")
    expect(page).to_have_url(re.compile(rf"/p/{written.pk}/c/{first.pk}$"))
    for address in ("/comments", f"/p/{written.pk}/comments", "/u/ada/comments"):
        page.goto(address)
        press(page, "j", "Enter")
        expect(page).to_have_url(re.compile(rf"/p/{written.pk}/c/{second.pk}$"))


def test_enter_on_a_threads_own_post_opens_the_post(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    page.goto(f"{written.get_absolute_url()}?sort=old")
    press(page, "j", "Enter")
    expect(page).to_have_url(re.compile(rf"{written.get_absolute_url()}$"))


def test_g_leads_to_pages_and_slash_to_search(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/g/")
    for key, address in (("n", "/new"), ("i", "/inbox"), ("h", "/")):
        press(page, "g", key)
        expect(page).to_have_url(re.compile(rf"localhost:\d+{address}$"))
    press(page, "/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    press(page, "j")
    expect(page.get_by_role("searchbox")).to_have_value("j")


def test_keys_lead_through_a_thread(as_bob: Page, thread: tuple[Post, list[Comment]]) -> None:
    page, (written, (first, reply, second)) = as_bob, thread
    page.goto(f"{written.get_absolute_url()}?sort=old")
    press(page, "j", "j", "j")
    expect(comment(page, reply)).to_be_focused()
    press(page, "p")
    expect(comment(page, first)).to_be_focused()
    press(page, "]")
    expect(comment(page, second)).to_be_focused()
    press(page, "[")
    expect(comment(page, first)).to_be_focused()
    press(page, "x")
    expect(comment(page, reply)).to_be_hidden()
    press(page, "j")
    expect(comment(page, second)).to_be_focused()
    press(page, "k", "x")
    expect(comment(page, reply)).to_be_visible()
    expect(comment(page, first)).to_be_focused()


def test_n_leads_to_the_next_new_comment(
    as_bob: Page, ada: User, bob: User, redis: Redis, thread: tuple[Post, list[Comment]]
) -> None:
    page, (written, (first, _reply, second)) = as_bob, thread
    redis.hset(people.seen(bob.pk), str(written.pk), f"{int(time()) - 3_600} 3 0")
    Comment.objects.update(created_at=timezone.now() - timedelta(hours=2))
    to_first, to_second = (write(ada, written, each, "New.") for each in (first, second))
    page.goto(f"{written.get_absolute_url()}?sort=old")
    press(page, "n")
    expect(comment(page, to_first)).to_be_focused()
    press(page, "n")
    expect(comment(page, to_second)).to_be_focused()
    press(page, "p", "x", "k", "n")
    folded = page.locator("summary:focus", has_text="Comment by ada, 1 reply")
    expect(folded.get_by_text("1 new")).to_be_visible()


def test_a_reply_is_written_and_sent_without_a_mouse(
    as_bob: Page, thread: tuple[Post, list[Comment]]
) -> None:
    page, (written, (first, *_others)) = as_bob, thread
    page.goto(f"{written.get_absolute_url()}?sort=old")
    press(page, "j", "j", "r")
    expect(page.get_by_label("Your reply")).to_be_focused()
    page.keyboard.type("jazz: a, z and ? are letters here")
    press(page, "Control+Enter")
    expect(page.get_by_text("jazz: a, z and ? are letters here")).to_be_visible()
    assert Comment.objects.latest("pk").parent_id == first.pk


def test_a_comment_is_current_after_it_was_sent_by_keys(
    as_bob: Page, thread: tuple[Post, list[Comment]]
) -> None:
    page, (written, _comments) = as_bob, thread
    page.goto(f"{written.get_absolute_url()}?sort=old")
    press(page, "j", "j", "r")
    expect(page.locator(".comment-form textarea:focus")).to_be_visible()
    page.keyboard.type("Mine.")
    press(page, "Control+Enter")
    page.wait_for_url("**#comment-*")
    press(page, "e")
    expect(page).to_have_url(re.compile(rf"/c/{Comment.objects.latest('pk').pk}/edit$"))


def test_the_comment_that_a_link_led_to_is_current(
    as_bob: Page, thread: tuple[Post, list[Comment]]
) -> None:
    page, (written, (first, reply, second)) = as_bob, thread
    page.goto(f"{written.get_absolute_url()}?sort=old#comment-{first.pk}")
    press(page, "j")
    expect(comment(page, reply)).to_be_focused()
    comment(page, first).get_by_role("link", name="next").click()
    page.wait_for_url(f"**#comment-{second.pk}")
    press(page, "k")
    expect(comment(page, reply)).to_be_focused()


def test_keys_are_for_the_comment_that_was_clicked(
    as_bob: Page, thread: tuple[Post, list[Comment]]
) -> None:
    page, (written, (first, reply, second)) = as_bob, thread
    page.goto(f"{written.get_absolute_url()}?sort=old")
    comment(page, first).get_by_text("First.").click()
    press(page, "j")
    expect(comment(page, reply)).to_be_focused()
    comment(page, second).get_by_text("Second.").click()
    press(page, "k")
    expect(comment(page, reply)).to_be_focused()


def test_a_box_that_r_opens_low_in_the_window_is_all_on_the_screen(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada, body="Line.\n\n" * 12)
    page.goto(written.get_absolute_url())
    press(page, "r")
    buttons = page.locator("#comments .comment-form .buttons")
    expect(buttons).to_be_in_viewport(ratio=1)


def test_e_edits_and_r_comments_on_the_post(as_ada: Page, ada: User) -> None:
    page, written = as_ada, post(ada)
    page.goto(written.get_absolute_url())
    press(page, "r")
    expect(page.locator("#comments .comment-form [name=body]").first).to_be_focused()
    page.goto(written.get_absolute_url())
    press(page, "e")
    expect(page).to_have_url(re.compile(rf"/p/{written.pk}/edit$"))


def test_f_follows_a_group_and_watches_a_thread(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    page.goto("/g/books/")
    press(page, "f")
    expect(page.get_by_role("button", name="Stop following")).to_be_visible()
    page.goto(written.get_absolute_url())
    press(page, "f")
    expect(page.get_by_role("button", name="Watching")).to_be_visible()


def test_watching_by_key_leaves_the_reader_at_the_comment(
    as_bob: Page, thread: tuple[Post, list[Comment]]
) -> None:
    page, (written, (first, *_others)) = as_bob, thread
    page.goto(f"{written.get_absolute_url()}?sort=old")
    mark_document(page)
    press(page, "j", "j", "f")
    expect(page.get_by_text("You will no longer be notified")).to_be_visible()
    expect(page.get_by_role("button", name="Watch", exact=True)).to_be_visible()
    expect(comment(page, first)).to_be_focused()
    press(page, "f")
    expect(page.get_by_text("You will be notified of new comments")).to_be_visible()
    expect(page.get_by_role("button", name="Watching")).to_be_visible()
    assert is_marked(page)


def test_the_help_opens_and_closes(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/new")
    press(page, "?")
    help_box = page.get_by_role("dialog")
    expect(help_box.get_by_text("Next new comment")).to_be_visible()
    expect_sound(page, script=True)
    press(page, "j", "Escape")
    expect(help_box).to_have_count(0)
    expect(row(page, rows[0])).not_to_be_focused()


def test_the_help_has_a_button_that_closes_it(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/keys")
    expect(page.get_by_role("button", name="Close")).to_have_count(0)
    press(page, "?")
    close = page.get_by_role("dialog").get_by_role("button", name="Close")
    expect(close).to_be_focused()
    close.click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_j_and_k_move_through_search_results(as_bob: Page, ada: User) -> None:
    page = as_bob
    found = [post(ada, f"Blue heron {number}") for number in range(2)]
    page.goto("/search?q=heron&o=new")
    results = page.locator(".results > li")
    press(page, "/")
    expect(page.locator("[type=search]:focus")).to_have_count(1)
    press(page, "Escape", "j", "j")
    expect(results.nth(1)).to_be_focused()
    press(page, "k")
    expect(results.nth(0)).to_be_focused()
    press(page, "Enter")
    expect(page).to_have_url(re.compile(rf"/p/({found[0].pk}|{found[1].pk})/"))


def test_keys_can_be_turned_off(as_bob: Page, rows: list[Post]) -> None:
    page = as_bob
    page.goto("/display")
    page.get_by_role("group", name="Keyboard shortcuts").get_by_label("Off").check()
    page.get_by_role("button", name="Save").click()
    page.goto("/new")
    press(page, "j")
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()


def test_keys_do_nothing_on_the_moderation_queue(as_ada: Page, ada: User) -> None:
    ada.is_superuser = ada.is_staff = True
    ada.save()
    page = as_ada
    page.goto(reverse("queue"))
    press(page, "g", "n")
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("heading", name="Moderation queue")).to_be_visible()


def test_the_help_lists_all_keys_and_no_others() -> None:
    script = Path(settings.BASE_DIR, "static", "keys.js").read_text()
    actions = set(ACTIONS.findall(script))
    listed = {shortcut.keys[0] for _heading, part in SHORTCUTS for shortcut in part}
    assert actions == listed - {"Enter", "Ctrl+Enter"}

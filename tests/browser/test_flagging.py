"""On a phone, members flag posts and comments, and moderators decide about the flags."""

import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from playwright.sync_api import Locator, Page, expect

from forum.actions.policy import policy
from forum.models import Comment, Flag, ModAction, Post, User
from forum.moderation.flags.services import flag
from forum.moderation.queue.services import decide
from tests.browser.pages import PHONE, expect_sound, visit
from tests.forum.comments import add_comment
from tests.forum.factories import post

DISMISS = ModAction.Kind.DISMISS


@pytest.fixture(autouse=True)
def _phone(page: Page) -> None:
    """Start each test with a phone-sized window, the default site policy and an empty cache."""
    page.set_viewport_size(PHONE)
    policy.forget()
    cache.clear()


@pytest.fixture
def comment(ada: User) -> Comment:
    """A comment by Ada."""
    return add_comment(ada, post(ada, "Knots"), "Buy pills.")


def fill_in(page: Page, reason: str, words: str = "") -> Locator:
    """Fill in the open form to flag something. Return the button that sends the form."""
    form = page.locator(".flag-form")
    form.get_by_label(reason, exact=True).check()
    form.get_by_label("In your own words").fill(words)
    return form.get_by_role("button", name="Flag", exact=True)


def test_member_flags_a_comment_and_withdraws(as_bob: Page, comment: Comment, script: bool) -> None:
    page, thread = as_bob, comment.post.get_absolute_url()
    visit(page, thread)
    page.locator(f"#comment-{comment.pk} .flag").click()
    button = fill_in(page, "Spam", "It sells pills.")
    assert page.url.endswith(thread) is script
    expect_sound(page, script)
    button.click()
    expect(page.get_by_text("Thank you. Moderators will look at your flag.")).to_be_visible()
    assert page.url.endswith(thread)
    found = Flag.objects.get()
    assert (found.item.comment, found.kind, found.words) == (comment, "spam", "It sells pills.")
    if not script:
        visit(page, f"{comment.get_absolute_url()}/flag")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("Your flag was withdrawn.")).to_be_visible()
    assert not Flag.objects.exists()


def test_missing_words_are_asked_for_and_form_can_be_closed(
    as_bob: Page, ada: User, script: bool
) -> None:
    page, written = as_bob, post(ada, "Knots")
    visit(page, written.get_absolute_url())
    link = page.locator(".tools .flag")
    link.click()
    fill_in(page, "Other").click()
    expect(page.get_by_text("Say what is wrong in your own words.")).to_be_visible()
    if script:
        expect(page.get_by_label("In your own words")).to_be_focused()
    expect_sound(page, script)
    page.get_by_role("link", name="Cancel").click()
    expect(page.locator(".flag-form")).to_have_count(0)
    expect(page).to_have_url(re.compile(f"{written.get_absolute_url()}$"))
    if script:
        expect(link).to_be_focused()


def test_people_are_flagged_on_their_profile(as_bob: Page, ada: User, script: bool) -> None:
    visit(as_bob, "/u/ada/")
    as_bob.get_by_role("link", name="Flag").click()
    fill_in(as_bob, "Unkind").click()
    expect(as_bob.get_by_text("Thank you.")).to_be_visible()
    assert Flag.objects.get().item.person == ada


def test_refusal_is_shown_beside_the_link(as_bob: Page, bob: User, ada: User, stella: User) -> None:
    written = post(ada, "Knots")
    visit(as_bob, written.get_absolute_url())
    decide(flag(written, by=bob, kind=Flag.Kind.SPAM), DISMISS, by=stella)
    as_bob.locator(".tools .flag").click()
    expect(as_bob.get_by_text("already decided this")).to_be_visible()


def test_moderator_decides_and_undoes(
    page: Page,
    bob: User,
    stella: User,
    comment: Comment,
    log_in: Callable[[User], None],
    script: bool,
) -> None:
    flag(comment, by=bob, kind=Flag.Kind.SPAM, words="It sells pills.")
    log_in(stella)
    visit(page, "/")
    page.locator(".menu > summary").click()
    page.get_by_role("link", name="Moderation queue").click()
    entry = page.locator(".queue-entry")
    expect(entry).to_contain_text("It sells pills.")
    expect_sound(page, script)
    entry.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Give a reason.")).to_be_visible()
    expect_sound(page, script)
    page.get_by_label("Reason", exact=True).fill("Spam")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("The queue is empty.")).to_be_visible()
    assert not Comment.objects.visible().exists()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The action was undone.")).to_be_visible()
    expect(page.locator(".queue-entry")).to_contain_text("Buy pills.")
    assert Post.objects.get().comment_count == 1


@pytest.mark.long
def test_pages_of_flags_and_the_queue_are_sound(
    page: Page, bob: User, stella: User, comment: Comment, log_in: Callable[[User], None]
) -> None:
    words = "pills" * 60
    decide(flag(comment, by=bob, kind=Flag.Kind.SPAM, words=words), DISMISS, by=stella)
    flag(comment.author, by=bob, kind=Flag.Kind.OTHER, words=words)
    flag(post(bob, "Mine"), by=stella, kind=Flag.Kind.SPAM)
    for user, paths in ((bob, ["/flags"]), (stella, ["/moderation", "/moderation?state=decided"])):
        log_in(user)
        for path in (*paths, f"/p/{comment.post_id}/flag", "/u/ada/flag"):
            visit(page, path)
            expect_sound(page, script=True)

"""On a phone in Chinese, moderators decide on flags, and a banned person replies to moderators."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.core.cache import cache
from django.utils.translation import gettext, override
from playwright.sync_api import Page, expect

from forum.models import Comment, Conversation, User
from tests.browser.pages import PHONE, SLOWER, expect_sound, visit
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

pytestmark = pytest.mark.long


def chinese(sentence: str) -> str:
    """Return the Chinese translation of a message, and fail if there is none."""
    with override("zh-hans"):
        translated = gettext(sentence)
    assert translated != sentence, f"not translated: {sentence}"
    return translated


@pytest.fixture
def comment(ada: User) -> Comment:
    """A comment by Ada."""
    return add_comment(ada, post(ada, "Knots"), "Buy pills.")


@pytest.fixture(autouse=True)
def _chinese_phone(page: Page, base_url: str) -> None:
    cache.clear()
    page.set_viewport_size(PHONE)
    name = settings.LANGUAGE_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": "zh-hans", "url": base_url}])


def press(page: Page, name: str) -> None:
    """Press a button on the Chinese page, given the button's English name."""
    page.wait_for_timeout(SLOWER)
    page.get_by_role("button", name=chinese(name), exact=True).first.click()


def test_flag_is_decided_and_the_decision_undone(
    page: Page, bob: User, comment: Comment, log_in: Callable[[User], None], script: bool
) -> None:
    log_in(bob)
    visit(page, comment.post.get_absolute_url())
    page.locator(f"#comment-{comment.pk} .flag").click()
    page.locator(".flag-form input[value=spam]").check()
    expect_sound(page, script)
    press(page, "Flag")
    thanks = chinese("Thank you. Moderators will look at your flag.")
    expect(page.get_by_text(thanks)).to_be_visible()
    log_in(person("stella", is_staff=True))
    visit(page, "/moderation")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    page.locator(".queue-entry").get_by_label(chinese("Reason"), exact=True).fill("广告")
    expect_sound(page, script)
    press(page, "Remove")
    expect(page.get_by_text(chinese("The queue is empty."))).to_be_visible()
    assert not Comment.objects.visible().exists()
    press(page, "Undo")
    expect(page.get_by_text(chinese("The action was undone."))).to_be_visible()
    assert Comment.objects.visible().exists()


def test_banned_person_reads_the_reason_and_replies(
    page: Page, bob: User, log_in: Callable[[User], None], script: bool
) -> None:
    log_in(person("stella", is_staff=True))
    visit(page, "/moderation/people/bob")
    page.get_by_role("link", name=chinese("Ban"), exact=True).click()
    page.get_by_label(chinese("Reason"), exact=True).fill("辱骂他人")
    expect_sound(page, script)
    press(page, "Ban")
    expect(page.locator(".notice.bad")).to_be_visible()
    log_in(bob)
    visit(page, Conversation.objects.get().get_absolute_url())
    expect(page.locator(".message")).to_contain_text("辱骂他人")
    expect_sound(page, script)
    page.get_by_label(chinese("Your message")).fill("对不起。")
    press(page, "Send")
    expect(page.locator(".message").last).to_contain_text("对不起。")
    assert Conversation.objects.get().state == Conversation.State.OPEN

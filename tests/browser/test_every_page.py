"""What must hold on every page: nothing for axe to find, and no sideways scroll on a phone."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect
from redis import Redis

from forum.bonds import following, marks
from forum.content import commenting
from forum.inbox import notices
from forum.models import Group, Post, User
from forum.store import voting
from tests.browser.sights import SCREEN, seen_by_axe, too_wide, unfold
from tests.forum.cast import groups, grow_old, person, post

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
PHONE = ViewportSize(width=320, height=640)
MAGNIFIED = ViewportSize(width=160, height=320)
"""The phone in letters of twice the size."""
ROWS = 10
"""On a page: axe looks for long at each, and ten posts of all kinds show it all there is."""
EVERYBODY = {
    "front": "/",
    "group": "/g/books/",
    "profile": "/u/ada/",
    "leaders": "/leaders",
}
GUESTS = EVERYBODY | {
    "the end of the front": "/?p=2",
    "top": "/top",
    "groups": "/g/",
    "mix": "/g/books&maths/",
    "about": "/about",
    "language": "/language",
    "nowhere": "/nowhere",
    "no such group": "/g/boks/",
    "no such page": "/?p=99",
    "log-in": "/accounts/login/",
    "log-in that takes a vote along": "/accounts/login/?next=/&vote=up&post=1",
    "sign-up": "/accounts/signup/",
    "forgotten password": "/accounts/password/reset/",
}
MEMBERS = EVERYBODY | {
    "submit": "/submit",
    "inbox": "/inbox",
    "preferences": "/preferences",
    "following": "/following",
    "whom I follow": "/u/ada/follows",
    "who follows": "/u/ada/fans",
    "saved": "/u/ada/saved",
    "hidden": "/u/ada/hidden",
    "viewed": "/history",
    "clearing what was viewed": "/history/clear",
    "my activity": "/u/ada/activity",
    "another's profile": "/u/bob/",
    "log-out": "/accounts/logout/",
    "about me": "/u/ada/about",
    "my email": "/accounts/email/",
    "my password": "/accounts/password/change/",
    "second factor": "/accounts/2fa/",
}


@pytest.fixture
def _short_pages(settings: Any) -> Iterator[None]:
    settings.PAGE_SIZE = ROWS
    settings.VOTING_RULES = replace(settings.VOTING_RULES, page_size=ROWS)
    voting.cache_clear()
    yield
    voting.cache_clear()


@pytest.fixture
def library(ada: User, bob: User) -> Post:
    """Fill a site with all that pages can show; return the post with the richest text."""
    Group.objects.create(slug="ships", title=LONG[:60])
    groups("books", "maths", "group-with-a-name-of-forty-characters-xy")
    ada.about = "# Me\n\nI *read*."
    ada.save()
    for number in range(ROWS // 2):
        post(bob, f"Post number {number}", slugs="cooking")
    old = post(ada, "An old one")
    Post.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=30))
    far = "https://a-rather-long-name-of-a-host.somewhere.example.org/" + "path/" * 30
    for number, slugs in enumerate(("books", "maths", "books maths")):
        post(ada, f"{LONG} {LONG}", slugs=slugs, kind="link", url=f"{far}{number}", body="")
    post(person("a-name-of-exactly-thirty-chars"), "Why, then?", slugs="books", kind="question")
    follow_and_keep(ada, bob, old)
    commenting.write(author=bob, post=old, parent=None, body=f"{LONG}{LONG}")
    notices.moderator_message(ada, f"A word:\n\n{LONG}{LONG}", by=bob)
    following.block(ada, bob, on=True)
    text = (
        f"# A head\n\n{LONG}{LONG}\n\n- one\n- [two]({far})\n\n- مرحبا\n\n> quoted\n\n## Lower\n\n"
    )
    wide = f"    {LONG}{LONG}\n\n| a | b |\n|---|---|\n| {LONG} | {LONG} |\n\n`{LONG}`"
    return post(ada, "A rich text", slugs="books maths", body=text + wide)


def follow_and_keep(ada: User, bob: User, kept: Post) -> None:
    """Have Ada follow, save and hide, and be followed."""
    cleo = person("a-name-of-just-as-many-letters")
    for one, other in ((ada, bob), (bob, ada), (bob, cleo)):
        following.follow(one, other, True)
    books, maths = groups("books", "maths")
    following.follow_group(ada, books, True)
    following.hide_group(ada, maths, True)
    marks.save(ada, kept, True)
    marks.hide(ada, kept, True)


@pytest.mark.usefixtures("_short_pages")
@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
def test_no_page_scrolls_sideways_on_a_narrow_phone_and_axe_finds_nothing_in_light_or_dark(
    page: Page, ada: User, library: Post, log_in: Callable[[User], None], member: bool
) -> None:
    """Axe looks at a page where it has room, as on a desk."""
    own = {name: f"/p/{library.pk}/{name}" for name in ("edit", "delete")}
    pages = {"post": library.get_absolute_url()} | (MEMBERS | own if member else GUESTS)
    if member:
        log_in(ada)
    complaints = {}
    for name, address in pages.items():
        page.set_viewport_size(PHONE)
        page.goto(address)
        unfold(page)
        wide = too_wide(page)
        page.set_viewport_size(MAGNIFIED)
        wide = wide or too_wide(page)
        page.set_viewport_size(SCREEN)
        complaints[name] = wide + seen_by_axe(page)
    said = [f"On {name}: {words}" for name, words in complaints.items() if words]
    assert not said, "\n\n".join(said)


def test_a_preview_of_wide_code_fits_a_narrow_phone(as_ada: Page) -> None:
    page = as_ada
    page.set_viewport_size(PHONE)
    page.goto("/submit")
    page.get_by_label("Text", exact=True).fill(f"    {LONG}{LONG}")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview pre")).to_be_visible()
    assert not too_wide(page)


def test_in_letters_of_twice_the_size_a_closed_post_and_a_chinese_form_fit_a_phone(
    as_ada: Page, ada: User, context: BrowserContext, base_url: str, redis: Redis
) -> None:
    page, closed = as_ada, post(ada)
    grow_old(redis, closed, days=8)
    page.set_viewport_size(MAGNIFIED)
    page.goto(closed.get_absolute_url())
    expect(page.get_by_text("voting has closed")).to_be_visible()
    assert not too_wide(page)
    language = settings.LANGUAGE_COOKIE_NAME
    context.add_cookies([{"name": language, "value": "zh-hans", "url": base_url}])
    page.goto("/submit")
    assert not too_wide(page)


def test_code_and_tables_that_scroll_on_the_screen_are_whole_on_paper(
    page: Page, ada: User
) -> None:
    wide = f"    {LONG} {LONG} {LONG}\n\n| a | b |\n|---|---|\n| {LONG} {LONG} | {LONG} |"
    written = post(ada, body=wide)
    page.set_viewport_size({"width": 650, "height": 920})
    page.emulate_media(media="print")
    page.goto(written.get_absolute_url())
    cut = "box => Math.max(0, box.scrollWidth - box.clientWidth)"
    for part in ("pre", "table"):
        assert page.locator(f".prose {part}").evaluate(cut) == 0, (
            f"pixels of the {part} are cut off"
        )
    assert not too_wide(page)

"""The layout of pages has no faults of alignment or wrapping that a person would notice."""

import re
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect
from redis import Redis

from forum.actions import marks
from forum.actions import posts as post_actions
from forum.models import ArchivedVote, User
from tests.browser.pages import row, too_wide, unfold
from tests.forum.comments import add_comment
from tests.forum.factories import PASSWORD, give_messages, groups, make_older, person, post
from voting.types import Vote

pytestmark = pytest.mark.long

ARABIC = "مرحبا بالعالم"
DOTS = """meta => {
    const parts = document.createTreeWalker(meta, NodeFilter.SHOW_TEXT), found = [];
    for (let part; (part = parts.nextNode()); ) {
        const at = part.data.indexOf("·"), dot = new Range();
        if (at < 0) continue;
        dot.setStart(part, at), dot.setEnd(part, at + 1);
        found.push(dot.getBoundingClientRect().x);
    }
    return found;
}"""
"""JavaScript that returns the horizontal positions of the dots in a line such as "1 point · 2
comments".
"""


def box(what: Locator) -> FloatRect:
    found = what.bounding_box()
    assert found, f"{what} is not on the screen"
    return found


@pytest.mark.parametrize("name", ["ada", "a-name-of-exactly-thirty-chars"])
def test_header_has_two_lines_on_a_narrow_phone_with_any_name(
    page: Page, log_in: Callable[[User], None], bob: User, name: str
) -> None:
    member = person(name)
    give_messages(member)
    log_in(member)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/")
    brand, own = box(page.locator(".brand")), box(page.locator(".site-own"))
    lists = box(page.locator(".site-nav"))
    assert brand["y"] == own["y"]
    assert brand["x"] + brand["width"] <= own["x"]
    assert own["x"] + own["width"] <= 320
    assert lists["y"] == pytest.approx(own["y"] + own["height"], abs=2)
    last = box(page.locator(".site-nav a:visible").last)
    assert last["x"] + last["width"] <= 320, "all lists fit without scrolling"
    assert page.get_by_role("link", name="Rostra").count() == 1, "screen readers hear its name"


def test_long_name_is_shortened_in_header_of_a_phone(
    page: Page, log_in: Callable[[User], None], bob: User
) -> None:
    member = person("W" * 30)
    give_messages(member)
    log_in(member)
    page.goto("/")
    for width in (320, 360, 375, 385, 390, 400, 414, 430, 480, 600, 768):
        page.set_viewport_size({"width": width, "height": 640})
        assert not too_wide(page), f"at {width} pixels"
        menu = box(page.locator(".menu > summary"))
        assert menu["x"] + menu["width"] <= width, f"at {width} pixels"
        mark = page.locator(".menu > summary").evaluate(
            "e => getComputedStyle(e, '::before').width"
        )
        assert mark == "8px", "the menu's mark keeps its shape"


@pytest.mark.parametrize("width", [390, 1280])
def test_labels_of_a_posts_standing_take_one_line(page: Page, ada: User, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(post(ada).get_absolute_url())
    page.get_by_text("Why is this here?").click()
    labels = page.locator(".standing dt")
    expect(labels.first).to_be_visible()
    assert labels.count() > 5
    assert all(box(label)["height"] <= 24 for label in labels.all())


def test_long_name_wraps_in_threads_and_on_buttons_of_a_phone(as_bob: Page, bob: User) -> None:
    page, wide = as_bob, person("W" * 30)
    written = post(wide)
    comment = add_comment(wide, written, "@bob")
    page.set_viewport_size({"width": 320, "height": 640})
    for path in ("/inbox", "/comments", comment.get_absolute_url(), written.get_absolute_url()):
        page.goto(path)
        assert not too_wide(page), path
    page.locator(".thread summary").click()
    assert not too_wide(page), "folded"
    page.goto(wide.get_absolute_url())
    assert not too_wide(page)
    page.get_by_role("button", name="Block W").click()
    page.goto("/preferences")
    expect(page.get_by_role("button", name="Unblock W")).to_be_visible()
    assert not too_wide(page)


def test_name_of_twelve_letters_is_complete_next_to_a_hundred_unread_items(
    page: Page, log_in: Callable[[User], None], bob: User
) -> None:
    member = person("second-onemm")
    give_messages(member, 100)
    log_in(member)
    for width, path in product((360, 375, 390, 961, 1024, 1280), ("/following", "/submit")):
        page.set_viewport_size({"width": width, "height": 640})
        page.goto(path)
        expect(page.locator(".site-inbox .count")).to_have_text("100")
        name = page.locator(".site-name")
        assert name.evaluate("e => e.scrollWidth <= e.clientWidth"), f"{path}, {width} pixels"


@pytest.mark.parametrize("width", [320, 768, 961, 1280])
def test_header_page_and_footer_are_aligned(as_bob: Page, width: int) -> None:
    page = as_bob
    page.set_viewport_size({"width": width, "height": 640})
    page.goto("/")
    begin = [
        box(page.locator(one))["x"] for one in (".mark path", ".list-head", ".site-foot a >> nth=0")
    ]
    assert begin == [pytest.approx(begin[0], abs=0.1)] * 3
    menu = page.locator(".menu > summary").evaluate(
        "e => e.getBoundingClientRect().right - parseFloat(getComputedStyle(e).paddingRight)"
    )
    columns = box(page.locator(".columns"))
    assert menu == pytest.approx(columns["x"] + columns["width"], abs=0.1)


@pytest.mark.parametrize("width", [320, 390, 961, 1280])
@pytest.mark.parametrize("name", ["Rostra", "A Gathering of Readers"])
def test_sign_up_link_fits_the_header_with_any_site_name(
    page: Page, settings: Any, name: str, width: int
) -> None:
    settings.SITE_NAME = name
    page.set_viewport_size({"width": width, "height": 640})
    page.goto("/")
    brand, lists, own = (box(page.locator(one)) for one in (".brand", ".site-nav", ".site-own"))
    links = page.locator(".site-own a:not(.to-search)")
    beside = lists if width > 960 else own
    assert links.all_inner_texts() == ["Submit", "Log in", "Sign up"]
    assert {box(link)["y"] for link in links.all()} == {brand["y"]}, "on one line"
    assert brand["x"] + brand["width"] <= beside["x"]
    assert beside == own or lists["x"] + lists["width"] <= own["x"]
    assert box(links.last)["x"] + box(links.last)["width"] <= width
    assert not too_wide(page)


def test_all_lists_fit_the_desktop_header_with_any_user_name(
    page: Page, log_in: Callable[[User], None], bob: User
) -> None:
    member = person("a-name-of-exactly-thirty-chars")
    give_messages(member)
    log_in(member)
    for width in (970, 1280):
        page.set_viewport_size({"width": width, "height": 640})
        page.goto("/")
        last, own = page.locator(".site-nav a").last, page.locator(".site-own")
        assert box(last)["x"] + box(last)["width"] <= box(own)["x"]
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        assert box(page.locator(".menu"))["x"] + box(page.locator(".menu"))["width"] <= width


def test_paragraphs_that_run_from_right_to_left_start_on_the_right(as_bob: Page, ada: User) -> None:
    page = as_bob
    written = post(ada, body=f"{ARABIC}\n\nEnglish")
    page.goto(written.get_absolute_url())
    left, right = (
        page.locator("#content")
        .get_by_text(words, exact=True)
        .evaluate(
            "(p) => { const r = new Range(); r.selectNodeContents(p);"
            " const t = r.getBoundingClientRect(), b = p.getBoundingClientRect();"
            " return [t.left - b.left, b.right - t.right] }"
        )
        for words in ("English", ARABIC)
    )
    assert left[0] < 1 < left[1]
    assert right[1] < 1 < right[0]


def test_lists_look_alike_on_every_page_and_start_on_the_side_of_their_words(
    as_bob: Page, ada: User
) -> None:
    page, body = as_bob, f"- {ARABIC}\n\nEnglish\n\n- one\n  - two\n    - three"
    written = post(ada, body=body)
    comment = add_comment(ada, written, body)
    for address in (written.get_absolute_url(), comment.get_absolute_url(), "/comments"):
        page.goto(address)
        found = page.locator(".prose ul").evaluate_all(
            "all => all.map(ul => [getComputedStyle(ul).listStyleType,"
            " getComputedStyle(ul).direction].join(' '))"
        )
        assert found[:4] == ["disc rtl", "disc ltr", "circle ltr", "square ltr"], address


def test_row_with_all_details_fits_a_narrow_phone(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    marks.save(User.objects.get(username="bob"), written, True)
    page.goto(written.get_absolute_url())
    add_comment(ada, written)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/views")
    expect(row(page, written)).to_contain_text(
        re.compile(r"· 1 view\s+saved\s+hide\s+1\s+comment\s+1 new")
    )
    assert not too_wide(page)


def test_on_a_phone_titles_make_room_for_ranks_of_any_length(page: Page, ada: User) -> None:
    for number in range(10):
        post(ada, f"Post number {number}")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/top")
    links = page.locator(".rows .title a")
    assert box(links.nth(9))["x"] - box(links.nth(8))["x"] > 5, "10. is longer than 9."


def test_on_a_phone_a_title_of_one_long_word_begins_beside_its_rank(page: Page, ada: User) -> None:
    made = [post(ada, start + "word" * 16) for start in ("", "“", "(", "字")]
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/top")
    for one in made:
        title = row(page, one).locator(".title")
        assert box(title.locator("a"))["height"] > box(title)["height"] - 12, "no line above it"


def test_no_line_of_a_row_begins_with_a_dot(as_bob: Page, ada: User) -> None:
    written = post(ada, slugs="books " + "a-group-of-a-long-name")
    add_comment(ada, written)
    as_bob.goto("/active")
    meta = row(as_bob, written).locator(".meta")
    for width in range(660, 160, -4):
        meta.evaluate("(meta, width) => meta.style.inlineSize = `${width}px`", width)
        assert min(meta.evaluate(DOTS)) > box(meta)["x"] + 5, f"at {width} pixels"


def test_closed_notice_of_a_row_never_begins_with_a_dot(
    as_bob: Page, ada: User, bob: User, redis: Redis
) -> None:
    written = post(ada, slugs="books")
    ArchivedVote.objects.create(
        user_id=bob.pk, post_id=written.pk, vote=Vote.UP, at=written.created_at
    )
    make_older(redis, written, days=8)
    as_bob.goto(written.get_absolute_url())
    meta = row(as_bob, written).locator(".meta")
    expect(meta).to_contain_text("· voting has closed · you voted up")
    for width in range(420, 160, -4):
        meta.evaluate("(meta, width) => meta.style.inlineSize = `${width}px`", width)
        assert min(meta.evaluate(DOTS)) > box(meta)["x"] + 5, f"at {width} pixels"


def test_title_with_stacked_marks_covers_no_other_row(page: Page, ada: User, bob: User) -> None:
    below, heaped, above = post(bob), post(ada, "Zal go"), post(bob)

    def neighbours() -> list[bytes]:
        page.goto("/new")
        expect(row(page, heaped)).to_contain_text(heaped.title)
        return [row(page, one).screenshot() for one in (above, below)]

    plain = neighbours()
    post_actions.change(heaped, title="Za" + "\u0300\u0301\u0302\u0303" * 10 + "l go", body="")
    assert neighbours() == plain


def test_groups_of_a_mix_are_separated_on_a_phone(page: Page) -> None:
    groups("books", "gardening", "programming", "science")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/g/books+gardening+programming+science/")
    page.get_by_text("About these groups").click()
    links = [box(link) for link in page.locator(".side-column .chip").all()]
    assert len({link["y"] for link in links}) > 1, "they need several lines"
    for one, other in pairwise(links):
        beside = one["x"] + one["width"] + 4 <= other["x"]
        assert beside or one["y"] + one["height"] + 4 <= other["y"]


def test_links_next_to_tabs_end_at_the_page_edge(as_bob: Page) -> None:
    page = as_bob
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 640})
        page.goto("/leaders")
        ends = "e => e.getBoundingClientRect().right - parseFloat(getComputedStyle(e).paddingRight)"
        link = page.get_by_role("link", name="A day earlier").evaluate(ends)
        assert link == pytest.approx(page.locator(".list-head").evaluate(ends), abs=0.5)


def test_qr_code_is_black_on_white_in_dark_mode_too(as_bob: Page) -> None:
    page = as_bob
    page.emulate_media(color_scheme="dark")
    page.goto("/accounts/2fa/totp/activate/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    picture = page.locator("main img")
    expect(picture).to_be_visible()
    assert picture.evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"


def test_comment_on_its_own_page_is_aligned_with_its_author(as_bob: Page, ada: User) -> None:
    written = add_comment(ada, post(ada))
    as_bob.goto(written.get_absolute_url())
    comment = as_bob.locator(f"#comment-{written.pk}")
    assert box(comment.locator(".avatar"))["x"] == box(comment.locator(".prose p"))["x"]


def test_forced_colours_show_folds_and_the_current_page(as_bob: Page, ada: User) -> None:
    page, written = as_bob, post(ada)
    add_comment(ada, written)
    page.emulate_media(forced_colors="active")
    page.goto(written.get_absolute_url())
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    paint = "all => all.map(e => getComputedStyle(e, '::before').backgroundColor)"
    marks = page.locator("summary").evaluate_all(paint)
    assert len(marks) > 1
    assert ground not in marks
    page.goto("/top")
    for name in ("Top", "Day"):
        current = page.get_by_role("link", name=name, exact=True)
        expect(current).to_have_css("text-decoration-line", "underline")


def test_statistics_show_titles_as_text_and_charts_with_numbers(
    page: Page, log_in: Callable[[User], None], ada: User
) -> None:
    log_in(person("stella", is_staff=True, is_superuser=True))
    made = post(ada, "A title that is as long as titles of posts on such sites usually are")
    page.goto(f"/admin/forum/post/{made.pk}/change/")
    assert page.locator("#id_title").evaluate("e => e.scrollWidth <= e.clientWidth")
    page.goto("/admin/forum/post/")
    assert box(page.locator("#result_list .field-title"))["width"] >= 250
    post(ada, "W" * 200)
    page.reload()
    assert box(page.locator("#result_list .field-title").first)["width"] <= 400
    add_comment(person("a-name-of-thirty-letters-or-so"), made)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/admin/forum/comment/")
    assert page.locator(".results").evaluate("e => e.scrollWidth <= e.clientWidth")
    page.goto("/admin/statistics/")
    posts = page.locator("figcaption", has_text="Posts")
    expect(posts).to_contain_text("Highest: 2; today: 2")
    expect(posts).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 640})
    unfold(page)
    assert not too_wide(page)


def test_comment_without_spaces_fits_in_the_admin(
    page: Page, log_in: Callable[[User], None], ada: User
) -> None:
    log_in(person("stella", is_staff=True, is_superuser=True))
    comment = add_comment(ada, post(ada), "W" * 300)
    for width in (800, 1100):
        page.set_viewport_size({"width": width, "height": 640})
        page.goto(f"/admin/forum/comment/{comment.pk}/change/")
        text, title = box(page.locator(".field-body .readonly")), box(page.locator("#content > h2"))
        assert text["x"] + text["width"] <= width
        assert title["x"] + title["width"] <= box(page.locator(".object-tools"))["x"]


def test_admin_page_of_text_without_spaces_is_as_wide_as_the_screen(
    page: Page, log_in: Callable[[User], None], ada: User
) -> None:
    log_in(person("stella", is_staff=True, is_superuser=True))
    comment = add_comment(ada, post(ada, "W" * 200), "W" * 300)
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 640})
        for path in (f"post/{comment.post_id}", f"comment/{comment.pk}"):
            page.goto(f"/admin/forum/{path}/change/")
            assert not too_wide(page), f"{path} at {width} pixels"


@pytest.mark.parametrize("path", ["/", "/p/1", "/u/bob/", "/submit", "/inbox", "/g/"])
def test_text_of_twice_the_size_fits_a_phone(as_bob: Page, ada: User, path: str) -> None:
    written = post(ada, "A title of some length that has to break")
    above = add_comment(ada, written, "What is said first")
    add_comment(ada, written, "What is said to it", above)
    as_bob.set_viewport_size({"width": 180, "height": 380})  # like 360 pixels and large text
    as_bob.goto(written.get_absolute_url() if path == "/p/1" else path)
    assert not too_wide(as_bob)
    skip = box(as_bob.locator(".skip"))
    assert skip["y"] + skip["height"] <= 0, "the skip link is hidden until it has the focus"
    as_bob.locator(".menu summary").click()
    assert box(as_bob.locator(".menu ul"))["x"] >= 0

"""People write, edit, fold, accept and vote on comments, mostly with JavaScript off."""

from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, Locator, Page, Route, ViewportSize, expect
from redis import Redis

from forum.actions import comments as comment_actions
from forum.models import Comment, Post, User
from tests.browser.pages import (
    PHONE,
    SCREEN,
    SLOWER,
    axe_violations,
    is_marked,
    mark_document,
    too_wide,
)
from tests.forum.comments import add_comment
from tests.forum.factories import PASSWORD, person, post
from voting.keys import people

BORDER = "line => getComputedStyle(line).borderInlineStartColor"
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
PRESS_TWICE = """async () => { for (const press of [1, 2]) {
    document.querySelector(".talk .comment-form .primary").click();
    await new Promise((done) => setTimeout(done, 300)); } }"""
no_script = pytest.mark.parametrize("script", [False], ids=["no-script"])


@pytest.fixture
def knots(ada: User) -> Post:
    return post(ada, "Which knot?", kind="question")


def comment(page: Page, written: Comment) -> Locator:
    return page.locator(f"#comment-{written.pk}")


def box(part: Locator) -> FloatRect:
    """Return the position and size of a part of the page."""
    found = part.bounding_box()
    assert found, "it isn't visible"
    return found


def arrow(page: Page, written: Comment, way: str) -> Locator:
    name = f"{way.capitalize()} vote: comment by {written.author.username}"
    return comment(page, written).get_by_label(name, exact=True)


@no_script
def test_answer_reply_and_edit(as_bob: Page, knots: Post, script: bool) -> None:
    page = as_bob
    page.goto(knots.get_absolute_url())
    page.get_by_text("Write an answer").click()
    page.get_by_label("Your answer").fill("The *bowline*.")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview em")).to_have_text("bowline")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("heading", name="including 1 answer")).to_be_visible()
    answer = Comment.objects.get()
    expect(comment(page, answer)).to_contain_text("The bowline.")
    comment(page, answer).get_by_role("link", name="comment", exact=True).click()
    page.get_by_label("Your comment").fill("It holds.")
    page.get_by_role("button", name="Send").click()
    reply = Comment.objects.get(parent=answer)
    expect(comment(page, reply)).to_be_in_viewport()
    comment(page, reply).get_by_role("link", name="edit").click()
    page.get_by_label("Your comment").fill("It holds well.")
    page.get_by_role("button", name="Save").click()
    expect(comment(page, reply)).to_contain_text("It holds well.")


@pytest.mark.parametrize("script", [True], ids=["script"])
def test_a_button_pressed_twice_sends_one_comment(as_bob: Page, knots: Post, script: bool) -> None:
    page, sent = as_bob, list[str]()

    def hold(route: Route) -> None:
        sent.append(
            route.request.method
        )  # never answered, so no page is loaded between the presses

    page.goto(knots.get_absolute_url())
    page.get_by_text("Write an answer").click()
    page.get_by_label("Your answer").fill("The bowline.")
    page.route("**/comment", hold)
    with page.expect_request("**/comment"):
        page.evaluate(PRESS_TWICE)
    page.wait_for_timeout(300)  # time for a second request
    assert sent == ["POST"]


@no_script
def test_a_comment_folds_with_its_replies_by_mouse_and_keyboard(
    page: Page, bob: User, knots: Post, script: bool
) -> None:
    written = add_comment(bob, knots, "Top.")
    reply, other = add_comment(bob, knots, "Below.", written), add_comment(bob, knots, "Beside.")
    page.goto(knots.get_absolute_url())
    handle = page.locator(".thread summary").first
    handle.click()
    for each in (written, reply):
        expect(comment(page, each)).to_be_hidden()
    expect(comment(page, other)).to_be_visible()
    expect(page.get_by_text("Answer by bob, 1 comment")).to_be_visible()
    handle.focus()
    page.keyboard.press("Enter")
    expect(comment(page, reply)).to_be_visible()
    page.keyboard.press("Space")
    expect(comment(page, written)).to_be_hidden()


@no_script
def test_parent_and_next_lead_through_a_thread_by_keyboard(
    page: Page, bob: User, knots: Post, script: bool
) -> None:
    first, second = add_comment(bob, knots, "One."), add_comment(bob, knots, "Two.")
    reply = add_comment(bob, knots, "Below.", first)
    page.goto(knots.get_absolute_url())
    comment(page, first).get_by_role("link", name="next").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**#comment-{second.pk}")
    comment(page, reply).get_by_role("link", name="parent").press("Enter")
    page.wait_for_url(f"**#comment-{first.pk}")


def test_comment_vote_is_counted_and_with_script_without_page_load(
    as_bob: Page, ada: User, knots: Post, script: bool
) -> None:
    page, written = as_bob, add_comment(ada, knots, "A *long* story.")
    reply = add_comment(ada, knots, "Below.", written)
    page.goto(knots.get_absolute_url())
    for pressed, vote, points in (("up", "up", 2), ("down", "down", 0), ("down", "none", 1)):
        page.wait_for_timeout(SLOWER)
        mark_document(page)
        arrow(page, written, pressed).click()
        shown = comment(page, written)
        expect(shown).to_have_attribute("data-vote", vote)
        expect(shown).to_have_attribute("data-points", str(points))
        expect(shown.locator(".points")).to_have_text(f"{points} point{'s' * (points != 1)}")
        expect(arrow(page, written, "down")).to_have_attribute(
            "aria-pressed", "true" if vote == "down" else "false"
        )
        assert is_marked(page) is script
        if script:
            expect(arrow(page, written, pressed)).to_be_focused()
    expect(comment(page, written)).to_contain_text("A long story.")
    expect(comment(page, reply)).to_have_attribute("data-vote", "none")


def test_a_refused_vote_on_a_comment_says_why(
    as_bob: Page, ada: User, knots: Post, script: bool
) -> None:
    page, written = as_bob, add_comment(ada, knots)
    page.goto(knots.get_absolute_url())
    comment_actions.delete(written, by=ada)
    arrow(page, written, "up").click()
    expect(page.get_by_text("isn't available.")).to_be_visible()


@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["desktop", "phone"])
def test_actions_of_a_comment_are_below_its_text(
    as_ada: Page, bob: User, knots: Post, size: ViewportSize
) -> None:
    page, written = as_ada, add_comment(bob, knots)
    comment_actions.accept(knots, written, by=knots.author)
    page.set_viewport_size(size)
    page.goto(knots.get_absolute_url())
    text = box(comment(page, written).locator(".prose"))
    for action in comment(page, written).locator(".actions > :visible").all():
        assert box(action)["y"] >= text["y"] + text["height"], action.inner_text()


def test_reader_saves_a_comment_and_finds_it_again(
    as_bob: Page, ada: User, knots: Post, script: bool
) -> None:
    page, written = as_bob, add_comment(ada, knots, "A *long* story.")
    page.goto(knots.get_absolute_url())
    mark_document(page)
    button = comment(page, written).locator(".save")
    button.click()
    expect(button).to_have_text("saved")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert is_marked(page) is script
    expect(comment(page, written)).to_contain_text("A long story.")
    page.goto("/u/bob/saved")
    page.get_by_label("Saved", exact=True).get_by_role("link", name="Comments").click()
    expect(comment(page, written)).to_contain_text("A long story.")
    page.wait_for_timeout(SLOWER)
    button.click()
    if script:
        expect(button).to_have_text("save")
    else:
        expect(page.get_by_text("No saved comments yet.")).to_be_visible()


def test_line_beside_replies_folds_the_branch_until_the_tab_is_closed(
    page: Page, ada: User, bob: User, knots: Post
) -> None:
    top = add_comment(bob, knots, "Top.")
    reply, other = add_comment(ada, knots, "Below.", top), add_comment(bob, knots, "Beside.")
    page.goto(knots.get_absolute_url())
    line = page.locator(".replies .replies")
    plain = line.evaluate(BORDER)
    line.hover(position={"x": 3, "y": 20})
    assert line.evaluate(BORDER) != plain, "the line reacts to the pointer"
    comment(page, reply).locator(".prose").hover()
    assert line.evaluate(BORDER) == plain, "text beside the line isn't the line"
    comment(page, reply).locator(".prose").click()
    expect(comment(page, reply)).to_be_visible()
    line.click(position={"x": 3, "y": 20})
    expect(comment(page, top)).to_be_hidden()
    expect(page.get_by_text("Answer by bob, 1 comment")).to_be_in_viewport()
    expect(page.locator(".thread summary").first).to_be_focused()
    page.reload()
    expect(page.get_by_text("Answer by bob, 1 comment")).to_be_visible()
    expect(comment(page, reply)).to_be_hidden()
    expect(comment(page, other)).to_be_visible()
    page.goto(f"{knots.get_absolute_url()}#comment-{reply.pk}")
    page.reload()
    expect(comment(page, reply)).to_be_in_viewport()
    page.goto(knots.get_absolute_url())
    expect(comment(page, reply)).to_be_visible()


@no_script
def test_each_new_mark_leads_to_the_next_and_the_last_to_the_head(
    as_bob: Page, ada: User, bob: User, knots: Post, redis: Redis, script: bool
) -> None:
    page, first = as_bob, add_comment(ada, knots, "One.")
    between, second = add_comment(bob, knots, "Own."), add_comment(ada, knots, "Two.")
    seen = f"{int(first.created_at.timestamp()) - 3_600} 1 0"
    redis.hset(people.seen(bob.pk), str(knots.pk), seen)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{knots.get_absolute_url()}?sort=old")
    page.get_by_role("link", name="2 new").click()
    page.wait_for_url(f"**#comment-{first.pk}")
    comment(page, first).get_by_role("link", name="new").click()
    page.wait_for_url(f"**#comment-{second.pk}")
    expect(comment(page, between).locator(".new")).to_have_count(0)
    comment(page, second).get_by_role("link", name="new").click()
    page.wait_for_url("**#comments")


def test_new_mark_stays_beside_the_time_on_a_phone(as_bob: Page, bob: User, redis: Redis) -> None:
    page, written = as_bob, post(person("a-name-of-exactly-thirty-chars"), "Knots")
    fresh = add_comment(written.author, written)
    seen = f"{int(fresh.created_at.timestamp()) - 3_600} 1 0"
    redis.hset(people.seen(bob.pk), str(written.pk), seen)
    for width in (320, 390, 430):
        page.set_viewport_size({"width": width, "height": 640})
        page.goto(written.get_absolute_url())
        mark, time = (box(comment(page, fresh).locator(each)) for each in (".new", "time"))
        middle = time["y"] + time["height"] / 2
        assert mark["y"] < middle < mark["y"] + mark["height"], f"{width} pixels wide"
        assert not too_wide(page)


def test_headings_in_texts_are_smaller_than_those_of_the_page(
    page: Page, bob: User, ada: User
) -> None:
    text = "# One\n\nText.\n\n## Two\n\n### Three"
    written = post(ada, "Knots", body=text)
    comment = add_comment(bob, written, text)
    page.goto(written.get_absolute_url())
    size = "heading => parseFloat(getComputedStyle(heading).fontSize)"
    head, title = page.locator("#talk-head").evaluate(size), page.locator("h1").evaluate(size)
    assert title > head
    for text_of in (".text-column > .prose", f"#comment-{comment.pk} .prose"):
        sizes = [each.evaluate(size) for each in page.locator(f"{text_of} :is(h2, h3, h4)").all()]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == 3
        assert sizes[0] < head


def test_comment_box_is_one_line_that_opens(as_bob: Page, ada: User, script: bool) -> None:
    page, written = as_bob, post(ada, "Knots")
    page.goto(written.get_absolute_url())
    field = page.get_by_label("Your comment")
    expect(field).to_be_hidden()
    assert box(page.locator(".write"))["height"] < 48
    page.get_by_text("Write a comment").click()
    expect(field).to_be_visible()
    if script:
        expect(field).to_be_focused()
    else:
        field.fill("Half a thought")
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("#preview")).to_contain_text("Half a thought")
        expect(field).to_have_value("Half a thought")


def test_guest_writes_logs_in_and_sends(page: Page, bob: User, ada: User, script: bool) -> None:
    written = post(ada, "Knots")
    page.goto(written.get_absolute_url())
    page.get_by_role("link", name="Write a comment").click()
    page.get_by_label("Your comment").fill("Half a thought")
    expect(page.get_by_role("button", name="Preview")).to_have_count(0)
    assert not too_wide(page)
    page.get_by_role("button", name="Send").click()
    page.locator("[name=login]").fill("bob")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_label("Your comment")).to_have_value("Half a thought")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".thread .prose")).to_have_text("Half a thought")


def test_people_have_patterns_that_a_class_hides(page: Page, bob: User, knots: Post) -> None:
    written = add_comment(bob, knots)
    page.goto(knots.get_absolute_url())
    pattern = comment(page, written).locator(".avatar")
    assert (box(pattern)["width"], box(pattern)["height"]) == (24, 24)
    page.evaluate("document.documentElement.classList.add('avatars-off')")
    expect(pattern).to_be_hidden()


@pytest.mark.parametrize("member", [False, True], ids=["guest", "member"])
@pytest.mark.long
def test_a_deep_thread_fits_a_phone_and_axe_finds_nothing(
    page: Page, ada: User, bob: User, knots: Post, log_in: Callable[[User], None], member: bool
) -> None:
    texts = (f"> quoted\n\n{LONG}{LONG}", f"    {LONG}{LONG}", f"| a | b |\n|-|-|\n| {LONG} | b |")
    deep = [add_comment(person("a-name-of-exactly-thirty-chars"), knots, texts[0])]
    for level in range(10):
        deep.append(add_comment((ada, bob)[level % 2], knots, texts[level % 3], deep[-1]))
    comment_actions.delete(deep[2], by=deep[2].author)
    comment_actions.accept(knots, deep[0], by=knots.author)
    if member:
        log_in(ada)
    own = [f"{deep[1].get_absolute_url()}/{action}" for action in ("edit", "delete", "history")]
    addresses = [each.get_absolute_url() for each in (deep[1], deep[7])]
    page.set_viewport_size({"width": 390, "height": 800})
    for address in [knots.get_absolute_url(), *addresses, *own * member]:
        page.goto(address)
        found = too_wide(page) + axe_violations(page)
        assert not found, f"{address} {found}"


@no_script
def test_reply_puts_the_cursor_into_the_box(as_bob: Page, knots: Post, script: bool) -> None:
    page, written = as_bob, add_comment(person("carol"), knots)
    page.goto(knots.get_absolute_url())
    comment(page, written).get_by_role("link", name="comment", exact=True).click()
    box = page.get_by_label("Your comment")
    expect(box).to_be_focused()
    expect(page.get_by_text("Your comment")).to_be_in_viewport()
    page.keyboard.type("Which one?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Which one?")).to_be_visible()


def test_head_of_a_link_post_leads_to_the_address_its_site_and_an_archive(
    page: Page, ada: User
) -> None:
    address = "https://example.org/a?b=1&c=2"
    written = post(ada, "Knots", kind="link", url=address, body="")
    page.goto(written.get_absolute_url())
    head = page.locator(".post-head")
    link = head.get_by_role("link", name=address)
    expect(link).to_have_attribute("href", address)
    expect(link).to_have_css("text-decoration-line", "underline")
    archive = head.get_by_role("link", name="Archived copy")
    expect(archive).to_have_attribute("href", f"https://web.archive.org/web/{address}")
    expect(archive).to_have_attribute("rel", "nofollow noopener")
    expect(head.locator("h1")).to_have_css("font-size", "28px")
    assert box(head.locator(".chip"))["y"] < box(head.locator("h1"))["y"]
    head.get_by_role("link", name="More from this site").click()
    expect(page.get_by_role("heading", name="example.org", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Knots", exact=True)).to_be_visible()

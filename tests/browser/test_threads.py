"""People write, edit, fold, accept and vote on comments, mostly with JavaScript off."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from forum.actions import comments as comment_actions
from forum.models import Comment, Post, User
from tests.browser.pages import SLOWER, axe_violations, is_marked, mark_document, too_wide
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
PRESS_TWICE = """async () => { for (const press of [1, 2]) {
    document.querySelector(".talk > .comment-form .primary").click();
    await new Promise((done) => setTimeout(done, 300)); } }"""
no_script = pytest.mark.parametrize("script", [False], ids=["no-script"])


@pytest.fixture
def knots(ada: User) -> Post:
    return post(ada, "Which knot?", kind="question")


def comment(page: Page, written: Comment) -> Locator:
    return page.locator(f"#comment-{written.pk}")


def arrow(page: Page, written: Comment, way: str) -> Locator:
    name = f"{way.capitalize()} vote: comment by {written.author.username}"
    return comment(page, written).get_by_label(name, exact=True)


@no_script
def test_answer_reply_and_edit(as_bob: Page, knots: Post, script: bool) -> None:
    page = as_bob
    page.goto(knots.get_absolute_url())
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


def test_actions_of_an_accepted_answer_are_beside_its_author(
    as_ada: Page, bob: User, knots: Post
) -> None:
    page, written = as_ada, add_comment(bob, knots)
    comment_actions.accept(knots, written, by=knots.author)
    page.goto(knots.get_absolute_url())
    accepted = comment(page, written)
    posted = accepted.locator("time").bounding_box()
    action = accepted.get_by_role("link", name="comment", exact=True).bounding_box()
    assert posted
    assert action
    assert action["y"] == pytest.approx(posted["y"], abs=6), "they are on another line"
    gap = action["x"] - posted["x"] - posted["width"]
    assert 0 < gap < 32, f"{gap} pixels are between them"


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

"""The layout of texts that people write: writing directions, code, and task lists."""

from playwright.sync_api import Locator, Page, expect

from forum.models import User
from tests.browser.pages import PHONE, axe_violations, too_wide
from tests.forum.comments import add_comment
from tests.forum.factories import person, post

EDGES = """(element, word) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
        const start = walker.currentNode.data.indexOf(word)
        if (start < 0) continue
        const range = document.createRange()
        range.setStart(walker.currentNode, start)
        range.setEnd(walker.currentNode, start + word.length)
        return range.getBoundingClientRect().left
    }
}"""
ARABIC = """@ada مرحبا كيف الحال

اكتب `x++;` ثم `-f file.txt` ثم `/etc/hosts`

https://example.org/a/ هنا

- @ada مرحبا
"""


def left_of(text: Locator, word: str) -> float:
    """Return the horizontal position of a word's left edge, in pixels."""
    return float(text.evaluate(EDGES, word))


def test_arabic_after_name_or_url_reads_from_the_right_and_code_from_the_left(
    as_ada: Page, ada: User
) -> None:
    written = post(ada)
    add_comment(person("bob"), written, ARABIC)
    as_ada.goto(written.get_absolute_url())
    prose = as_ada.locator(".comment .prose")
    greeting = prose.locator("p").first
    assert left_of(greeting, "مرحبا") < left_of(greeting, "@ada")
    code = prose.locator("code").first
    assert left_of(code, "x") < left_of(code, "++") < left_of(code, ";")
    option = prose.locator("code").nth(1)
    assert left_of(option, "-f") < left_of(option, "file")
    path = prose.locator("code").nth(2)
    assert left_of(path, "/etc") < left_of(path, "/hosts")
    address = prose.get_by_role("link", name="https://example.org/a/")
    assert left_of(address, "https") < left_of(address, "example") < left_of(address, "a/")
    assert left_of(prose, "هنا") < left_of(address, "https")
    expect(prose.locator("ul")).to_have_css("direction", "rtl")


def test_task_lists_have_labelled_boxes_that_cannot_be_ticked(as_ada: Page, ada: User) -> None:
    tasks = "- [ ] write it\n- [x] read [it](https://example.org/)\n\n1. [ ] send it"
    written = post(ada, body=tasks)
    as_ada.set_viewport_size({"width": 320, "height": 640})
    as_ada.goto(written.get_absolute_url())
    boxes = as_ada.get_by_role("checkbox")
    expect(boxes).to_have_count(3)
    expect(as_ada.get_by_role("checkbox", name="read it")).to_be_checked()
    for name in ("write it", "send it"):
        expect(as_ada.get_by_role("checkbox", name=name)).not_to_be_checked()
    for number in range(3):
        expect(boxes.nth(number)).to_be_disabled()
    assert not too_wide(as_ada)
    assert not axe_violations(as_ada)


def test_wide_table_has_a_shadow_where_it_goes_on_and_a_cover_at_its_end(
    as_ada: Page, ada: User
) -> None:
    row = "|" + " a word |" * 20
    written = post(ada, body=f"{row}\n{'|---' * 20}|\n{row}")
    as_ada.set_viewport_size(PHONE)
    as_ada.goto(written.get_absolute_url())
    table = as_ada.locator(".prose table")
    expect(table).to_have_css("background-attachment", "local, scroll")
    assert table.evaluate("table => table.scrollWidth > table.clientWidth"), "it scrolls"
    assert not too_wide(as_ada)


def test_deep_lists_fit_on_a_phone(as_ada: Page, ada: User) -> None:
    levels = "\n".join(f"{'  ' * level}- Deep in a list of ingredients" for level in range(8))
    written = post(ada, body=levels)
    as_ada.set_viewport_size(PHONE)
    as_ada.goto(written.get_absolute_url())
    expect(as_ada.locator(".prose ul")).to_have_count(8)
    assert not too_wide(as_ada)

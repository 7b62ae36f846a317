"""Empty pages have one sentence and one button that leads on."""

import re
from html import unescape

import pytest

from forum.models import User
from tests.forum.factories import groups, person, post
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)

EMPTY = re.compile(
    r'<div class="empty">\s*<p>([^<]+)</p>(?:\s*<p><a class="button" href="([^"]+)")?'
)


def empty_state(path: str, user: User | None) -> tuple[str, str]:
    """Return the sentence of the first empty state on a page, and the address of its button."""
    found = EMPTY.search(get_html(path, user))
    assert found, f"{path} has no empty state"
    return unescape(found[1]), found[2] or ""


@pytest.mark.parametrize(
    ("path", "sentence", "leads_to"),
    [
        ("/new", "Nothing here yet.", "/submit"),
        ("/g/books/", "Nothing here yet.", "/submit?group=books"),
        ("/comments", "No comments yet.", "/new"),
        ("/inbox", "No notifications yet.", "/new"),
        ("/u/ada/", "You haven't posted anything yet.", "/submit"),
        ("/u/ada/saved", "No saved posts yet.", "/new"),
        ("/u/ada/hidden", "No hidden posts.", "/new"),
        ("/u/ada/follows", "You don't follow anyone yet.", "/leaders"),
        ("/u/ada/fans", "No followers yet.", "/submit"),
        ("/u/bob/", "No posts yet.", "/u/bob/comments"),
        ("/u/bob/fans", "bob has no followers yet.", ""),
        ("/flags", "You haven't flagged anything.", "/"),
        ("/conversations", "No conversations.", "/conversations/write"),
        ("/search?q=nothing", "Nothing found.", "/new"),
        ("/modlog", "There are no actions to show.", "/modlog"),
        ("/leaders", "No posts have points yet.", "/new"),
        ("/g/books/moderators", "Only the moderators of the site moderate this group.", ""),
    ],
)
def test_empty_page_has_a_sentence_and_a_button(
    ada: User, bob: User, path: str, sentence: str, leads_to: str
) -> None:
    groups("books")
    text, button = empty_state(path, ada)
    assert text.startswith(sentence)
    assert button == leads_to


def test_empty_queue_leads_to_decided_items_and_back() -> None:
    root = person("root", is_staff=True, is_superuser=True)
    assert empty_state("/moderation", root) == ("The queue is empty.", "?state=decided")
    assert empty_state("/moderation?state=decided", root)[0] == "Nothing has been decided yet."


def test_list_with_posts_has_no_empty_state(ada: User) -> None:
    post(ada)
    assert not EMPTY.search(get_html("/new", ada))

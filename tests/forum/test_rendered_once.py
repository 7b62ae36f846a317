"""A text is rendered once per request, however many parts of the site look at its HTML."""

import pytest

from forum.models import Comment, User
from forum.text import markup
from tests.forum.factories import groups, post, reader

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "I *like* it, @bob. " * 20


def renderings() -> int:
    """Return how many texts were rendered so far."""
    return markup.parsed.cache_info().misses


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    markup.parsed.cache_clear()


def test_comment_is_rendered_once_when_it_is_previewed_written_and_edited(
    ada: User, bob: User
) -> None:
    written, window = post(ada), reader(bob)
    path = f"/p/{written.pk}/comment"
    for fields, words in (({"preview": "1"}, "shown"), ({}, "sent")):
        before = renderings()
        window.post(path, {"body": f"{words}: {TEXT}", **fields})
        assert renderings() == before + 1, words
    comment = Comment.objects.get()
    before = renderings()
    window.post(f"/p/{written.pk}/c/{comment.pk}/edit", {"body": f"edited: {TEXT}"})
    comment.refresh_from_db()
    assert comment.body.startswith("edited")
    assert renderings() == before + 1


def test_post_is_rendered_once_when_it_is_previewed_and_published(ada: User) -> None:
    fields = {"kind": "text", "title": "A title", "body": TEXT, "url": "", "groups": ["books"]}
    groups("books")
    for more in ({"preview": "1"}, {}):
        markup.parsed.cache_clear()
        answer = reader(ada).post("/submit", fields | more)
        assert renderings() == 1, answer.content.decode()


def test_names_are_looked_up_again_although_the_text_is_remembered(bob: User) -> None:
    known = markup.read("@bob", lambda names: {"bob": "Bob"})
    unknown = markup.read("@bob", lambda names: {})
    assert (known.mentioned, known.unknown) == (("bob",), ())
    assert (unknown.mentioned, unknown.unknown) == ((), ("bob",))
    assert unknown.html == markup.render("@bob") == "<p>@bob</p>\n"

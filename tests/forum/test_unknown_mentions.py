"""A preview names the people in mentions whom nobody knows."""

import pytest

from forum.models import User
from tests.forum.factories import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


def preview(writer: User, text: str) -> str:
    """Return the page with the preview of a post."""
    fields = {"kind": "text", "title": "A title", "body": text, "preview": "1"}
    return reader(writer).post("/submit", fields).content.decode()


def test_preview_of_a_post_says_that_a_mention_is_nobody(ada: User) -> None:
    person("bob")
    page = preview(ada, "Thanks @bob, @Nobdy and @nobdy! Not `@code`.\n\n> @quoted")
    assert page.count("Nobody here is called") == 1
    assert "Nobody here is called @Nobdy, so nobody is notified." in page


def test_preview_of_a_comment_says_so_too(ada: User, bob: User) -> None:
    written = post(ada)
    fields = {"body": "Thanks @nobdy.", "preview": "1"}
    page = reader(bob).post(f"/p/{written.pk}/comment", fields).content.decode()
    assert "Nobody here is called @nobdy" in page


def test_preview_names_at_most_five(ada: User) -> None:
    page = preview(ada, " ".join(f"@nobody{number}" for number in range(60)))
    assert page.count("Nobody here is called") == 5


def test_preview_says_nothing_about_known_people_and_other_signs(ada: User) -> None:
    assert "Nobody here" not in preview(ada, "@ADA, @ada-, me@example.org, https://x.org/@you, @x.")

"""Everybody can read the Markdown of posts and comments as their authors wrote it."""

import pytest

from forum.models import User
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "For *rye* <b>bread</b>, >!secretly!<."


def test_source_shows_the_text_as_it_was_written(ada: User, bob: User) -> None:
    written = post(ada, body=TEXT)
    comment = add_comment(bob, written, f"> {TEXT}")
    page = reader().get(written.get_absolute_url()).content.decode()
    for path, text in (
        (f"/p/{written.pk}/source", TEXT),
        (f"/p/{written.pk}/c/{comment.pk}/source", f"> {TEXT}"),
    ):
        assert f'href="{path}"' in page
        answer = reader().get(path)
        assert answer.content.decode() == text
        assert answer["Content-Type"] == "text/plain; charset=utf-8"
        assert answer["X-Robots-Tag"] == "noindex"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert reader().post(path).status_code == 405


def test_post_without_text_has_no_link_to_its_source(ada: User) -> None:
    written = post(ada, kind="link", url="https://example.org/", body="")
    assert "/source" not in reader().get(written.get_absolute_url()).content.decode()
    assert reader().get(f"/p/{written.pk}/source").content == b""


def test_deleted_texts_have_no_source(ada: User, bob: User) -> None:
    written = post(ada, body=TEXT)
    comment = add_comment(bob, written, TEXT)
    reader(bob).post(f"/p/{written.pk}/c/{comment.pk}/delete")
    assert reader(bob).get(f"/p/{written.pk}/c/{comment.pk}/source").status_code == 410
    reader(ada).post(f"/p/{written.pk}/delete")
    assert reader(ada).get(f"/p/{written.pk}/source").status_code == 410
    assert reader().get("/p/999/source").status_code == 404

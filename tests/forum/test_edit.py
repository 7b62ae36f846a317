"""Editing posts: who may edit, which fields can change, and what listings show afterwards."""

from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from markdown_it import MarkdownIt
from markdown_it.token import Token

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.actions.posts import UNMARKED
from forum.models import InboxItem, OutboxItem, Post, User
from forum.store import post_cards
from forum.store.service import get_voting_service
from forum.text import markup
from tests.forum.comments import add_comment
from tests.forum.concurrency import before_query
from tests.forum.factories import groups, person, post, reader
from voting.types import Order

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def written(ada: User) -> Post:
    return post(ada, "A title", body="First words.")


def edit(user: User | None, written: Post, **form: Any) -> Any:
    sent = {"title": "A better title", "body": "Better *words*.", "groups": "books"} | form
    return reader(user).post(f"/p/{written.pk}/edit", sent)


def test_the_author_changes_title_and_text_and_every_list_shows_it_at_once(
    ada: User, written: Post
) -> None:
    response = edit(ada, written)
    written.refresh_from_db()
    assert response.status_code == 303
    assert response["Location"] == written.get_absolute_url()
    assert "Better <em>words</em>." in written.body_html
    (row,) = get_voting_service().listings.page(Order.NEW, 1).rows
    assert post_cards.unpack(row.card).title == "A better title"
    assert not OutboxItem.waiting_posts().exists()


@pytest.mark.parametrize("late", [False, True], ids=["in five minutes", "after five minutes"])
def test_edit_is_marked_unless_made_at_once(ada: User, written: Post, late: bool) -> None:
    if late:
        Post.objects.update(created_at=timezone.now() - UNMARKED)
    edit(ada, written)
    page = reader().get(written.get_absolute_url(), follow=True).content.decode()
    assert ("Edited" in page) is late
    history = reader().get(f"/p/{written.pk}/history").content.decode()
    assert ("First words." in history) is late


def test_edit_is_kept_if_the_session_ended(ada: User, written: Post) -> None:
    window, where = reader(), f"/p/{written.pk}/edit"
    response = window.post(where, {"title": "A better title", "body": "Better *words*."})
    assert response.status_code == 302
    assert response["Location"] == f"/accounts/login/?next={where}"
    assert "Your text was saved." in window.get(response["Location"]).content.decode()
    window.force_login(ada)
    page = window.get(where).content.decode()
    assert 'value="A better title"' in page
    assert "Better *words*." in page
    window.post(where, {"title": "A title", "body": "Other words.", "groups": ["books"]})
    assert "Other words." in window.get(where).content.decode()


def test_edit_form_has_the_text_of_the_post(ada: User, written: Post) -> None:
    page = reader(ada).get(f"/p/{written.pk}/edit").content.decode()
    assert 'value="A title"' in page
    assert "First words." in page
    assert 'value="books" checked>' in page


def test_moderators_may_edit_posts_of_others_with_a_reason(written: Post) -> None:
    stella = person("stella", is_staff=True)
    refused = edit(stella, written)
    assert refused.status_code == 422
    assert "Give a reason. Everybody can read it in the moderation log." in refused.content.decode()
    assert "Better *words*." in refused.content.decode(), "what was typed is still there"
    assert edit(stella, written, reason="Clearer").status_code == 303
    written.refresh_from_db()
    assert written.title == "A better title"


def test_authors_are_not_asked_for_a_reason(ada: User, written: Post) -> None:
    assert 'name="reason"' not in reader(ada).get(f"/p/{written.pk}/edit").content.decode()


def test_a_stranger_is_refused_with_a_sentence_and_nothing_changes(
    bob: User, written: Post
) -> None:
    response = edit(bob, written)
    assert response.status_code == 403
    assert "Only the author and moderators can change this post." in response.content.decode()
    assert reader(bob).get(f"/p/{written.pk}/edit").status_code == 403
    written.refresh_from_db()
    assert written.title == "A title"


def test_saving_the_same_again_is_no_edit(ada: User, written: Post) -> None:
    Post.objects.update(created_at=timezone.now() - UNMARKED)
    edit(ada, written, title="A title", body="First words.")
    written.refresh_from_db()
    assert written.edited_at is None
    assert written.version == 1
    assert not written.revisions.exists()


@pytest.mark.parametrize("form", [{"title": "ab"}, {"body": ""}, {"body": "x" * 40_001}])
def test_refused_edit_keeps_its_text(ada: User, written: Post, form: Any) -> None:
    response = edit(ada, written, **{"title": "My new title"} | form)
    assert response.status_code == 422
    assert "My new title" in response.content.decode() or "title" in form
    written.refresh_from_db()
    assert written.title == "A title"


def test_a_preview_saves_nothing(ada: User, written: Post) -> None:
    response = edit(ada, written, preview="1")
    page = response.content.decode()
    assert response.status_code == 200
    assert "Better <em>words</em>." in page
    assert "<h3><bdi>A better title</bdi></h3>" in page
    assert 'value="A better title"' in page
    written.refresh_from_db()
    assert written.title == "A title"


def test_the_kind_of_a_post_stays(ada: User, written: Post) -> None:
    edit(ada, written, url="https://evil.example/", kind="link")
    written.refresh_from_db()
    assert (written.url, written.kind) == ("", "text")


def test_a_deleted_post_can_not_be_edited(ada: User, written: Post) -> None:
    reader(ada).post(f"/p/{written.pk}/delete")
    assert reader(ada).get(f"/p/{written.pk}/edit").status_code == 410


@pytest.mark.parametrize("preview", [{}, {"preview": "1"}], ids=["save", "preview"])
def test_edit_of_a_post_just_deleted_gives_the_text_back(
    ada: User, written: Post, preview: dict[str, str]
) -> None:
    post_actions.delete(written)
    response = edit(ada, written, body="Words <b> of mine", **preview)
    assert response.status_code == 410
    html = response.content.decode()
    assert "Your text was not saved. You can copy it here:" in html
    assert "A better title\n\nWords &lt;b&gt; of mine</textarea>" in html


def test_edit_saved_during_a_deletion_changes_and_notifies_nothing(
    ada: User, bob: User, written: Post
) -> None:
    with before_query("bob", partial(post_actions.delete, written)):
        response = edit(ada, written, body="Words for @bob.")
    assert response.status_code == 410
    assert "Words for @bob.</textarea>" in response.content.decode()
    written.refresh_from_db()
    assert (written.title, written.body) == ("A title", "First words.")
    assert not InboxItem.objects.filter(user=bob).exists()


def test_unknown_post_is_not_found(ada: User) -> None:
    assert reader(ada).get("/p/999999999/edit").status_code == 404


def test_text_is_parsed_outside_the_transaction(
    ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parsing a long text is slow, and on SQLite a transaction blocks all other writers."""
    old = post(ada, body="For @ada.")
    comment, web = add_comment(bob, old, "For @bob."), groups("web")
    parse, in_transaction = MarkdownIt.parse, list[bool]()

    def watched(*text: Any) -> list[Token]:
        in_transaction.append(connection.in_atomic_block)
        return parse(*text)

    monkeypatch.setattr(MarkdownIt, "parse", watched)
    for write in (
        lambda: post(ada, body="For @bob."),
        lambda: post_actions.change(old, title="A title", body="Ask @bob."),
        lambda: post_actions.change(old, title="Another", body="Tell @cleo.", groups=web),
        lambda: add_comment(ada, old, "No, @bob."),
        lambda: comment_actions.change(comment, "Me, @ada."),
    ):
        in_transaction.clear()
        markup.parsed.cache_clear()
        write()
        assert in_transaction, "the text was parsed"
        assert not any(in_transaction), "no transaction was open"

"""Editing and deleting comments: who may do it, when pages say "edited", and what readers see."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import Comment, Post, Revision, User
from tests.forum.comments import add_comment, comment_html, comment_ids, page
from tests.forum.factories import person, post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def comment(bob: User, knots: Post) -> Comment:
    return add_comment(bob, knots, "First words.")


def edit(user: User | None, on: Comment, body: str = "Better *words*.", **more: Any) -> Any:
    return reader(user).post(f"{on.get_absolute_url()}/edit", {"body": body} | more)


def remove(user: User | None, on: Comment) -> Any:
    return reader(user).post(f"{on.get_absolute_url()}/delete")


def make_older(on: Comment, minutes: int) -> None:
    earlier = timezone.now() - timedelta(minutes=minutes)
    Comment.objects.filter(pk=on.pk).update(created_at=earlier)
    on.refresh_from_db()


def test_only_the_author_sees_edit_and_delete(
    ada: User, bob: User, knots: Post, comment: Comment
) -> None:
    own, others = page(knots, window=reader(bob)), page(knots, window=reader(ada))
    for action in ("edit", "delete"):
        assert f'href="{comment.get_absolute_url()}/{action}"' in own
        assert f'href="{comment.get_absolute_url()}/{action}"' not in others


def test_an_edit_within_five_minutes_leaves_no_mark(
    bob: User, knots: Post, comment: Comment
) -> None:
    response = edit(bob, comment)
    assert response.status_code == 303
    assert response["Location"] == f"{knots.get_absolute_url()}#comment-{comment.pk}"
    html = comment_html(page(knots), comment)
    assert "Better <em>words</em>." in html
    assert "edited" not in html
    assert not Revision.objects.exists(), "quick corrections are not in the history"


def test_later_edit_is_marked_and_links_to_earlier_versions(
    bob: User, knots: Post, comment: Comment
) -> None:
    make_older(comment, minutes=6)
    edit(bob, comment)
    html = comment_html(page(knots), comment)
    assert f'class="edited" href="{comment.get_absolute_url()}/history">edited just now</a>' in html
    before = reader().get(f"{comment.get_absolute_url()}/history").content.decode()
    assert "First words." in before
    assert "Until " in before


def test_the_history_of_a_post_is_public_too(ada: User, knots: Post) -> None:
    Post.objects.update(created_at=timezone.now() - post_actions.UNMARKED)
    reader(ada).post(
        f"/p/{knots.pk}/edit", {"title": "Better knots", "body": "New.", "groups": "books"}
    )
    assert Revision.objects.filter(post=knots, comment=None).count() == 1
    knots.refresh_from_db()
    html = reader().get(f"/p/{knots.pk}/history").content.decode()
    assert "Some text." in html
    assert "Knots" in html


def test_long_history_has_pages_of_at_most_one_long_text(knots: Post) -> None:
    lengths = (9_000, 100, 31_000, 30_000, 10_000, 40_000)
    for number, length in enumerate(lengths):
        title, body = f"Version {number} of it", "word " * (length // 5)
        Revision.objects.create(post=knots, title=title, body=body, until=timezone.now())
    address, query, pages = f"/p/{knots.pk}/history", [""], list[list[int]]()
    while query:
        html = reader().get(address + query[0]).content.decode()
        assert (f'href="{address}">Newest</a>' in html) is bool(pages)
        pages.append([int(number) for number in re.findall(r"Version (\d) of it", html)])
        query = re.findall(r'href="(\?before=\d+)" rel="next">Older</a>', html)
    assert pages == [[5], [4, 3], [2, 1], [0]]


@pytest.mark.parametrize("before", ["0", "x", "", "-1", "9" * 30])
def test_invalid_page_of_a_history_is_not_found(knots: Post, before: str) -> None:
    assert reader().get(f"/p/{knots.pk}/history?before={before}").status_code == 404


def test_history_without_edits_says_so(knots: Post, comment: Comment) -> None:
    for address in (f"/p/{knots.pk}/history", f"{comment.get_absolute_url()}/history"):
        assert "No edits to show." in reader().get(address).content.decode()


def test_edit_is_kept_if_the_session_ended(bob: User, comment: Comment) -> None:
    window, where = reader(), f"{comment.get_absolute_url()}/edit"
    response = window.post(where, {"body": "Better *words*."})
    assert response["Location"] == f"/accounts/login/?next={where}"
    window.force_login(bob)
    assert "Better *words*." in window.get(where).content.decode()
    window.post(where, {"body": "The best words."})
    assert "The best words.</textarea>" in window.get(where).content.decode()


def test_logging_in_to_delete_leaves_no_draft(bob: User, comment: Comment) -> None:
    window = reader()
    response = window.post(f"{comment.get_absolute_url()}/delete")
    assert "Your text" not in window.get(response["Location"]).content.decode()


def test_edit_form_has_the_text_of_the_comment(bob: User, comment: Comment) -> None:
    assert "First words." in reader(bob).get(f"{comment.get_absolute_url()}/edit").content.decode()


def test_saving_the_same_again_is_no_edit(bob: User, comment: Comment) -> None:
    make_older(comment, minutes=6)
    edit(bob, comment, "First words.")
    comment.refresh_from_db()
    assert comment.edited_at is None
    assert not Revision.objects.exists()


@pytest.mark.parametrize("body", ["", "x" * 10_001])
def test_refused_edit_keeps_its_text(bob: User, comment: Comment, body: str) -> None:
    response = edit(bob, comment, body)
    assert response.status_code == 422
    assert body in response.content.decode()
    comment.refresh_from_db()
    assert comment.body == "First words."


def test_a_preview_saves_nothing(bob: User, comment: Comment) -> None:
    response = edit(bob, comment, preview="1")
    assert "Better <em>words</em>." in response.content.decode()
    comment.refresh_from_db()
    assert comment.body == "First words."


def test_strangers_and_staff_cannot_edit_a_comment(comment: Comment) -> None:
    carol, stella = person("carol"), person("stella", is_staff=True)
    for response in (edit(carol, comment), edit(stella, comment)):
        assert response.status_code == 403
        assert "Only the author can edit or delete this comment." in response.content.decode()
    assert remove(carol, comment).status_code == 403
    comment.refresh_from_db()
    assert (comment.body, comment.deleted_at) == ("First words.", None)


def test_deleting_asks_first(bob: User, knots: Post, comment: Comment) -> None:
    html = get_html(f"{comment.get_absolute_url()}/delete", bob)
    assert "Delete your comment?" in html
    assert "First words." in page(knots)


def test_deleted_comment_keeps_its_replies_in_place(
    ada: User, bob: User, knots: Post, comment: Comment
) -> None:
    reply = add_comment(ada, knots, "I disagree.", comment)
    response = remove(bob, comment)
    assert response.status_code == 303
    assert response["Location"] == f"{knots.get_absolute_url()}#comments"
    html = page(knots)
    assert comment_ids(html) == [comment.pk, reply.pk]
    assert "[deleted]" in comment_html(html, comment)
    assert "First words." not in html
    assert "bob" not in html, "the fold button doesn't name the author either"
    assert "arrow" not in comment_html(html, comment)
    assert "1 comment" in html
    own = page(comment)
    assert "First words." not in own
    assert "bob" not in own
    assert "I disagree." in own


def test_a_deleted_comment_without_replies_is_gone(
    bob: User, knots: Post, comment: Comment
) -> None:
    remove(bob, comment)
    assert comment_ids(page(knots)) == []
    assert "0 comments" in page(knots)


@pytest.mark.parametrize("action", ["", "/edit", "/delete", "/history"])
def test_deleted_comment_says_so_and_links_to_its_post(
    bob: User, knots: Post, comment: Comment, action: str
) -> None:
    comment_actions.delete(comment, by=bob)
    answer = reader(bob).get(f"{comment.get_absolute_url()}{action}")
    assert answer.status_code == 410
    assert f'href="/p/{knots.pk}">Go to the post</a>' in answer.content.decode()


@pytest.mark.parametrize("whole", [False, True], ids=["the comment", "its post"])
def test_edit_of_a_comment_just_deleted_gives_the_text_back(
    bob: User, knots: Post, comment: Comment, whole: bool
) -> None:
    if whole:
        post_actions.delete(knots)
    else:
        comment_actions.delete(comment, by=bob)
    response = edit(bob, comment)
    assert response.status_code == 410
    html = response.content.decode()
    assert "Better *words*.</textarea>" in html
    assert ("Go to the post" in html) != whole


@pytest.mark.parametrize("action", ["edit", "delete", "history"])
def test_comment_of_another_or_deleted_post_is_not_found(
    ada: User, bob: User, knots: Post, comment: Comment, action: str
) -> None:
    other = post(ada, "Other")
    assert reader(bob).get(f"/p/{other.pk}/c/{comment.pk}/{action}").status_code == 404
    post_actions.delete(knots)
    assert reader(bob).get(f"{comment.get_absolute_url()}/{action}").status_code == 410

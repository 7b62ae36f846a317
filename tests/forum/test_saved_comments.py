"""People save comments for later, and find them in a list that nobody else sees."""

import pytest

from forum.actions import comments as comment_actions
from forum.actions import marks
from forum.actions import posts as post_actions
from forum.models import Comment, Post, SavedComment, User
from forum.web.error_responses import FRAGMENT
from tests.forum.comments import add_comment
from tests.forum.factories import post, reader
from tests.forum.pages import get_html

pytestmark = pytest.mark.django_db(transaction=True)
LIST = "/u/bob/saved/comments"


@pytest.fixture
def comment(ada: User) -> Comment:
    """A comment by Ada."""
    return add_comment(ada, post(ada, "Knots"), "Reef knots hold.")


def address(comment: Comment) -> str:
    return f"{comment.get_absolute_url()}/save"


def test_saved_comment_is_listed_until_it_is_removed(bob: User, comment: Comment) -> None:
    window = reader(bob)
    for _ in range(2):
        answer = window.post(address(comment), {"on": "1", "next": "/comments"})
        assert answer.status_code == 303
        assert answer["Location"] == f"/comments#comment-{comment.pk}"
    assert SavedComment.objects.count() == 1
    html = get_html(LIST, bob)
    assert "Reef knots hold." in html
    assert 'aria-pressed="true">saved</button>' in html
    for _ in range(2):
        assert window.post(address(comment), {"on": "0"}).status_code == 303
    assert "No saved comments yet." in get_html(LIST, bob)


def test_thread_and_branch_show_which_comments_the_reader_saved(
    ada: User, bob: User, comment: Comment
) -> None:
    reply = add_comment(ada, comment.post, "In nylon?", comment)
    marks.save_comment(bob, reply, True)
    for page in (comment.post.get_absolute_url(), comment.get_absolute_url()):
        html = get_html(page, bob)
        assert f'formaction="{address(reply)}" name="on" value="0"' in html
        assert f'formaction="{address(comment)}" name="on" value="1"' in html
        assert "/save" not in get_html(page), "guests have no list"


def test_own_comments_have_no_save_button(ada: User, comment: Comment) -> None:
    assert address(comment) not in get_html(comment.post.get_absolute_url(), ada)


def test_script_gets_the_button_alone(bob: User, comment: Comment) -> None:
    answer = reader(bob).post(address(comment), {"on": "1"}, headers={FRAGMENT: "1"})
    html = answer.content.decode()
    assert 'value="0" aria-pressed="true"' in html
    assert "Reef knots hold." not in html


def test_the_comment_that_was_saved_last_comes_first_on_each_page(
    ada: User, bob: User, settings: object
) -> None:
    settings.PAGE_SIZE = 2  # type: ignore[attr-defined]
    knots = post(ada, "Knots")
    first, second, third = (add_comment(ada, knots, f"Knot {number}.") for number in (1, 2, 3))
    for each in (second, third, first):
        marks.save_comment(bob, each, True)
    html = get_html(LIST, bob)
    assert html.index("Knot 1.") < html.index("Knot 3.")
    assert "Knot 2." not in html
    older = SavedComment.objects.get(comment=third).pk
    assert f'href="{LIST}?before={older}" rel="next"' in html
    assert "Knot 2." in get_html(f"{LIST}?before={older}", bob)


def test_deleted_comment_leaves_the_list_and_cannot_be_saved(
    ada: User, bob: User, comment: Comment
) -> None:
    marks.save_comment(bob, comment, True)
    comment_actions.delete(comment, by=ada)
    assert "Reef knots hold." not in get_html(LIST, bob)
    window = reader(bob)
    assert window.post(address(comment), {"on": "1"}).status_code == 410
    assert window.post(address(comment), {"on": "0"}).status_code == 303
    assert not SavedComment.objects.exists()


def test_comment_on_a_deleted_post_cannot_be_saved(bob: User, comment: Comment) -> None:
    post_actions.delete(comment.post, comment.post.author)
    assert reader(bob).post(address(comment), {"on": "1"}).status_code == 410
    assert not SavedComment.objects.exists()


def test_only_the_person_sees_the_list_and_guests_log_in_first(
    ada: User, bob: User, comment: Comment
) -> None:
    marks.save_comment(bob, comment, True)
    assert reader(ada).get(LIST).status_code == 403
    assert reader().get(LIST)["Location"].startswith("/accounts/login/")
    assert reader().post(address(comment), {"on": "1"})["Location"].startswith("/accounts/login/")


def test_missing_comment_and_wrong_post_are_not_found(
    ada: User, bob: User, comment: Comment
) -> None:
    other: Post = post(ada, "Ropes")
    for path in (f"/p/{other.pk}/c/{comment.pk}/save", f"/p/{other.pk}/c/999/save"):
        assert reader(bob).post(path, {"on": "1"}).status_code == 404
    assert reader(bob).post(address(comment), {"on": "2"}).status_code == 400

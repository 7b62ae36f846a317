"""The pages where people write comments and replies: forms, error messages, and comment votes."""

from functools import partial
from typing import Any

import pytest
from django.test import Client

from forum.actions import comments as comment_actions
from forum.actions import posts as post_actions
from forum.models import Comment, Post, User
from forum.queries.comment_tree import MOST_COMMENTS
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, add_many_comments, comment_html, comment_ids, page
from tests.forum.concurrency import before_query
from tests.forum.factories import PASSWORD, confirm_vote, post, reader
from tests.forum.outages import failing_sql
from voting.types import Vote

pytestmark = pytest.mark.django_db(transaction=True)

SCRIPT = {"X-Fragment": "1"}


def send(user: User | None, on: Post, body: str = "I *agree*.", **more: Any) -> Any:
    return reader(user).post(f"/p/{on.pk}/comment", {"body": body} | more)


def press(window: Client, on: Comment, word: str, **more: Any) -> Any:
    form = {"vote": word, "next": on.post.get_absolute_url()}
    return window.post(f"{on.get_absolute_url()}/vote", form, **more)


def tally(on: Comment, viewer: User) -> Any:
    return get_voting_service().comments.tallies(on.post_id, [on.pk], viewer=viewer.pk)[on.pk]


def test_new_comment_redirects_to_itself_in_the_thread(bob: User, knots: Post) -> None:
    response = send(bob, knots)
    comment = Comment.objects.get()
    assert response.status_code == 303
    assert response["Location"] == f"{knots.get_absolute_url()}#comment-{comment.pk}"
    assert (comment.author, comment.parent, comment.post) == (bob, None, knots)
    html = page(knots, window=reader(bob))
    assert "I <em>agree</em>." in html
    assert 'data-points="1" data-ups="1" data-downs="0" data-vote="up"' in comment_html(
        html, comment
    )


@pytest.mark.parametrize("deep", [False, True], ids=["a comment", "a reply"])
def test_new_comment_keeps_the_newest_first_order(
    ada: User, bob: User, knots: Post, deep: bool
) -> None:
    where = add_comment(ada, knots).get_absolute_url() if deep else knots.get_absolute_url()
    more: dict[str, Any] = {"parent": Comment.objects.get().pk} if deep else {}
    hidden = '<input type="hidden" name="sort" value="new">'
    window = reader(bob)
    assert hidden in window.get(f"{where}?sort=new").content.decode()
    assert hidden not in window.get(where).content.decode()
    preview = window.post(f"/p/{knots.pk}/comment", {"sort": "new", "preview": "1", **more})
    assert hidden in preview.content.decode(), "a preview keeps it"
    response = send(bob, knots, sort="new", **more)
    comment = Comment.objects.latest("pk")
    assert response["Location"] == f"{knots.get_absolute_url()}?sort=new#comment-{comment.pk}"


def test_reply_keeps_the_newest_first_order(ada: User, bob: User, knots: Post) -> None:
    comment = add_comment(ada, knots)
    html = reader(bob).get(f"{knots.get_absolute_url()}?sort=new").content.decode()
    assert f'href="{comment.get_absolute_url()}?sort=new#reply"' in html


def test_reply_is_below_its_parent(ada: User, bob: User, knots: Post) -> None:
    top = add_comment(ada, knots)
    send(bob, knots, parent=top.pk)
    assert Comment.objects.get(parent=top).author == bob


def test_reply_too_deep_for_the_thread_redirects_to_its_own_page(
    ada: User, bob: User, knots: Post
) -> None:
    deep = add_comment(ada, knots)
    for _level in range(8):
        deep = add_comment(ada, knots, to=deep)
    response = send(bob, knots, parent=deep.pk)
    comment = Comment.objects.latest("pk")
    assert response["Location"] == comment.get_absolute_url()
    assert comment_ids(reader().get(comment.get_absolute_url()).content.decode()) == [comment.pk]


def test_reply_not_shown_in_the_thread_redirects_to_its_own_page(
    ada: User, bob: User, knots: Post
) -> None:
    top = add_comment(ada, knots)
    for _reply in range(MOST_COMMENTS):
        add_comment(ada, knots, to=top)
    response = send(bob, knots, parent=top.pk)
    assert response["Location"] == Comment.objects.latest("pk").get_absolute_url()


def test_a_long_thread_still_takes_comments(ada: User, bob: User, knots: Post) -> None:
    add_many_comments([ada], knots, 1_000)
    response = send(bob, knots)
    where = response["Location"].partition("#")[0]
    comment = Comment.objects.latest("pk")
    assert comment.pk in comment_ids(reader().get(where).content.decode())


@pytest.mark.parametrize(
    "body",
    [
        *("\u200b", "\u2800", "\u3164 \u00ad", "&nbsp;", "&#8203;", "&#x2800;", "> \n> -"),
        *("[x]: https://example.org", "[](https://example.org)", "```\n```"),
    ],
)
def test_comment_without_visible_characters_is_refused(bob: User, knots: Post, body: str) -> None:
    assert send(bob, knots, body).status_code == 422
    assert not Comment.objects.exists()


@pytest.mark.parametrize(
    "body", ["---", "![](https://example.org/a.png)", "\U0001f44d", "`\\`", "क"]
)
def test_comment_may_be_one_visible_character(bob: User, knots: Post, body: str) -> None:
    assert send(bob, knots, body).status_code == 303


def test_the_post_and_every_comment_offer_a_form(ada: User, bob: User, knots: Post) -> None:
    comment = add_comment(ada, knots)
    html = page(knots, window=reader(bob))
    assert f'method="post" action="/p/{knots.pk}/comment"' in html
    assert "Your comment" in html
    assert f'href="/p/{knots.pk}/c/{comment.pk}#reply">reply</a>' in html
    branch = page(comment, window=reader(bob))
    assert "Your reply" in branch
    assert 'id="reply"' in branch


def test_guest_writes_first_then_logs_in_and_finds_the_text(bob: User, knots: Post) -> None:
    window = reader()
    link = f'href="/p/{knots.pk}/comment" rel="nofollow">Write a comment</a>'
    assert link in page(knots, window=window)
    form = window.get(f"/p/{knots.pk}/comment")
    assert "Cookie" in form["Vary"], "no shared cache keeps it"
    assert "you log in or sign up" in form.content.decode()
    assert "sessionid" not in window.cookies, "only sending makes a session"
    response = window.post(f"/p/{knots.pk}/comment", {"body": "Half a thought"})
    assert response.status_code == 302
    assert response["Location"] == f"/accounts/login/?next=/p/{knots.pk}/comment"
    login = {"login": "bob", "password": PASSWORD, "next": f"/p/{knots.pk}/comment"}
    back = window.post("/accounts/login/", login)
    assert "Half a thought" in window.get(back["Location"]).content.decode()
    assert not Comment.objects.exists()


@pytest.mark.parametrize("body", ["", "   \n ", "x" * 10_001])
def test_refused_comment_keeps_its_text(bob: User, knots: Post, body: str) -> None:
    response = send(bob, knots, body)
    html = response.content.decode()
    assert response.status_code == 422
    assert 'class="errors"' in html
    assert body.strip() in html
    assert not Comment.objects.exists()


def test_the_longest_comment_is_taken(bob: User, knots: Post) -> None:
    assert send(bob, knots, "x" * 10_000).status_code == 303


def test_a_preview_writes_nothing(bob: User, knots: Post) -> None:
    response = send(bob, knots, preview="1")
    html = response.content.decode()
    assert response.status_code == 200
    assert "I <em>agree</em>." in html
    assert "I *agree*." in html
    assert not Comment.objects.exists()


def test_reply_to_a_deleted_comment_is_refused_and_keeps_its_text(
    ada: User, bob: User, knots: Post
) -> None:
    deleted = add_comment(ada, knots)
    comment_actions.delete(deleted, by=ada)
    response = send(bob, knots, "But why?", parent=deleted.pk)
    html = response.content.decode()
    assert response.status_code == 422
    assert "The post or comment you are replying to is no longer available." in html
    assert "But why?" in html


def test_reply_refused_by_a_deletion_may_be_sent_elsewhere(
    settings: Any, ada: User, bob: User, knots: Post
) -> None:
    settings.SAME_TEXT = 600
    deleted = add_comment(ada, knots)
    with before_query("ada", partial(comment_actions.delete, deleted, by=ada)):
        response = send(bob, knots, "But why, @ada?", parent=deleted.pk)
    assert response.status_code == 422
    assert (
        "The post or comment you are replying to is no longer available."
        in response.content.decode()
    )
    assert send(bob, knots, "But why, @ada?").status_code == 303
    assert send(bob, knots, "But why, @ada?").status_code == 429


def test_a_reply_to_a_comment_of_another_post_is_not_found(
    ada: User, bob: User, knots: Post
) -> None:
    elsewhere = add_comment(ada, post(ada, "Other"))
    assert send(bob, knots, parent=elsewhere.pk).status_code == 404
    assert send(bob, knots, parent="x").status_code == 404


def test_a_deleted_post_takes_no_comments(bob: User, knots: Post) -> None:
    post_actions.delete(knots)
    late = send(bob, knots, "A long answer.")
    assert late.status_code == 410
    assert "A long answer.</textarea>" in late.content.decode(), "no text is lost"
    assert send(bob, Post(pk=999)).status_code == 404


def test_vote_on_a_comment_can_be_switched_and_removed(ada: User, bob: User, knots: Post) -> None:
    comment, window = add_comment(ada, knots), reader(bob)
    for word, points in (("up", 2), ("down", 0), ("none", 1)):
        response = press(window, comment, word)
        assert response.status_code == 303
        assert response["Location"] == f"{knots.get_absolute_url()}#comment-{comment.pk}"
        assert tally(comment, bob).points == points


def test_vote_by_script_returns_only_what_changed(ada: User, bob: User, knots: Post) -> None:
    comment = add_comment(ada, knots, "A long story.")
    html = press(reader(bob), comment, "up", headers=SCRIPT).content.decode()
    assert html.startswith(f'<article class="comment" id="comment-{comment.pk}" data-points="2"')
    assert 'data-vote="up"' in html
    assert "2 points" in html
    assert "A long story." not in html


def test_vote_refused_while_sql_is_down_is_not_counted(ada: User, bob: User, knots: Post) -> None:
    comment, window = add_comment(ada, knots), reader(bob)
    with failing_sql('SELECT "forum_user"."username" AS "author__username"'):
        answer = press(window, comment, "up", headers=SCRIPT)
    assert answer.status_code == 503
    assert "nothing was saved" in answer.content.decode()
    assert tally(comment, bob).vote is Vote.NONE


def test_a_guests_vote_on_a_comment_is_counted_after_log_in(
    ada: User, bob: User, knots: Post
) -> None:
    comment, window = add_comment(ada, knots), reader()
    led = press(window, comment, "down")
    back = f"next=/p/{knots.pk}/knots%23comment-{comment.pk}"
    pending = f"vote=down&post={knots.pk}&comment={comment.pk}"
    assert led["Location"] == f"/accounts/login/?{back}&{pending}"
    form = window.get(led["Location"]).content.decode()
    assert f'<input type="hidden" name="comment" value="{comment.pk}">' in form
    login = {"login": "bob", "password": PASSWORD, "vote": "down", "post": knots.pk}
    confirm_vote(window, window.post("/accounts/login/", login | {"comment": comment.pk}))
    assert tally(comment, bob).vote is Vote.DOWN


def test_a_vote_on_a_comment_of_another_post_counts_nothing(
    ada: User, bob: User, knots: Post
) -> None:
    comment, elsewhere = add_comment(ada, knots), post(ada, "Other")
    for headers in ({}, SCRIPT):
        address = f"/p/{elsewhere.pk}/c/{comment.pk}/vote"
        assert reader(bob).post(address, {"vote": "up"}, headers=headers).status_code == 404
    assert tally(comment, bob).vote is Vote.NONE


def test_guest_replies_to_a_comment_and_returns_to_the_reply(
    ada: User, bob: User, knots: Post
) -> None:
    window, comment = reader(), add_comment(ada, knots)
    form = f"/p/{knots.pk}/comment?parent={comment.pk}"
    assert f'href="{form}" rel="nofollow">Write a reply</a>' in page(comment, window=window)
    assert "So it is." in window.get(form).content.decode(), "the guest sees the comment"
    sent = {"body": "Half a thought", "parent": str(comment.pk)}
    response = window.post(f"/p/{knots.pk}/comment", sent)
    login = {"login": "bob", "password": PASSWORD, "next": form}
    assert response["Location"].endswith(form.replace("?", "%3F").replace("=", "%3D"))
    back = window.get(window.post("/accounts/login/", login)["Location"]).content.decode()
    assert "Half a thought" in back
    assert f'name="parent" value="{comment.pk}"' in back


def test_guests_drafts_are_bounded(knots: Post) -> None:
    window, form = reader(), f"/p/{knots.pk}/comment"
    assert window.post(form, {"body": "x" * 50_000}).status_code == 302
    assert "x" * 40_001 not in window.get(form).content.decode()

"""Ordinary comments on a question aren't answers: they are unranked, and nobody accepts them."""

import re

import pytest
from django.core.management import call_command

from forum.models import Comment, InboxItem, Post, User
from forum.store.service import get_voting_service
from tests.forum.comments import add_comment, comment_html, comment_ids, page, vote
from tests.forum.factories import person, post, reader
from voting.types import Target, Vote

pytestmark = pytest.mark.django_db(transaction=True)


def remark(author: User, on: Post, body: str = "Which knots?") -> Comment:
    """On a question, write a comment that is not an answer, and return the comment."""
    return add_comment(author, on, body, on_question=True)


def test_the_small_form_below_a_question_writes_a_comment_and_the_box_an_answer(
    ada: User, bob: User, question: Post
) -> None:
    window = reader(bob)
    html = page(question, window=window)
    small = f'action="/p/{question.pk}/comment?on=question"'
    assert html.index(small) < html.index(f'action="/p/{question.pk}/comment"')
    response = window.post(f"/p/{question.pk}/comment?on=question", {"body": "Which knots?"})
    assert response.status_code == 303
    window.post(f"/p/{question.pk}/comment", {"body": "Because."})
    kinds = Comment.objects.order_by("pk").values_list("body", "is_answer")
    assert list(kinds) == [("Which knots?", False), ("Because.", True)]


def test_comments_are_below_the_question_and_the_answer_box_below_answers(
    ada: User, bob: User, question: Post
) -> None:
    answer = add_comment(bob, question, "Because.")
    early, late = remark(bob, question), remark(ada, question, "All.")
    reply = add_comment(ada, question, "Reef knots.", early)
    vote(person("carol"), late, Vote.UP)
    html = page(question, window=reader(bob))
    for sort in ("", "?sort=new", "?sort=top"):
        assert comment_ids(page(question, sort)) == [early.pk, reply.pk, late.pk, answer.pk]
    assert html.index(f"comment-{late.pk}") < html.index('id="comments"')
    assert html.index(f'id="comment-{answer.pk}"') < html.index("Your answer")
    assert '4 comments <span class="meta">including 1 answer</span>' in html
    assert "<b>4</b> <span>comments</span>" in reader().get("/new").content.decode()


def test_text_has_one_comment_box_above_the_comments(ada: User, bob: User) -> None:
    written = post(ada)
    comment = add_comment(bob, written)
    html = page(written, window=reader(bob))
    assert html.index("Your comment") < html.index(f'id="comment-{comment.pk}"')
    assert "Comment on the question" not in html
    reader(bob).post(f"/p/{written.pk}/comment?on=question", {"body": "A trick."})
    assert not Comment.objects.filter(is_answer=True).exists()


def test_a_guest_sees_comments_on_a_question_and_no_form(bob: User, question: Post) -> None:
    assert "on=question" not in page(question)
    comment = remark(bob, question)
    html = page(question)
    assert comment_ids(html) == [comment.pk]
    assert "on=question" not in html


def test_a_comment_on_a_question_cannot_be_accepted(ada: User, bob: User, question: Post) -> None:
    comment, answer = remark(bob, question), add_comment(bob, question)
    html = page(question, window=reader(ada))
    assert "Accept this answer" not in comment_html(html, comment)
    assert "Accept this answer" in comment_html(html, answer)
    assert reader(ada).post(f"/p/{question.pk}/accept", {"comment": comment.pk}).status_code == 404


def test_votes_on_comments_below_a_question_close_and_those_on_answers_do_not(
    bob: User, question: Post
) -> None:
    comment, answer = remark(bob, question), add_comment(bob, question)
    reply = add_comment(bob, question, to=answer)
    ids = [comment.pk, answer.pk, reply.pk]
    tallies = get_voting_service().comments.tallies(question.pk, ids)
    for one in (comment, reply):
        assert tallies[one.pk].closes_at == one.posted_at + get_voting_service().rules.window
    assert tallies[answer.pk].closes_at is None


def test_answers_and_comments_are_called_by_their_names(
    ada: User, bob: User, question: Post
) -> None:
    comment, answer = remark(bob, question), add_comment(bob, question)
    window = reader(bob)
    assert "<h1>Comment</h1>" in page(comment)
    assert "<h1>Answer</h1>" in page(answer)
    assert "Your reply" in page(comment, window=window)
    html = page(question)
    assert "Comment by bob" in html
    assert "Answer by bob" in html
    edited = window.get(f"{comment.get_absolute_url()}/edit").content.decode()
    assert "Your comment" in edited
    form = window.get(f"/p/{question.pk}/comment?on=question").content.decode()
    assert "<h1>Your comment</h1>" in form


def test_a_preview_of_a_comment_on_a_question_stays_one(bob: User, question: Post) -> None:
    address = f"/p/{question.pk}/comment?on=question"
    html = reader(bob).post(address, {"body": "*Which?*", "preview": "1"}).content.decode()
    assert "<em>Which?</em>" in html
    assert f'action="{address}"' in html


def test_guests_comment_is_offered_in_the_small_form_after_log_in(
    bob: User, question: Post
) -> None:
    window = reader()
    address = f"/p/{question.pk}/comment?on=question"
    response = window.post(address, {"body": "Which knots?"})
    assert response.status_code == 302
    window.post(response["Location"], {"login": "bob", "password": "a long enough sentence"})
    html = page(question, window=window)
    small, _sign, rest = html.partition('<section class="talk"')
    assert "You have a draft from just now." in small
    restore = re.search(r'href="[?](on=question&amp;draft=[0-9a-f]+)#', small)
    assert restore
    assert '<details class="hint" open>' in small
    assert "You have a draft" not in rest
    form = f"{question.get_absolute_url()}?{restore[1].replace('amp;', '')}"
    restored = window.get(form).content.decode()
    assert "Which knots?</textarea>" in restored.partition('<section class="talk"')[0]


def test_asker_is_notified_of_comments_and_answers_by_name(
    ada: User, bob: User, question: Post
) -> None:
    remark(bob, question)
    add_comment(bob, question)
    html = reader(ada).get("/inbox").content.decode()
    assert "bob answered your question" in html
    assert "bob commented on your question" in html
    assert InboxItem.objects.filter(user=ada, kind="reply").count() == 2


def test_rebuild_and_check_distinguish_answers_from_comments(bob: User, question: Post) -> None:
    comment, answer = remark(bob, question), add_comment(bob, question)
    call_command("rebuild_voting")
    found = get_voting_service().maintenance.inspection.comments(
        [target_of(comment), target_of(answer)]
    )
    assert [found[target_of(one)].answer for one in (comment, answer)] == [False, True]
    call_command("check_voting")


def target_of(comment: Comment) -> Target:
    return Target(comment.post_id, comment.pk)

"""Helpers for tests that write comments, vote on comments, and find comments on pages."""

import re
from collections.abc import Sequence

from django.core.management.color import no_style
from django.db import connection
from django.test import Client
from django.utils import timezone

from forum.actions import comments as comment_actions
from forum.models import Comment, Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import reader
from voting import types
from voting.types.comments import Comment as VotingComment

PIECE = 500


def add_comment(
    author: User,
    on: Post,
    body: str = "So it is.",
    to: Comment | None = None,
    *,
    on_question: bool = False,
) -> Comment:
    """Write a comment on a post. If `to` is given, reply to that comment instead."""
    return comment_actions.write(
        author=author, post=on, parent=to, body=body, on_question=on_question
    )


def add_many_comments(authors: Sequence[User], on: Post, many: int) -> list[Comment]:
    """Write `many` comments on a post to SQL and Redis."""
    first = Comment.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    made = []
    for number in range(1, many + 1):
        parent = None if number % 3 == 1 else first + (number + 1) // 2
        made.append(_comment(authors, on, first + number, parent))
    Comment.objects.bulk_create(made, batch_size=PIECE)
    _advance_sequence()
    synced = [
        VotingComment(each.pk, on.pk, each.author_id, each.posted_at, "", answer=each.is_answer)
        for each in made
    ]
    for start in range(0, many, PIECE):
        get_voting_service().comments.publish(*synced[start : start + PIECE])
    on.comment_count += many
    on.save(update_fields=["comment_count"])
    return made


def _advance_sequence() -> None:
    """Make the next comment id in SQL higher than all existing ids."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Comment]):
            cursor.execute(statement)


def _comment(authors: Sequence[User], on: Post, number: int, parent: int | None) -> Comment:
    return Comment(
        pk=number,
        post=on,
        parent_id=parent,
        is_answer=on.kind == Post.Kind.QUESTION and parent is None,
        author=authors[number % len(authors)],
        body=f"Remark {number}.",
        body_html=f"<p>Remark {number}.</p>",
        created_at=timezone.now().replace(microsecond=0),
        up=1,
    )


def vote(person: User, on: Comment, choice: types.Vote) -> types.Ballot:
    return get_voting_service().votes.cast(person.pk, types.Target(on.post_id, on.pk), choice)


def page(on: Post | Comment, query: str = "", window: Client | None = None) -> str:
    """Return the HTML of a post's or comment's page, as the browser `window` or a guest sees it."""
    response = (window or reader()).get(f"{on.get_absolute_url()}{query}")
    assert response.status_code == 200, response
    return response.content.decode()


def comment_ids(html: str) -> list[int]:
    """Return the ids of the comments on a page, from top to bottom."""
    return [
        int(found)
        for found in re.findall(r'<article class="comment[^"]*" id="comment-(\d+)"', html)
    ]


def comment_html(html: str, comment: Comment) -> str:
    """Return the part of a page's HTML that shows one comment."""
    return html.partition(f'id="comment-{comment.pk}"')[2].partition("</article>")[0]

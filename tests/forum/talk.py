"""Helpers for tests of threads: write comments, read pages and find comments on them."""

import re
from collections.abc import Sequence

from django.core.management.color import no_style
from django.db import connection
from django.test import Client
from django.utils import timezone

from forum.content import comment_service
from forum.gateway.service import get_voting_service
from forum.models import Comment, Post, User
from tests.forum.cast import reader
from voting import types
from voting.types.comments import Comment as Told

PIECE = 500


def say(
    author: User,
    on: Post,
    body: str = "So it is.",
    to: Comment | None = None,
    *,
    on_question: bool = False,
) -> Comment:
    """Return a new comment on a post, or a reply to the comment `to`.

    A comment on a question is an answer, unless it is `on_question`.
    """
    return comment_service.write(
        author=author, post=on, parent=to, body=body, on_question=on_question
    )


def chatter(authors: Sequence[User], on: Post, many: int) -> list[Comment]:
    """Write many comments to SQL and Redis at once: every third on the post, the others replies."""
    first = Comment.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    said = []
    for number in range(1, many + 1):
        parent = None if number % 3 == 1 else first + (number + 1) // 2
        said.append(_comment(authors, on, first + number, parent))
    Comment.objects.bulk_create(said, batch_size=PIECE)
    _count_on()
    told = [
        Told(each.pk, on.pk, each.author_id, each.posted_at, "", answer=each.is_answer)
        for each in said
    ]
    for start in range(0, many, PIECE):
        get_voting_service().comments.publish(*told[start : start + PIECE])
    on.comment_count += many
    on.save(update_fields=["comment_count"])
    return said


def _count_on() -> None:
    """Let the database give the next comment an id above those that were written with an id."""
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


def vote(person: User, on: Comment, wanted: types.Vote) -> types.Ballot:
    """Vote on a comment."""
    return get_voting_service().votes.cast(person.pk, types.Target(on.post_id, on.pk), wanted)


def page(on: Post | Comment, query: str = "", window: Client | None = None) -> str:
    """Return the page of a post or comment, as a guest or as `window` sees it."""
    response = (window or reader()).get(f"{on.get_absolute_url()}{query}")
    assert response.status_code == 200, response
    return response.content.decode()


def order(html: str) -> list[int]:
    """Return the ids of a page's comments from top to bottom."""
    return [
        int(found)
        for found in re.findall(r'<article class="comment[^"]*" id="comment-(\d+)"', html)
    ]


def part(html: str, comment: Comment) -> str:
    """Return the HTML of one comment on a page."""
    return html.partition(f'id="comment-{comment.pk}"')[2].partition("</article>")[0]

"""Posts and threads as JSON with the field names of lobste.rs, for programs that read that site."""

from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from forum.api.lookups import find_post
from forum.api.responses import for_programs, respond_to_error
from forum.api.serializers import absolute
from forum.errors import DomainError
from forum.models import Post
from forum.queries.listings import listing
from forum.queries.threads import ThreadComment, post_page
from forum.store import post_cards
from forum.text.plain import plain_text
from forum.web.methods import require_safe
from voting.types import Order, Row
from voting.types.comments import Sort


@require_safe
@for_programs
def hottest(_request: HttpRequest) -> HttpResponse:
    """Return the first page of the site's posts in the order `hot`."""
    return _stories(Order.HOT)


@require_safe
@for_programs
def newest(_request: HttpRequest) -> HttpResponse:
    """Return the newest posts of the site."""
    return _stories(Order.NEW)


@require_safe
@for_programs
def story(request: HttpRequest, post_id: int) -> HttpResponse:
    """Return a post with the comments on the first page of its thread."""
    try:
        post = find_post(post_id)
    except (Http404, DomainError) as error:
        return respond_to_error(request, error)
    state, thread = post_page(post, None, sort=Sort.BEST)
    comments = (*thread.question_comments, *thread.comments)
    return JsonResponse(
        _story(state.row)
        | {
            "description": post.body_html,
            "description_plain": post.body,
            "comments": [_comment(post, one) for one in comments],
        }
    )


def _stories(order: Order) -> HttpResponse:
    rows = listing(order, 1).page.rows
    return JsonResponse([_story(row) for row in rows], safe=False)


def _story(row: Row) -> dict[str, Any]:
    card = post_cards.unpack(row.card)
    address = absolute(reverse("post", args=[row.id, card.slug]))
    return {
        "short_id": str(row.id),
        "short_id_url": absolute(reverse("post_short", args=[row.id])),
        "created_at": datetime.fromtimestamp(row.posted_at, UTC).isoformat(),
        "title": card.title,
        "url": card.url,
        "score": row.points,
        "flags": row.down,
        "comment_count": row.comments,
        "description": "",
        "description_plain": "",
        "comments_url": address,
        "submitter_user": card.author,
        "user_is_author": False,
        "tags": list(row.groups),
    }


def _comment(post: Post, comment: ThreadComment) -> dict[str, Any]:
    """Return a comment. If readers can't see its text, the text is left out."""
    row, gone = comment.row, comment.row.deleted_at is not None
    up, down = (comment.tally.up, comment.tally.down) if comment.tally else (row.up, row.down)
    address = absolute(reverse("comment", args=[post.pk, row.id]))
    html = "" if gone else row.body_html
    edited_at = row.edited_at or row.created_at
    return {
        "short_id": str(row.id),
        "short_id_url": address,
        "created_at": row.created_at.isoformat(),
        "last_edited_at": edited_at.isoformat(),
        "is_deleted": gone,
        "is_moderated": gone and bool(row.withheld),
        "score": up - down,
        "flags": down,
        "parent_comment": str(row.parent_id) if row.parent_id else None,
        "comment": html,
        "comment_plain": plain_text(html),
        "url": address,
        "depth": comment.place.depth,
        "commenting_user": "" if gone else row.author,
    }

"""Posts and threads as JSON with the field names of lobste.rs, for programs that read that site."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from ninja.errors import HttpError

from forum.api.faults import SENTENCES
from forum.api.lookups import find_post
from forum.api.responses import for_programs, respond_to_error
from forum.api.serializers import absolute
from forum.config.hidden_scores import is_hidden
from forum.errors import DomainError
from forum.models import Post
from forum.models.deleted_names import name_for_programs
from forum.queries.listings import listing
from forum.queries.threads import ThreadComment, post_page
from forum.store import post_cards
from forum.text.plain import plain_text
from forum.web import group_addresses
from forum.web.addresses import is_number
from forum.web.methods import require_safe
from voting.types import Mix, Order, Row
from voting.types.comments import Sort

MOST_PAGES = 10_000
"""The highest number of a page."""


@require_safe
@for_programs
def hottest(request: HttpRequest, page: int | None = None) -> HttpResponse:
    """Return a page of the site's posts in the order `hot`."""
    return _stories(request, Order.HOT, page)


@require_safe
@for_programs
def newest(request: HttpRequest, page: int | None = None) -> HttpResponse:
    """Return a page of the site's posts, newest first."""
    return _stories(request, Order.NEW, page)


@require_safe
@for_programs
def of_group(request: HttpRequest, group: str, page: int | None = None) -> HttpResponse:
    """Return a page of the posts of a group, or of combined groups, in the order `hot`."""
    try:
        parsed = group_addresses.find(group).parsed
    except Http404 as error:
        return respond_to_error(request, error)
    return _stories(request, Order.HOT, page, parsed)


@require_safe
@for_programs
def story(request: HttpRequest, post_id: int) -> HttpResponse:
    """Return a post with its comments of all levels."""
    try:
        post = find_post(post_id)
    except (Http404, DomainError) as error:
        return respond_to_error(request, error)
    state, thread = post_page(post, None, sort=Sort.BEST, whole=True)
    comments = (*thread.question_comments, *thread.comments)
    return JsonResponse(
        _story(state.row, post.body_html, post.body)
        | {"comments": [_comment(post, one) for one in comments]}
    )


def _stories(
    request: HttpRequest, order: Order, number: int | None, group: str | Mix | None = None
) -> HttpResponse:
    """Return a page of a list. The number of the page is in the address or in `?page=`."""
    written = request.GET.get("page", "1") if number is None else str(number)
    if not is_number(written) or not 0 < int(written) <= MOST_PAGES:
        sentence = SENTENCES["int_type"]
        return respond_to_error(request, HttpError(422, f"page: {sentence}"))
    rows = listing(order, int(written), group=group).page.rows
    texts = _texts([row.id for row in rows])
    stories = [_story(row, *texts.get(row.id, ("", ""))) for row in rows]
    return JsonResponse(stories, safe=False)


def _texts(post_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Return the HTML and the Markdown of posts; {} while SQL is unavailable."""
    with suppress(DatabaseError):
        texts = Post.objects.filter(pk__in=post_ids).values_list("pk", "body_html", "body")
        return {pk: (html, text) for pk, html, text in texts}
    return {}


def _story(row: Row, html: str, text: str) -> dict[str, Any]:
    card, hidden = post_cards.unpack(row.card), is_hidden(row.posted_at)
    address = absolute(reverse("post", args=[row.id, card.slug]))
    return {
        "short_id": str(row.id),
        "short_id_url": absolute(reverse("post_short", args=[row.id])),
        "created_at": datetime.fromtimestamp(row.posted_at, UTC).isoformat(),
        "title": card.title,
        "url": card.url,
        "score": None if hidden else row.points,
        "flags": None if hidden else row.down,
        "comment_count": row.comments,
        "description": html,
        "description_plain": text,
        "comments_url": address,
        "submitter_user": name_for_programs(card.author),
        "user_is_author": False,
        "tags": list(row.groups),
    }


def _comment(post: Post, comment: ThreadComment) -> dict[str, Any]:
    """Return a comment. If readers can't see its text, the text is left out."""
    row, gone = comment.row, comment.row.deleted_at is not None
    up, down = (comment.tally.up, comment.tally.down) if comment.tally else (row.up, row.down)
    hidden = is_hidden(row.created_at.timestamp())
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
        "score": None if hidden else up - down,
        "flags": None if hidden else down,
        "parent_comment": str(row.parent_id) if row.parent_id else None,
        "comment": html,
        "comment_plain": plain_text(html),
        "url": address,
        "depth": comment.place.depth,
        "commenting_user": "" if gone else name_for_programs(row.author),
    }

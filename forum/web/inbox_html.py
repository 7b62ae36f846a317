"""Renders the items of the inbox as HTML, from cached parts.

The parts hold nothing of an item itself, because most items are seen once or twice.
"""

import re
from collections.abc import Sequence
from html import escape

from django.http import HttpRequest
from django.utils.html import linebreaks
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import get_language

from forum.identity.viewers import viewer
from forum.models import InboxItem
from forum.models.post import slug_of
from forum.queries.inbox import InboxRow
from forum.queries.role_marks import of_name
from forum.text.plain import plain_text
from forum.web import ages, caches, placeholders, role_marks
from forum.web.addresses import address
from forum.web.avatars import draw
from forum.web.forms.comments import LONGEST
from forum.web.person_labels import label_of

EXCERPT = 280
"""The most characters of a comment that the inbox shows."""
QUOTE = re.compile(r"<blockquote(?:(?!<blockquote).)*?</blockquote>", re.DOTALL)
"""Matches a quote without quotes inside it."""
MESSAGE = 1_000
"""The most characters of a message from moderators that the inbox shows."""
OF_ITEM = (
    *("id", "address", "says", "iso", "at", "age", "message", "excerpt", "title", "avatar"),
    *("action", "comment", "here", "token"),
)
OF_THREAD = ("post", "address", "title", "action", "mute", "items")


def render(
    request: HttpRequest, threads: Sequence[Sequence[InboxRow]], csrf_token: str
) -> SafeString:
    """Render inbox items, each thread's items below the title of its post."""
    page = {"here": escape(request.get_full_path()), "token": csrf_token}
    language, person = get_language(), viewer(request)
    labels = person.labels if person else {}
    return SafeString("".join(_thread(rows, page, labels, language) for rows in threads))


def _thread(
    rows: Sequence[InboxRow], page: dict[str, str], labels: dict[str, str], language: str | None
) -> str:
    items = "".join(_item(row, page, labels, language) for row in rows)
    first = rows[0]
    if first.post_id is None or first.post_deleted_at:
        return items
    values = {
        "post": str(first.post_id),
        "address": address("post", first.post_id, slug_of(first.post_title)),
        "title": escape(first.post_title),
        "action": address("post_watch", first.post_id),
        "mute": address("post_mute", first.post_id),
        "items": items,
    }
    pieces = _thread_pieces(bool(first.watched), bool(first.muted), language)
    return placeholders.fill(pieces, values)


def _item(row: InboxRow, page: dict[str, str], labels: dict[str, str], language: str | None) -> str:
    message = "" if row.kind == InboxItem.Kind.FLAG else _shortened(row.text, MESSAGE)
    replies = row.can_be_replied_to
    quote = _quote(row)
    values = page | {
        "id": str(row.id),
        "address": address("inbox_item", row.id),
        "avatar": "" if row.is_from_moderators else draw(row.actor),
        "says": _says(row, labels),
        "iso": row.created_at.isoformat(timespec="seconds"),
        "at": ages.full(row.created_at, language),
        "age": ages.since(row.created_at),
        "message": linebreaks(message, autoescape=True) if message else "",
        "excerpt": escape(_excerpt(row.comment_html)) if quote == "comment" else "",
        "title": escape(row.post_title) if quote == "removed post" else "",
        "action": address("post_comment", row.post_id) if row.post_id and replies else "",
        "comment": str(row.comment_id),
    }
    pieces = _item_pieces(row.read_at is None, bool(message), quote, replies, language)
    return placeholders.fill(pieces, values)


def _says(row: InboxRow, labels: dict[str, str]) -> str:
    """Return the sentence of an item as HTML, with the actor's mark and the viewer's label."""
    says = escape(row.sentence)
    if row.is_from_moderators:
        return says
    mark = role_marks.render(of_name(row.actor))
    return says.replace(row.actor, row.actor + mark, 1) + label_of(row.actor, labels)


def _quote(row: InboxRow) -> str:
    """Return what stands below an item; "" for nothing.

    It is "comment", "no comment", "no post" or "removed post".
    """
    if row.post_deleted_at:
        return "removed post" if row.names_removed_post else "no post"
    if row.comment_id is None:
        return ""
    return "no comment" if row.comment_deleted_at else "comment"


def _excerpt(html: str) -> str:
    """Return the beginning of a comment without its quotes, unless it has nothing else."""
    words = html
    while QUOTE.search(words):
        words = QUOTE.sub(" ", words)
    return _shortened(plain_text(words) or plain_text(html), EXCERPT)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else str(Truncator(text).chars(most))


@caches.INBOX.remember
def _thread_pieces(watched: bool, muted: bool, language: str | None) -> tuple[str, ...]:
    context = {"watched": watched, "muted": muted} | placeholders.named(*OF_THREAD)
    return placeholders.split(caches.render_compact("partials/inbox_thread.html", context))


@caches.INBOX.remember
def _item_pieces(
    unread: bool, has_message: bool, quote: str, has_reply: bool, language: str | None
) -> tuple[str, ...]:
    names = placeholders.named(*OF_ITEM)
    context = {
        "unread": unread,
        "has_message": has_message,
        "quote": quote,
        "has_reply": has_reply,
        "longest": LONGEST,
        "csrf_token": names["token"],
    } | names
    return placeholders.split(caches.render_compact("partials/inbox_item.html", context))

"""Reads a person's inbox, newest items first."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, FilteredRelation, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from forum.models import InboxItem, Post
from forum.queries.keyset import newest_below

Kind = InboxItem.Kind
TABS = {
    "": _("All"),
    Kind.REPLY: _("Replies"),
    Kind.MENTION: _("Mentions"),
    Kind.WATCHED: _("Watched threads"),
    Kind.FOLLOWER: _("Followers"),
    Kind.ACCEPTED: _("Accepted answers"),
    Kind.MODERATOR: _("Moderators"),
    Kind.FLAG: _("Flags"),
}


@dataclass(frozen=True, slots=True)
class InboxThread:
    """The inbox items on one page that are about the same post, newest first."""

    post: Post | None
    """The post; None if the items are not about a post, or the post was deleted."""
    items: tuple[InboxItem, ...]
    watched: bool = False
    """Whether the owner of the inbox watches the post."""


@dataclass(frozen=True, slots=True)
class InboxPage:
    """A page of inbox items.

    The next page has ids below `before`, which is None on the last page.
    """

    items: tuple[InboxItem, ...]
    threads: tuple[InboxThread, ...]
    """The items grouped by post. The post with the newest item comes first."""
    before: int | None


def page(user_id: int, kind: str = "", before: int | None = None) -> InboxPage:
    """Return a page of a person's inbox: items with ids below `before`. One query.

    Lists only items of one `kind`; "" lists all kinds.
    """
    own = FilteredRelation("post__watches", condition=Q(post__watches__user=user_id))
    items = _readable(InboxItem.objects.filter(user_id=user_id))
    items = items.annotate(own_watch=own, watched=F("own_watch__on"))
    if kind:
        items = items.filter(kind=kind)
    shown, next_before = newest_below(items, before)
    return InboxPage(shown, _threads(shown), next_before)


def _threads(items: Iterable[InboxItem]) -> tuple[InboxThread, ...]:
    """Group inbox items by post. The post with the newest item comes first."""
    together: dict[tuple[str, int], list[InboxItem]] = {}
    for item in items:
        about = _post_of(item)
        together.setdefault(("post", about.pk) if about else ("item", item.pk), []).append(item)
    return tuple(
        InboxThread(_post_of(some[0]), tuple(some), bool(getattr(some[0], "watched", None)))
        for some in together.values()
    )


def _post_of(item: InboxItem) -> Post | None:
    return item.post if item.post and not item.post.deleted_at else None


def find(user_id: int, item_id: int) -> InboxItem | None:
    """Return one item of a person's inbox, or None. One query."""
    return _readable(InboxItem.objects.filter(user_id=user_id)).filter(pk=item_id).first()


def _readable(items: QuerySet[InboxItem]) -> QuerySet[InboxItem]:
    return items.select_related("actor", "post", "comment", "conversation__group")


def tabs(kind: str, unread: dict[str, int]) -> list[dict[str, Any]]:
    """Return the tabs of the inbox page, with their unread counts. `kind` is the current tab."""
    counts = {"": sum(unread.values()), **unread}
    return [
        {"kind": str(name), "label": label, "unread": counts.get(name, 0), "current": name == kind}
        for name, label in TABS.items()
    ]

"""The inbox as a person reads it, newest first."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from forum.models import InboxItem

Kind = InboxItem.Kind
TABS = {
    "": _("All"),
    Kind.REPLY: _("Replies"),
    Kind.MENTION: _("Mentions"),
    Kind.WATCHED: _("Watched threads"),
    Kind.FOLLOWER: _("Followers"),
    Kind.ACCEPTED: _("Accepted answers"),
    Kind.MODERATOR: _("Moderators"),
}


@dataclass(frozen=True, slots=True)
class InboxPage:
    """Some items; `before` is the item the next page starts before, None on the last page."""

    items: tuple[InboxItem, ...]
    before: int | None


def page(user_id: int, kind: str = "", before: int | None = None) -> InboxPage:
    """Return a page of a person's items, of one kind or all, older than `before`. One query."""
    items = _readable(InboxItem.objects.filter(user_id=user_id))
    if kind:
        items = items.filter(kind=kind)
    if before is not None:
        items = items.filter(pk__lt=before)
    size = settings.PAGE_SIZE
    found = tuple(items.order_by("-pk")[: size + 1])
    more = len(found) > size
    return InboxPage(found[:size], found[size - 1].pk if more else None)


def find(user_id: int, item_id: int) -> InboxItem | None:
    """Return one item of a person. One query."""
    return _readable(InboxItem.objects.filter(user_id=user_id)).filter(pk=item_id).first()


def _readable(items: QuerySet[InboxItem]) -> QuerySet[InboxItem]:
    return items.select_related("actor", "post", "comment")


def tabs(kind: str, unread: dict[str, int]) -> list[dict[str, Any]]:
    """Return the tabs of the inbox with what is unread in each."""
    counts = {"": sum(unread.values()), **unread}
    return [
        {"kind": str(name), "label": label, "unread": counts.get(name, 0), "current": name == kind}
        for name, label in TABS.items()
    ]

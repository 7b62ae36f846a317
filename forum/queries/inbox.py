"""Reads a person's inbox, newest items first."""

from dataclasses import dataclass
from datetime import datetime
from itertools import starmap
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import FilteredRelation, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from forum.models import InboxItem, Post
from forum.models.inbox import sentence
from forum.models.managers import KEEP_TITLE, TEXTS
from forum.queries.keyset import newest_below

Kind = InboxItem.Kind
COLUMNS = (
    *("pk", "kind", "actor__username", "text", "created_at", "read_at"),
    *("post_id", "post__title", "post__kind", "post__deleted_at"),
    *("comment_id", "comment__body_html", "comment__deleted_at", "comment__is_answer"),
    *("comment__parent_id", "conversation__group__title", "own_watch__on", "own_watch__muted"),
    *("post__withheld", "post__withheld_by__is_private"),
)
"""The columns of an `InboxRow`."""
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
class InboxPage:
    """A page of inbox items.

    The next page has ids below `before`, which is None on the last page.
    """

    items: tuple[InboxItem, ...]
    before: int | None


class InboxRow(NamedTuple):
    """An inbox item, with what the inbox shows about it."""

    id: int
    kind: str
    actor: str
    text: str
    created_at: datetime
    read_at: datetime | None
    post_id: int | None
    post_title: str
    post_kind: str
    post_deleted_at: datetime | None
    comment_id: int | None
    comment_html: str
    comment_deleted_at: datetime | None
    is_answer: bool
    parent_id: int | None
    group: str
    """The title of the group whose moderators wrote the item; "" for the site's moderators."""
    watched: bool
    """Whether the owner of the inbox watches the post."""
    muted: bool
    """Whether the owner of the inbox has muted replies in the thread."""
    withheld: str
    """Why moderation hides the post; "" if it doesn't."""
    is_private: bool
    """Whether the moderation action that hides the post is private."""

    @property
    def sentence(self) -> str:
        """Return the notification as a sentence in the active language."""
        on_post = self.comment_id is not None and self.parent_id is None
        return sentence(
            Kind(self.kind),
            self.actor,
            self.text,
            self.group,
            is_answer=bool(self.is_answer),
            is_on_question=on_post and self.post_kind == Post.Kind.QUESTION,
        )

    @property
    def is_from_moderators(self) -> bool:
        """Whether moderators wrote the item. If so, its owner must never see the `actor`."""
        return self.kind in {Kind.MODERATOR, Kind.FLAG}

    @property
    def names_removed_post(self) -> bool:
        """Whether the item is about a flag on a post that was removed, but not in private."""
        return self.kind == Kind.FLAG and self.withheld in KEEP_TITLE and not self.is_private

    @property
    def can_be_replied_to(self) -> bool:
        """Return whether the item is about a visible comment."""
        return self.comment_id is not None and not (self.comment_deleted_at or self.post_deleted_at)


@dataclass(frozen=True, slots=True)
class InboxThreads:
    """A page of inbox items, grouped by post. The post with the newest item comes first.

    Items that aren't about a visible post stand alone. The next page has ids below `before`, which
    is None on the last page.
    """

    threads: tuple[tuple[InboxRow, ...], ...]
    before: int | None


def page(user_id: int, before: int | None = None) -> InboxPage:
    """Return a page of a person's inbox: items with ids below `before`. One query."""
    items = _joined(user_id).defer("post__search_text", "comment__search_text")
    return InboxPage(*newest_below(items, before))


def threads(user_id: int, kind: str = "", before: int | None = None) -> InboxThreads:
    """Return a page of a person's inbox, by thread: items with ids below `before`. One query.

    Lists only items of one `kind`; "" lists all kinds.
    """
    size = settings.PAGE_SIZE
    own = FilteredRelation("post__watches", condition=Q(post__watches__user=user_id))
    items = InboxItem.objects.filter(user_id=user_id).annotate(own_watch=own)
    if kind:
        items = items.filter(kind=kind)
    if before is not None:
        items = items.filter(pk__lt=before)
    values = items.order_by("-pk").values_list(*COLUMNS)
    rows = [*starmap(InboxRow, values[: size + 1])]
    together: dict[tuple[str, int], list[InboxRow]] = {}
    for row in rows[:size]:
        about = ("post", row.post_id) if row.post_id and not row.post_deleted_at else ("", row.id)
        together.setdefault(about, []).append(row)
    grouped = tuple(tuple(some) for some in together.values())
    return InboxThreads(grouped, rows[size - 1].id if len(rows) > size else None)


def find(user_id: int, item_id: int) -> InboxItem | None:
    """Return one item of a person's inbox, or None. One query."""
    unused = (*(f"post__{name}" for name in TEXTS), "comment__search_text")
    return _joined(user_id).defer(*unused).filter(pk=item_id).first()


def _joined(user_id: int) -> QuerySet[InboxItem]:
    items = InboxItem.objects.filter(user_id=user_id)
    return items.select_related("actor", "post", "comment", "conversation__group")


def tabs(kind: str, unread: dict[str, int]) -> list[dict[str, Any]]:
    """Return the tabs of the inbox page, with their unread counts. `kind` is the current tab."""
    counts = {"": sum(unread.values()), **unread}
    return [
        {"kind": str(name), "label": label, "unread": counts.get(name, 0), "current": name == kind}
        for name, label in TABS.items()
    ]

"""Reads the content of digest emails: unread inbox items and the best posts."""

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q

from forum.config.hidden_scores import is_hidden
from forum.models import Block, HiddenGroup, InboxItem, Mark, Post, User
from forum.queries.listings import listing
from forum.store import post_cards
from voting.types import Hiding, Order

ITEMS, POSTS = 20, 10
"""The most inbox items, and the most posts, in one digest."""
ORDERS = {User.Digest.DAILY: Order.TOP_DAY, User.Digest.WEEKLY: Order.TOP_WEEK}


def unread_items(person: User, since: datetime) -> list[InboxItem]:
    """Return a person's unread inbox items since a certain time, newest first. One query.

    Leaves out items from people whom the person blocks, and items about hidden posts and about
    posts in hidden groups. Messages from moderators are always included.
    """
    posts = Post.groups.through.objects.filter(post_id=OuterRef("post_id"))
    hidden_groups = HiddenGroup.objects.filter(user=person).values("group")
    unwanted = Q(actor__in=Block.objects.filter(user=person).values("blocked"))
    unwanted |= Q(post__in=_hidden_posts(person).values("post"))
    unwanted |= Q(Exists(posts.filter(group_id__in=hidden_groups)))
    items = InboxItem.objects.filter(user=person, read_at=None, created_at__gt=since)
    wanted = items.filter(Q(kind=InboxItem.Kind.MODERATOR) | ~unwanted)
    visible = wanted.filter(comment__deleted_at=None, post__deleted_at=None)
    shown = visible.select_related("actor", "post", "comment__post", "conversation__group")
    return list(shown.order_by("-pk")[:ITEMS])


def best_posts(person: User) -> list[dict[str, Any]]:
    """Return the best posts for a person's digest.

    A daily digest has the best posts of the last day, a weekly digest those of the last week.
    Leaves out posts that the person read or hid, posts in groups that the person hides, and posts
    by people whom the person blocks. One round trip and three queries. While Redis is unavailable,
    returns the newest posts instead.
    """
    order = ORDERS[User.Digest(person.digest)]
    rows = listing(order, 1, viewer_id=person.pk, hiding=Hiding(read=True)).page.rows
    hidden = set(_hidden_posts(person).values_list("post_id", flat=True))
    groups = set(HiddenGroup.objects.filter(user=person).values_list("group__slug", flat=True))
    blocked = set(Block.objects.filter(user=person).values_list("blocked__username", flat=True))
    visible = (row for row in rows if row.id not in hidden and groups.isdisjoint(row.groups))
    shown = ((row, post_cards.unpack(row.card)) for row in visible)
    posts = [(row, card) for row, card in shown if card.author not in blocked]
    return [
        {"id": row.id, "points": None if is_hidden(row.posted_at) else row.points, "card": card}
        for row, card in posts[:POSTS]
    ]


def _hidden_posts(person: User) -> Any:
    return Mark.objects.filter(user=person, kind=Mark.Kind.HIDDEN)

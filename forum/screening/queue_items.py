"""Opens and decides items of the moderation queue."""

from typing import Any

from django.db.models import Q
from django.utils import timezone

from forum.models import Comment, Flag, Group, ModAction, Post, QueueItem, User
from forum.screening.action_log import Target


def open_item(target: Target, kind: QueueItem.Kind) -> QueueItem:
    """Return the open item of a target; create it, for the moderators of its groups, if needed.

    Call it in a transaction that has locked the target's post, or person. An item that was flagged
    becomes one that is held. Three queries at most.
    """
    item, created = QueueItem.objects.get_or_create(
        decided_at=None, **_about(target), defaults={"kind": kind}
    )
    if created and not isinstance(target, User):
        item.groups.set(groups_of(target))
    if kind == QueueItem.Kind.HELD and item.kind != kind:
        item.kind = kind
        item.save(update_fields=["kind"])
    return item


def decide(target: Target, action: ModAction, *, agreed: bool) -> QueueItem | None:
    """Close the open item of a target, if there is one, as decided by an action.

    `agreed` says whether the moderators agreed with the flags. Two queries.
    """
    item = open_item_of(target)
    if item is not None:
        item.decided_at, item.decided_by, item.decision = timezone.now(), action.by, action
        item.save(update_fields=["decided_at", "decided_by", "decision"])
        outcome = Flag.Outcome.AGREED if agreed else Flag.Outcome.DISAGREED
        item.flags.update(outcome=outcome)
    return item


def reopen(action: ModAction) -> None:
    """Open the item that an action decided again, since the action is undone.

    It stays decided if the target has another open item by now. Three queries.
    """
    for item in QueueItem.objects.filter(decision=action):
        same = {name: getattr(item, f"{name}_id") for name in ("post", "comment", "person")}
        if not QueueItem.objects.filter(decided_at=None, **same).exists():
            item.decided_at = item.decided_by = item.decision = None
            item.save(update_fields=["decided_at", "decided_by", "decision"])
            item.flags.update(outcome=Flag.Outcome.OPEN)


def open_item_of(target: Target) -> QueueItem | None:
    """Return the open item of a target, locked; None if there is none. One query."""
    waiting = QueueItem.objects.select_for_update(no_key=True, of=("self",))
    return waiting.filter(decided_at=None, **_about(target)).first()


def last_decision(target: Target) -> ModAction | None:
    """Return the action that decided a target's newest item; None if there is none. One query."""
    decided = QueueItem.objects.filter(~Q(decided_at=None), **_about(target))
    item = decided.select_related("decision__by").order_by("-pk").first()
    return item.decision if item else None


def groups_of(target: Post | Comment) -> list[Group]:
    """Return the groups that a post, or a comment's post, is in. One query."""
    post_id = target.post_id if isinstance(target, Comment) else target.pk
    return list(Group.objects.filter(posts=post_id))


def _about(target: Target) -> dict[str, Any]:
    """Return the values of an item's fields that say what it is about."""
    about: dict[str, Any] = {"post": None, "comment": None, "person": None}
    name = {Post: "post", Comment: "comment", User: "person"}[type(target)]
    return about | {name: target}

"""Opens items of the moderation queue, adds flags to them, and closes them with a decision.

Call these functions in a transaction that has locked the target. The target is a post, the post of
a comment, or a person.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, Sum
from django.utils import timezone

from forum.actions import notifications
from forum.actions.action_log import Target
from forum.identity import roles
from forum.models import Comment, Flag, Group, ModAction, Post, QueueItem, QueuePlace, User
from forum.queries.queue import FLAGGED


def open_item(target: Target, kind: QueueItem.Kind) -> QueueItem:
    """Return the open queue item about a post, comment or person, or create one.

    A new item about a post or comment enters the queues of the post's governing groups. If `kind`
    is HELD and an item is already open because of flags, that item becomes HELD.
    """
    item, created = QueueItem.objects.get_or_create(
        decided_at=None, **_about(target), defaults={"kind": kind}
    )
    if created and not isinstance(target, User):
        _set_places(item, groups_of(target))
    if kind == QueueItem.Kind.HELD and item.kind != kind:
        item.kind = kind
        item.save(update_fields=["kind"])
        item.places.update(kind=kind)
    return item


def add_flag(
    target: Target,
    *,
    by: User | None,
    kind: Flag.Kind,
    weight: float,
    words: str = "",
    to_admins: bool = False,
    from_moderator: bool = False,
) -> QueueItem:
    """Flag a post, comment or person; return its queue item.

    `by` is None if an automatic rule flags the target. A person's new flag replaces the person's
    earlier flag. `from_moderator` says whether the person moderates the target.
    """
    flagged = QueueItem.Kind.PERSON if isinstance(target, User) else QueueItem.Kind.FLAGGED
    item = open_item(target, flagged)
    values = {"kind": kind, "words": words, "weight": weight, "to_admins": to_admins}
    values["from_moderator"] = from_moderator
    if by is None:
        Flag.objects.create(item=item, user=None, **values)
    else:
        Flag.objects.update_or_create(item=item, user=by, defaults=values)
    weigh(item)
    return item


def remove_flag(flag: Flag) -> None:
    """Delete an open flag, and its queue item if nothing else keeps the item open.

    The item stays open if it has another flag, or if its post or comment is held for approval.
    """
    item = flag.item
    flag.delete()
    if item.kind in FLAGGED and not item.flags.exists():
        item.delete()
    else:
        weigh(item)


def weigh(item: QueueItem) -> None:
    """Set the weight of a queue item to the sum of its flags' weights."""
    sums = item.flags.aggregate(
        of_all=Sum("weight"), for_groups=Sum("weight", filter=Q(to_admins=False))
    )
    item.weight, item.group_weight = sums["of_all"] or 0, sums["for_groups"] or 0
    item.save(update_fields=["weight", "group_weight"])
    item.places.update(weight=item.group_weight)


def decide(target: Target, action: ModAction, *, agreed: bool | None) -> QueueItem | None:
    """Close the open queue item of a post, comment or person, and return it; None if there is none.

    `action` is saved as the decision.

    `agreed` says whether the moderators agreed with the flags, and is None if they didn't judge the
    flags. The people who flagged are notified.
    """
    item = open_item_of(target)
    if item is not None:
        _close(item, action)
        if agreed is not None:
            outcome = Flag.Outcome.AGREED if agreed else Flag.Outcome.DISAGREED
            item.flags.update(outcome=outcome)
        notifications.flags_decided(item, action.by, agreed=agreed)
    return item


def _close(item: QueueItem, action: ModAction | None) -> None:
    """Close a queue item that `action` decided, or reopen it if `action` is None."""
    item.decision, item.decided_by = action, action.by if action else None
    item.decided_at = timezone.now() if action else None
    item.save(update_fields=["decided_at", "decided_by", "decision"])
    item.places.update(decided_at=item.decided_at)


def reopen(action: ModAction) -> None:
    """Reopen the queue items that an action closed, after the action was undone.

    An item stays closed if its post, comment or person has another open item.
    """
    for item in QueueItem.objects.filter(decision=action):
        same = {name: getattr(item, f"{name}_id") for name in ("post", "comment", "person")}
        if not QueueItem.objects.filter(decided_at=None, **same).exists():
            notifications.flags_reopened(item)
            _close(item, None)
            if text := item.comment or item.post:
                _move(item, groups_of(text))  # they may have changed while the item was closed
            item.flags.update(outcome=Flag.Outcome.OPEN)


def move(post: Post) -> None:
    """Move the open items of a post and its comments to the queues of the governing groups.

    Call this after the groups of a post have changed.
    """
    about = Q(post=post) | Q(comment__post=post)
    open_items = list(QueueItem.objects.filter(about, decided_at=None))
    groups = groups_of(post) if open_items else []
    for item in open_items:
        _move(item, groups)


def _move(item: QueueItem, groups: Sequence[Group]) -> None:
    """Move an open queue item to the queues of these groups."""
    item.places.exclude(group__in=groups).delete()
    _set_places(item, groups)


def _set_places(item: QueueItem, groups: Sequence[Group]) -> None:
    """Add an open queue item to the queues of these groups."""
    places = (
        QueuePlace(item=item, group=group, kind=item.kind, weight=item.group_weight)
        for group in groups
    )
    QueuePlace.objects.bulk_create(places, ignore_conflicts=True)


def is_waiting(target: Target) -> bool:
    """Return whether a post, comment or person has an open queue item. Takes no lock."""
    return QueueItem.objects.filter(decided_at=None, **_about(target)).exists()


def open_item_of(target: Target) -> QueueItem | None:
    """Lock and return the open queue item of a post, comment or person, or None."""
    waiting = QueueItem.objects.select_for_update(no_key=True, of=("self",))
    return waiting.filter(decided_at=None, **_about(target)).first()


def last_decision(target: Target) -> ModAction | None:
    """Return the last decision about a post, comment or person, or None."""
    decided = QueueItem.objects.filter(~Q(decided_at=None), **_about(target))
    item = decided.select_related("decision__by").order_by("-decided_at").first()
    return item.decision if item else None


def decided_since_edit(text: Post | Comment) -> bool:
    """Return whether moderators decided about a visible post or comment since its last edit."""
    decided = last_decision(text)
    return bool(decided and not (text.edited_at and text.edited_at > decided.created_at))


def groups_of(target: Post | Comment) -> list[Group]:
    """Return the governing groups of a post, or of the post that a comment is on."""
    post_id = target.post_id if isinstance(target, Comment) else target.pk
    return list(roles.governing_groups(post_id))


def _about(target: Target) -> dict[str, Any]:
    """Return a queue item's fields `post`, `comment` and `person`, of which one is set."""
    about: dict[str, Any] = {"post": None, "comment": None, "person": None}
    name = {Post: "post", Comment: "comment", User: "person"}[type(target)]
    return about | {name: target}

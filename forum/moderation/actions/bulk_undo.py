"""Undoes the parts of bulk actions in batches."""

from collections.abc import Iterable

from django.utils import timezone

from forum.actions import group_changes, queue_items, visibility
from forum.actions import posts as post_actions
from forum.actions.notices import notify_undone
from forum.errors import Invalid
from forum.models import ModAction, QueueItem
from forum.moderation.actions import decisions, removals, restorations
from forum.moderation.actions.bulk_state import Details

Kind = ModAction.Kind
PARTS = 50
"""The most parts of a bulk action that one batch undoes."""
NEWEST = 2**62
"""An id higher than the id of any part."""


def undo_taking_out(part: ModAction) -> None:
    """Put a post back into the group from which a bulk action removed it."""
    if part.post and part.group:
        groups = {*part.post.groups.all(), part.group}
        post_actions.regroup(part.post, sorted(groups, key=lambda group: group.pk))
        group_changes.restore(part.post, part.details.get("group_changes", ()))


def undo_some(action: ModAction) -> bool:
    """Undo the next batch of parts, latest first. Return whether there may be more."""
    details: Details = action.details
    restores = action.kind == Kind.RESTORE_FLAGGED
    most = restorations.BATCH if restores else PARTS
    parts = ModAction.objects.select_for_update(no_key=True, of=("self",)).filter(parent=action)
    parts = parts.filter(undone_at=None, pk__lt=details.get("part", NEWEST)).order_by("-pk")
    some = list(parts.select_related("group", "post__author", "comment__post")[:most])
    released = _release_comments(some)
    undone = [part for part in some if part.comment_id in released or _undo_part(part)]
    pks = [part.pk for part in undone]
    done = ModAction.objects.filter(pk__in=pks)
    done.update(undone_at=timezone.now(), undone_by=action.undone_by)
    for part in done.filter(pk__in=QueueItem.objects.filter(decision__in=pks).values("decision")):
        queue_items.reopen(part)
    for part in undone if restores else ():
        part.parent, part.undone_by = action, action.undone_by
        notify_undone(part)
    details["undone"] += len(some)
    if len(some) < most:
        details["undone"] = details["to_undo"]
        return False
    details["part"] = some[-1].pk
    return True


def _undo_part(part: ModAction) -> bool:
    """Undo a part. Return False if moderators removed the post or comment after it was restored."""
    try:
        if part.kind == Kind.TAKE_OUT:
            undo_taking_out(part)
        elif part.kind == Kind.DISMISS:
            decisions.undo_decision(part)
        else:
            removals.undo_removal(part)
    except Invalid:
        return False
    return True


def _release_comments(parts: Iterable[ModAction]) -> set[int]:
    """Show removed comments again if they were visible before their removal.

    Returns the ids of the comments that are shown again.
    """
    plain = {part.comment_id: part for part in parts if part.comment_id and _was_shown(part)}
    comments = visibility.lock_comments(plain)
    removed = [one for one in comments if one.withheld_by_id == plain[one.pk].pk]
    accepted = {one.pk for one in removed if plain[one.pk].details.get("accepted")}
    if removed:
        visibility.release_comments(removed, accepted)
    return {one.pk for one in removed}


def _was_shown(part: ModAction) -> bool:
    return part.kind == Kind.REMOVE and "withheld" not in part.details

"""Writes entries of the moderation log."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from forum.models import Comment, Group, LogPlace, ModAction, Post, Rule, User

Target = Post | Comment | User
"""A post, comment or person that people can flag and moderators can act on."""


def record(
    kind: ModAction.Kind,
    target: Target | None,
    *,
    by: User | None,
    group: Group | None = None,
    rule: Rule | None = None,
    reason: str = "",
    is_private: bool = False,
    until: datetime | None = None,
    parent: ModAction | None = None,
    details: Mapping[str, Any] | None = None,
) -> ModAction:
    """Write an entry about `target` in the moderation log, and return it.

    `target` is a post, comment or person, or None. `by` is None if an automatic rule or the site
    itself acted. `details` is the data that undoing the action needs. Call this function in the
    transaction that does the action.
    """
    action = ModAction.objects.create(
        kind=kind,
        by=by,
        group=group,
        rule=rule,
        reason=reason,
        is_private=is_private,
        until=until,
        parent=parent,
        details=dict(details or {}),
        **target_fields(target),
    )
    if parent is None:
        add_to_groups(action, {action.post_id} if action.post_id else ())
    return action


def add_to_groups(
    action: ModAction, post_ids: Collection[int], *, group_ids: Collection[int] = ()
) -> None:
    """Add an action to the moderation logs of its own group and of all groups of these posts.

    `group_ids` are further groups, such as those that a post has just left. Safe to repeat.
    """
    places = {*group_ids, *([action.group_id] if action.group_id else ())}
    if post_ids:
        places.update(Group.objects.filter(posts__in=post_ids).values_list("pk", flat=True))
    entries = (
        LogPlace(action=action, group_id=group_id, kind=action.kind, by_id=action.by_id)
        for group_id in sorted(places)
    )
    LogPlace.objects.bulk_create(entries, ignore_conflicts=True)


def target_fields(target: Target | None) -> dict[str, Any]:
    """Return the fields of a moderation action that name its post, comment and person."""
    if isinstance(target, Comment):
        return {"post_id": target.post_id, "comment": target, "person_id": target.author_id}
    if isinstance(target, Post):
        return {"post": target, "person_id": target.author_id}
    return {"person": target}

"""Writes entries of the moderation log."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from forum.models import Comment, Group, ModAction, Post, Rule, User

Target = Post | Comment | User
"""What people flag and moderators act on."""


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
    """Write an entry of the moderation log about a target, and return it. One query.

    `by` is None if a rule or the site itself acted. `details` is what undoing the action needs.
    Call it in the transaction of the action.
    """
    return ModAction.objects.create(
        kind=kind,
        by=by,
        group=group,
        rule=rule,
        reason=reason,
        is_private=is_private,
        until=until,
        parent=parent,
        details=dict(details or {}),
        **places(target),
    )


def places(target: Target | None) -> dict[str, Any]:
    """Return the fields `post`, `comment` and `person` of an action about a target."""
    if isinstance(target, Comment):
        return {"post_id": target.post_id, "comment": target, "person_id": target.author_id}
    if isinstance(target, Post):
        return {"post": target, "person_id": target.author_id}
    return {"person": target}

"""Logs what moderators change in other people's posts, and notifies the authors."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet, prefetch_related_objects

from forum.actions import edit_conflicts, group_changes
from forum.actions.action_log import add_to_groups, record
from forum.actions.notices import notify
from forum.identity import roles
from forum.models import Group, ModAction, Post, User

WORDS = ("title", "body", "url")
"""The fields of a post that are part of its edit history."""
BATCH = 500
"""The most log entries that are changed at once."""


@dataclass(frozen=True, slots=True)
class Before:
    """The state of a post before a moderator edits it."""

    by: User
    group: Group | None
    """The group whose moderator makes the edit; None for site moderators."""
    details: dict[str, Any]
    """The data that undoing the edit needs."""


def editor(post: Post, by: User | None) -> User | None:
    """Return the moderator who changes a post; None if the author or the site changes it."""
    return by if by is not None and by.pk != post.author_id else None


def before_edit(current: Post, by: User | None) -> Before | None:
    """Return a post's current state for `log_edit`; None if no moderator makes the edit."""
    moderator = editor(current, by)
    if moderator is None:
        return None
    prefetch_related_objects([current], "groups")
    edited_at = current.edited_at
    details = {
        "title": current.title,
        "body": current.body,
        "url": current.url,
        "groups": [group.pk for group in current.groups.all()],
        "group_changes": group_changes.rows_of(current),
        "edited_at": edited_at.isoformat() if edited_at else None,
    }
    return Before(moderator, roles.acting_group(moderator, current), details)


def log_edit(post: Post, before: Before | None, reason: str) -> ModAction | None:
    """Log that a moderator changed a post, and notify the author.

    Call this after the change, in the same transaction. `before` is what `before_edit` returned; if
    it is None, this does nothing. The log entry says whether the text changed and, if the post was
    moved, to which groups.
    """
    if before is None:
        return None
    fresh = Post.objects.prefetch_related("groups").get(pk=post.pk)
    groups, details = fresh.groups.all(), before.details
    details["after"] = edit_conflicts.fingerprint(fresh)
    details["reworded"] = any(details[name] != getattr(fresh, name) for name in WORDS)
    if not details["reworded"]:
        details = _without_text(details)
    if {group.pk for group in groups} != set(details["groups"]):
        details["moved_to"] = sorted(group.title for group in groups)
    action = record(
        ModAction.Kind.EDIT,
        post,
        by=before.by,
        group=before.group,
        reason=reason,
        details=details,
    )
    add_to_groups(action, (), group_ids=details["groups"])
    notify(action)
    return action


def has_lost_text(action: ModAction) -> bool:
    """Return whether an edit can't be undone, because the text before it is no longer stored."""
    details = action.details
    return action.kind == ModAction.Kind.EDIT and details["reworded"] and "body" not in details


def forget_texts(actions: "QuerySet[ModAction]") -> None:
    """Delete the earlier texts of posts from the log entries of edits. The entries stay."""
    edits = actions.filter(kind=ModAction.Kind.EDIT, details__has_key="body").order_by("pk")
    while some := list(edits[:BATCH]):
        for action in some:
            action.details = _without_text(action.details)
        ModAction.objects.bulk_update(some, ["details"])


def _without_text(details: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in details.items() if name not in WORDS}

"""Log what moderators change in other people's posts, and notify the author."""

from typing import Any

from forum import permissions
from forum.content import edit_conflicts
from forum.models import ModAction, Post, User
from forum.screening.action_log import record
from forum.screening.notices import notify


def editor(post: Post, by: User | None) -> User | None:
    """Return the moderator who changes a post; None if its author or the site does."""
    return by if by is not None and by.pk != post.author_id else None


def before_edit(current: Post, by: User | None) -> dict[str, Any]:
    """Return what undoing a moderator's edit needs to know of a post's present row.

    One query; none if a moderator isn't the editor.
    """
    if editor(current, by) is None:
        return {}
    edited_at = current.edited_at
    return {
        "title": current.title,
        "body": current.body,
        "url": current.url,
        "groups": [group.pk for group in current.groups.all()],
        "edited_at": edited_at.isoformat() if edited_at else None,
    }


def log_edit(post: Post, by: User | None, before: dict[str, Any], reason: str) -> None:
    """Log that a moderator changed a post, and notify its author.

    Call it in the transaction of the change, after it. No query if the author made the change.
    """
    moderator = editor(post, by)
    if moderator is None:
        return
    fresh = Post.objects.prefetch_related("groups").get(pk=post.pk)
    action = record(
        ModAction.Kind.EDIT,
        post,
        by=moderator,
        group=permissions.acting_group(moderator, post),
        reason=reason,
        details=before | {"after": edit_conflicts.fingerprint(fresh)},
    )
    notify(action)

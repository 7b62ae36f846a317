"""What an entry of the log shows, and to whom.

Everybody sees every action. Of a private one, only the person concerned and moderators see what and
whom it is about. The title of a post is shown only while readers may know it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from forum.models import ModAction, Post, User, Withheld
from forum.models.powers import NO_POWERS, Powers
from forum.moderation.actions import bulk, undo
from forum.moderation.actions.bulk import Progress
from forum.screening import names
from forum.screening.policy import policy

PUBLIC = (Withheld.REMOVED, Withheld.MERGED)
"""States of posts that readers can't see, but whose titles they may know."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who reads the log; without an id, a guest."""

    id: int | None = None
    powers: Powers = NO_POWERS

    @property
    def sees_moderators(self) -> bool:
        """Return whether they read who acted, not just of which group the moderator was."""
        return policy.get().names_moderators or self.powers.reads_queue

    def moderates(self, action: ModAction) -> bool:
        """Return whether they read everything about an action, as a moderator or auditor."""
        return self.powers.reads_everything or action.group_id in self.powers.group_ids

    def knows(self, action: ModAction) -> bool:
        """Return whether they may know what and whom an action is about."""
        return not action.is_private or self.id == action.person_id or self.moderates(action)

    def knows_title(self, action: ModAction, post: Post) -> bool:
        """Return whether they may know the title of an action's post."""
        return self.knows(action) and (
            _is_public(post) or self.id == post.author_id or self.moderates(action)
        )


def _is_public(post: Post) -> bool:
    """Return whether everybody may know a post's title. Reads the action that withheld the post."""
    if post.deleted_at is None:
        return True
    is_private = post.withheld_by is not None and post.withheld_by.is_private
    return post.withheld in PUBLIC and not is_private


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An action as a reader sees it."""

    action: ModAction
    name: str
    """The name of the moderator or rule that acted."""
    target: str
    """What it is about; "" if it is about a person or a group."""
    address: str
    """The URL of the target; "" if the reader may not know it."""
    person: User | None
    """The person concerned; None if there is none, or the reader may not know them."""
    is_secret: bool
    """Whether the reader may not know what and whom it is about."""
    may_undo: bool
    parts: tuple["LogEntry", ...]
    """The newest parts of a bulk action."""
    progress: Progress | None
    """How far a bulk action is."""


def entry(action: ModAction, reader: Reader, parts: Iterable[LogEntry] = ()) -> LogEntry:
    """Return an action as a reader sees it. No query, if the relations are loaded."""
    known, is_bulk = reader.knows(action), action.kind == ModAction.Kind.REMOVE_ALL
    target, address = _target(action, reader)
    return LogEntry(
        action,
        name=names.full_name(action) if reader.sees_moderators else names.public_name(action),
        target=target,
        address=address,
        person=action.person if known else None,
        is_secret=not known,
        may_undo=undo.may_undo(reader.powers, User(pk=reader.id), action),
        parts=tuple(parts),
        progress=bulk.progress(action) if is_bulk else None,
    )


def _target(action: ModAction, reader: Reader) -> tuple[str, str]:
    """Return what an action is about, and the URL of that; "" for what the reader may not know."""
    post = action.post
    if post is None:
        return "", ""
    shows_title = reader.knows_title(action, post)
    if action.comment is None:
        return (post.title, post.get_absolute_url()) if shows_title else (_("a post"), "")
    if not shows_title:
        return _("a comment"), ""
    address = reverse("comment", args=[action.comment.post_id, action.comment.pk])
    return _("a comment on “%(title)s”") % {"title": post.title}, address

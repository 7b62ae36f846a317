"""Decides what each reader sees of an entry in the moderation log.

Everybody sees that an action happened. If the action is private, only the person concerned and
moderators see its target. If a post was deleted, or waits for a moderator's decision, its title is
shown only to its author and moderators.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions import names
from forum.actions.policy import policy
from forum.models import ModAction, Post, User
from forum.models.managers import KEEP_TITLE
from forum.models.powers import NO_POWERS, Powers
from forum.moderation.actions import bulk, undo
from forum.moderation.actions.bulk_state import Progress, progress


@dataclass(frozen=True, slots=True)
class Reader:
    """A viewer of the log. If the viewer is a guest, `id` is None."""

    id: int | None = None
    powers: Powers = NO_POWERS

    @property
    def sees_moderators(self) -> bool:
        """Whether the reader sees moderators' names, and not only the names of their groups."""
        return policy.get().names_moderators or self.powers.reads_queue

    def moderates(self, action: ModAction) -> bool:
        """Return whether the reader sees all details of an action, as a moderator or auditor."""
        return self.powers.reads_everything or action.group_id in self.powers.group_ids

    def knows(self, action: ModAction) -> bool:
        """Return whether the reader is allowed to know what or whom an action is about."""
        return not action.is_private or self.id == action.person_id or self.moderates(action)

    def knows_title(self, action: ModAction, post: Post) -> bool:
        """Return whether the reader may know the title of the post that an action is about."""
        return self.knows(action) and (
            _is_public(post) or self.id == post.author_id or self.moderates(action)
        )


def _is_public(post: Post) -> bool:
    """Return whether everybody may know a post's title."""
    if post.deleted_at is None:
        return True
    is_private = post.withheld_by is not None and post.withheld_by.is_private
    return post.withheld in KEEP_TITLE and not is_private


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An action in the log, as one reader sees it."""

    action: ModAction
    name: str
    """The name of the moderator or rule that acted."""
    target: str
    """The post or comment in words, or "" if the action is about a person or group."""
    address: str
    """The URL of the post or comment, or "" if the reader may not know the URL."""
    person: User | None
    """The person concerned. None if there is no such person or the reader may not know them."""
    is_secret: bool
    """Whether the action is private and the reader may not know its target."""
    may_undo: bool
    parts: tuple["LogEntry", ...]
    """For a bulk action, the newest entries of its single removals."""
    progress: Progress | None
    """The progress of a bulk action. None for other actions."""


def entry(action: ModAction, reader: Reader, parts: Iterable[LogEntry] = ()) -> LogEntry:
    """Return an action as a reader sees it."""
    known, is_bulk = reader.knows(action), action.kind in bulk.BULK
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
        progress=progress(action) if is_bulk else None,
    )


def _target(action: ModAction, reader: Reader) -> tuple[str, str]:
    """Return a description of an action's target, such as the post's title, and the target's URL.

    Both are "" if the action isn't about a post or comment. If the title is secret from the reader,
    or no longer stored, the description is "a post" or "a comment", and the URL is "".
    """
    post = action.post
    if post is None:
        return "", ""
    shows_title = bool(post.title) and reader.knows_title(action, post)
    if action.comment is None:
        return (post.title, post.get_absolute_url()) if shows_title else (_("a post"), "")
    if not shows_title:
        return _("a comment"), ""
    address = reverse("comment", args=[action.comment.post_id, action.comment.pk])
    return _("a comment on “%(title)s”") % {"title": post.title}, address

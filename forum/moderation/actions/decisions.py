"""Decisions that remove nothing: approving posts and comments, and dismissing flags."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.actions import notifications, queue_items, visibility
from forum.actions.action_log import Target, record
from forum.actions.notices import notify
from forum.actions.visibility import Content
from forum.errors import AlreadyDecided, Invalid
from forum.identity import permissions, roles
from forum.ledger import vote_value
from forum.models import Comment, ModAction, Post, QueueItem, User, Withheld
from forum.moderation.actions import scope
from forum.queries.people import find_names
from forum.text import markup

Kind = ModAction.Kind


@transaction.atomic
def approve(text: Content, *, by: User, reason: str = "") -> ModAction:
    """Approve a post or comment that waits for a moderator's decision, so that readers see it.

    If readers never saw it before, its notifications are sent now, and a post's posting time
    becomes the current time. Raises Forbidden if `by` is the author or doesn't moderate the post.
    Raises AlreadyDecided if the post or comment no longer waits for approval.
    """
    powers = roles.require_moderator(by, scope.post_of(text))
    permissions.require_uninvolved(powers, by, text.author_id)
    visibility.lock(text)
    if text.withheld not in {Withheld.HELD, Withheld.HIDDEN}:
        raise AlreadyDecided(queue_items.last_decision(text))
    is_first = text.withheld == Withheld.HELD and not _was_approved(text)
    action = record(
        Kind.APPROVE,
        text,
        by=by,
        group=roles.acting_group(by, scope.post_of(text)),
        reason=reason,
        details=scope.state_of(text),
    )
    if is_first and isinstance(text, Post):
        _post_now(text)
    visibility.release(text, accepted=visibility.was_accepted(text))
    if is_first:
        _notify_others(text)
    queue_items.decide(text, action, agreed=False)
    notify(action)
    return action


def _was_approved(text: Content) -> bool:
    about = {"comment": text} if isinstance(text, Comment) else {"post": text, "comment": None}
    return ModAction.objects.filter(kind=Kind.APPROVE, **about).exists()


def _post_now(post: Post) -> None:
    """Set a post's posting time to the current time, so that the post starts at the top of New."""
    post.created_at = timezone.now().replace(microsecond=0)
    post.score = vote_value.scoring()(post.posted_at, post.points)
    post.save(update_fields=["created_at", "score"])


def _notify_others(text: Content) -> None:
    """Send the notifications about a post or comment that weren't sent while it was held."""
    names = markup.read(text.body, find_names).notified
    if isinstance(text, Comment):
        notifications.comment_written(text, names)
    else:
        notifications.mentions_written(text, names)


@transaction.atomic
def dismiss(
    target: Target, *, by: User, reason: str = "", parent: ModAction | None = None
) -> ModAction:
    """Decide that a flagged post, comment or person breaks no rule.

    `parent` is the bulk action, if any.

    If the target was hidden, it is visible again. The flags count as wrong, so later flags by
    the same people weigh less. If the author has deleted the target, nobody's flags lose weight.
    Raises Forbidden if `by` is the target or its author, or doesn't moderate it. Raises
    AlreadyDecided if the target has no open flags. Raises Invalid if the target is a person whose
    application to join is undecided.
    """
    if isinstance(target, User):
        powers = roles.require_moderator_of(by, None)
        permissions.require_uninvolved(powers, by, target.pk)
        _require_open(target)
        action = record(Kind.DISMISS, target, by=by, reason=reason, parent=parent)
    else:
        powers = roles.require_moderator(by, scope.post_of(target))
        permissions.require_uninvolved(powers, by, target.author_id)
        visibility.lock(target)
        _require_open(target)
        group, state = roles.acting_group(by, scope.post_of(target)), scope.state_of(target)
        action = record(
            Kind.DISMISS, target, by=by, group=group, reason=reason, parent=parent, details=state
        )
        if target.withheld == Withheld.HIDDEN:
            visibility.release(target, accepted=visibility.was_accepted(target))
            notify(action)
    is_deleted = not isinstance(target, User) and target.deleted_at is not None
    queue_items.decide(target, action, agreed=None if is_deleted else False)
    return action


def _require_open(target: Target) -> None:
    item = queue_items.open_item_of(target)
    if item is None:
        raise AlreadyDecided(queue_items.last_decision(target))
    if item.kind == QueueItem.Kind.APPLICATION:
        raise Invalid(_("An applicant can only be admitted or declined."))


def undo_decision(action: ModAction) -> None:
    """Undo an approval or dismissal. Hide the post or comment again if it was hidden before.

    Raises Invalid if moderators have removed the post or comment since the approval.
    """
    if action.details.get("withheld"):
        text = scope.text_of(action)
        visibility.lock(text)
        if text.withheld == Withheld.REMOVED:
            raise Invalid(
                _("Moderators removed this text after this action. Undo the removal first.")
            )
        if not text.deleted_at:
            scope.return_to(text, action)

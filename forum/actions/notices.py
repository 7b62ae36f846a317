"""Sends notices to people about moderation actions on their posts, comments or account.

A notice is a message in the person's conversation with the moderators.
"""

from django.db import transaction
from django.utils import timezone

from forum.actions import notifications
from forum.models import Conversation, Group, Message, ModAction, User


@transaction.atomic
def notify(action: ModAction) -> None:
    """Send a notice to the person whom an action concerns.

    Sends nothing if the person did the action themselves, or if the action is part of a bulk
    removal. The person gets only one notice about a whole bulk removal.
    """
    person = action.person
    if person is None or person.is_deleted or person.pk == action.by_id or _is_in_removal(action):
        return
    notifications.moderators_wrote(_notice(action), action.by)


@transaction.atomic
def notify_undone(action: ModAction) -> None:
    """Notify the person whom an action concerns that the action was undone.

    The notification leads to the conversation with the notice about the action. If that notice was
    never written, writes it first.
    """
    person = action.person
    if person is None or person.is_deleted or person.pk == action.undone_by_id:
        return
    if not _is_in_removal(action):
        written = Message.objects.filter(action=action).select_related("conversation__user")
        notifications.moderators_wrote(written.first() or _notice(action), action.undone_by)


def _is_in_removal(action: ModAction) -> bool:
    """Return whether an action is part of a bulk action that concerns the same person."""
    return action.parent is not None and action.parent.person_id == action.person_id


def _notice(action: ModAction) -> Message:
    if action.person is None:
        raise ValueError("the action concerns nobody")
    return Message.objects.create(
        conversation=conversation_with(action.person, action.group),
        by=action.by,
        from_moderators=True,
        action=action,
    )


def conversation_with(person: User, group: Group | None) -> Conversation:
    """Return a person's conversation with the moderators of `group` (None means the site).

    Creates the conversation if needed, and sets `updated_at` to the current time.
    """
    conversation, created = Conversation.objects.get_or_create(
        user=person, group=group, defaults={"updated_at": timezone.now()}
    )
    if not created:
        conversation.updated_at = timezone.now()
        conversation.save(update_fields=["updated_at"])
    return conversation

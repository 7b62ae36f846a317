"""Notices: what moderators did is a message in the conversation with the person concerned."""

from django.db import transaction
from django.utils import timezone

from forum.inbox import notifications
from forum.models import Conversation, Group, Message, ModAction, User


@transaction.atomic
def notify(action: ModAction) -> None:
    """Notify the person concerned of an action. Nobody is notified of what they did themselves.

    Parts of a bulk action aren't announced one by one. Six queries.
    """
    person = action.person
    if person is None or person.pk == action.by_id or action.parent_id:
        return
    notifications.moderators_wrote(_notice(action), action.by)


@transaction.atomic
def notify_undone(action: ModAction) -> None:
    """Notify the person concerned that an action was undone; its notice shows that, too."""
    if action.person and not action.parent_id and action.person_id != action.undone_by_id:
        written = Message.objects.filter(action=action).select_related("conversation__user")
        notifications.moderators_wrote(written.first() or _notice(action), action.undone_by)


def _notice(action: ModAction) -> Message:
    """Write the notice of an action in the conversation with the person. Three queries."""
    if action.person is None:
        raise ValueError("the action concerns nobody")
    return Message.objects.create(
        conversation=conversation_with(action.person, action.group),
        by=action.by,
        from_moderators=True,
        action=action,
    )


def conversation_with(person: User, group: Group | None) -> Conversation:
    """Return the conversation of a person with the moderators of a group (None: the site).

    It is created if needed, and counts as changed now. Two queries at most.
    """
    conversation, created = Conversation.objects.get_or_create(
        user=person, group=group, defaults={"updated_at": timezone.now()}
    )
    if not created:
        conversation.updated_at = timezone.now()
        conversation.save(update_fields=["updated_at"])
    return conversation

"""Writes messages in conversations, and closes conversations.

A conversation is "open" when the person wrote last, and "answered" when the moderators wrote last.
All moderators of the group, or of the site, share the conversation.
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from forum.actions import notifications
from forum.actions.notices import conversation_with
from forum.identity import permissions, roles
from forum.models import Conversation, Group, Message, User
from forum.text import markup
from voting.errors import Throttled

State = Conversation.State
MOST, PERIOD = 20, timedelta(hours=1)
"""The most messages that a person may write to moderators in this period.

The count comes from SQL, so the limit works while Redis is unavailable.
"""
SAME = timedelta(minutes=1)
"""If a person sends the same message twice within this time, the site saves the message once."""


def write(conversation: Conversation, *, by: User, body: str) -> Message:
    """Add a message to a conversation. `by` is the conversation's person or one of its moderators.

    Also updates the fields `state` and `updated_at` of `conversation`. If a moderator writes, the
    person is notified. Banned people may write, too. Raises Forbidden if `by` is neither the person
    nor a moderator. Raises Throttled if the person has written too many messages.
    """
    answers = by.pk != conversation.user_id
    if answers:
        roles.require_moderator_of(by, conversation.group)
    html = markup.render(body)
    with transaction.atomic():
        current = Conversation.objects.select_related("user").locked(conversation.pk)
        if sent := _sent(current, by, body):
            return sent
        if not answers:
            _require_patience(by)
        message = Message.objects.create(
            conversation=current, by=by, from_moderators=answers, body=body, body_html=html
        )
        current.state = State.ANSWERED if answers else State.OPEN
        current.updated_at = timezone.now()
        current.save(update_fields=["state", "updated_at"])
        if answers:
            notifications.moderators_wrote(message, by)
    conversation.state, conversation.updated_at = current.state, current.updated_at
    return message


@transaction.atomic
def write_to_moderators(person: User, group: Group | None, *, body: str) -> Message:
    """Write a message to the moderators of `group`, or of the site if `group` is None.

    Raises Throttled if the person has written too many messages.
    """
    return write(conversation_with(person, group), by=person, body=body)


@transaction.atomic
def write_to_person(person: User, group: Group | None, *, by: User, body: str) -> Message:
    """Write a message to a person as a moderator of `group`, or of the site if `group` is None.

    Raises Forbidden if `by` doesn't moderate the group or site, or if `by` is the same person.
    """
    roles.require_moderator_of(by, group)
    permissions.require_not_self(by, person)
    return write(conversation_with(person, group), by=by, body=body)


def close(conversation: Conversation, *, by: User) -> None:
    """Close a conversation, as the person or a moderator. A new message opens it again.

    Raises Forbidden if `by` is neither the person nor a moderator.
    """
    if by.pk != conversation.user_id:
        roles.require_moderator_of(by, conversation.group)
    conversation.state = State.CLOSED
    conversation.save(update_fields=["state"])


def _sent(conversation: Conversation, by: User, body: str) -> Message | None:
    """Return the newest message if `by` has just sent it with the text `body`, or else None."""
    last = conversation.messages.order_by("-pk").first()
    if last is None or (last.by_id, last.body) != (by.pk, body):
        return None
    return last if timezone.now() - last.created_at < SAME else None


def _require_patience(person: User) -> None:
    """Raise Throttled if a person has written too many messages to moderators."""
    own = Message.objects.filter(conversation__user=person, by=person, from_moderators=False)
    recent = own.filter(created_at__gt=timezone.now() - PERIOD).order_by("created_at")
    times = list(recent.values_list("created_at", flat=True)[:MOST])
    if len(times) == MOST:
        raise Throttled(int((times[0] + PERIOD - timezone.now()).total_seconds()) + 1)

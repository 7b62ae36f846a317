"""Reads conversations and their messages for pages."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from forum.actions import names
from forum.models import Comment, Conversation, Group, Message, ModAction, Post, User, Withheld
from forum.models.powers import NO_POWERS, Powers
from forum.moderation.actions.undo import may_undo
from forum.queries.keyset import newest_below

MOST_COUNTED = 1_000
"""`open_conversations` returns at most this number."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message, and the writer's name as the reader sees it."""

    message: Message
    name: str
    withheld: Post | Comment | None
    """The post or comment that a notice is about, if the action still keeps it from readers."""
    may_undo: bool
    """Whether the reader may undo the action that a notice is about."""


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A page of messages, oldest first. Earlier messages have ids below `before`."""

    messages: tuple[MessageView, ...]
    before: int | None


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A page of conversations. The conversation with the newest message comes first.

    The next page has the conversations that last changed before `before`, a time in microseconds
    since 1970.
    """

    conversations: tuple[Conversation, ...]
    before: int | None


def of_person(user_id: int, before: int | None) -> ConversationPage:
    """Return a page of a person's own conversations with moderators."""
    return _page(Conversation.objects.filter(user=user_id), before)


def of_moderators(
    powers: Powers, state: str, group: Group | None, before: int | None
) -> ConversationPage:
    """Return a page of the conversations that moderators or auditors may read.

    If `state` or `group` is set, the page has only conversations in that state or group.
    """
    found = _readable(powers)
    if state:
        found = found.filter(state=state)
    if group:
        found = found.filter(group=group)
    return _page(found, before)


def with_person(person_id: int, powers: Powers) -> list[Conversation]:
    """Return a person's conversations that the reader may read, newest first."""
    found = _readable(powers).filter(user=person_id).select_related("group")
    return list(found.order_by("-updated_at")[: settings.PAGE_SIZE])


def open_conversations(powers: Powers) -> int:
    """Count the conversations that need an answer and that the reader may read.

    Counts up to `MOST_COUNTED` conversations.
    """
    waiting = _readable(powers).filter(state=Conversation.State.OPEN)
    return waiting.order_by()[:MOST_COUNTED].count()


def messages(
    conversation: Conversation, reader_id: int, before: int | None, powers: Powers = NO_POWERS
) -> MessagePage:
    """Return the newest messages of a conversation with message ids below `before`.

    `powers` are the rights that the reader has as a moderator.
    """
    written = conversation.messages.select_related(
        "by", "action__by", "action__group", "action__rule", "action__post", "action__comment"
    )
    found, next_before = newest_below(written, before)
    shown = [_view(one, conversation, reader_id, powers) for one in reversed(found)]
    return MessagePage(tuple(shown), next_before)


def _view(
    message: Message, conversation: Conversation, reader_id: int, powers: Powers
) -> MessageView:
    action, reader = message.action, User(pk=reader_id)
    return MessageView(
        message,
        _name(message, conversation, reader_id),
        withheld=_withheld(action) if action else None,
        may_undo=action is not None and may_undo(powers, reader, action),
    )


def _name(message: Message, conversation: Conversation, reader_id: int) -> str:
    """Return the writer's name as the reader sees it."""
    is_person = reader_id == conversation.user_id
    if message.action and (is_person or message.by is None):
        return names.public_name(message.action)
    if message.by and message.from_moderators and is_person:
        return names.moderators(message.by, conversation.group)
    return message.by.shown_name if message.by else settings.SITE_NAME


def _withheld(action: ModAction) -> Post | Comment | None:
    """Return the post or comment that an action keeps from readers, or None."""
    text = action.comment or action.post
    removed = text and text.withheld == Withheld.REMOVED and text.withheld_by_id == action.pk
    return text if removed else None


def _readable(powers: Powers) -> QuerySet[Conversation]:
    found = Conversation.objects.all()
    return found if powers.reads_everything else found.filter(group__in=powers.group_ids)


def _page(found: QuerySet[Conversation], before: int | None) -> ConversationPage:
    rows = found.select_related("user", "group").order_by("-updated_at", "-pk")
    if before is not None:
        rows = rows.filter(updated_at__lt=EPOCH + before * MICROSECOND)
    size = settings.PAGE_SIZE
    some = tuple(rows[: size + 1])
    last = (some[size - 1].updated_at - EPOCH) // MICROSECOND if len(some) > size else None
    return ConversationPage(some[:size], last)

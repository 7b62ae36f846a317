"""Counts the open items in the moderation queue, for the number in moderators' page header."""

from contextlib import suppress
from typing import cast

from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest

from forum.actions.policy import policy
from forum.identity.viewers import powers, viewer
from forum.queries import queue

LIFE = 5
"""For how many seconds a person's number of queue items is cached."""
NONE = -1
"""The value cached for people who can read the queue but can't act on its items."""


def shown(request: HttpRequest) -> int | None:
    """Return the number of queue items that wait for the viewer, at most `queue.MOST`.

    Return None for people who can't act on any item, and while SQL is down.
    """
    person = viewer(request)
    if person is None or not person.reads_queue:
        return None
    if not hasattr(request, "queue_count"):
        number = cache.get(_key(person.id))
        if number is None:
            with suppress(DatabaseError):
                number = _counted(request)
                cache.set(_key(person.id), number, LIFE)
        request.queue_count = None if number == NONE else number  # type: ignore[attr-defined]
    return cast(int | None, request.queue_count)  # type: ignore[attr-defined]


def forget(user_id: int) -> None:
    """Remove a moderator's number of queue items from the cache, so that it is counted again."""
    cache.delete(_key(user_id))


def _counted(request: HttpRequest) -> int:
    own = powers(request)
    if not own.moderates:
        return NONE
    return queue.count_open(queue.visible(own, policy.get().queue_weight))


def _key(user_id: int) -> str:
    return f"queue:{user_id}"

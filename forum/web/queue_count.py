"""How many items wait in the moderation queue: the number in the header of moderators."""

from contextlib import suppress
from typing import cast

from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest

from forum.identity.viewers import powers, viewer
from forum.queries import queue
from forum.screening.policy import policy

LIFE = 5
"""Seconds for which a moderator's number is cached."""
NONE = -1
"""Cached for people who can read the queue and not act."""


def shown(request: HttpRequest) -> int | None:
    """Return how many items wait for the viewer; at most `queue.MOST`.

    None for people who can't act on any, and while SQL is down. One read of the cache for
    moderators and auditors, and every few seconds three queries; nothing for anybody else.
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
    """Count again on a moderator's next page, since they have decided something."""
    cache.delete(_key(user_id))


def _counted(request: HttpRequest) -> int:
    own = powers(request)
    if not own.moderates:
        return NONE
    return queue.count_open(queue.visible(own, policy.get().queue_weight))


def _key(user_id: int) -> str:
    return f"queue:{user_id}"

"""Rate limits by (subject, action), and the same text sent twice in a row.

A subject is a person or, for guests, a network; the caller says which. Nothing fails
open: while Redis is unavailable, writing is refused, and a few actions are counted in this
process's memory. A vote is counted by the script that casts it (`rate_limit`), so that it takes one
round trip.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import time

from django.conf import settings

from forum.gateway.service import get_voting_service
from forum.models import User
from forum.throttling import local_limiter
from voting.errors import StoreUnavailable
from voting.types.limits import RateLimit

WITHOUT_REDIS = frozenset({"login", "signup", "draft", "preview"})
"""Actions that this process counts by itself while Redis is unavailable."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Who an action is counted for."""

    key: str
    joined_at: float | None = None
    """When a person joined, in seconds since 1970; None for a network."""

    @classmethod
    def person(cls, user_id: int, joined_at: float) -> "Subject":
        """Return the subject of somebody who is logged in."""
        return cls(f"u{user_id}", joined_at)

    @classmethod
    def network(cls, address: str) -> "Subject":
        """Return the subject of a guest: the network that they come from."""
        return cls(f"a{address}")

    @property
    def is_new(self) -> bool:
        """Whether the lower limits of new accounts hold."""
        return self.joined_at is not None and time() - self.joined_at < settings.NEW_PERSON


def subject_of(person: User) -> Subject:
    """Return a person as the subject of rate limits. No round trip."""
    return Subject.person(person.pk, person.date_joined.timestamp())


def throttle(subject: Subject, action: str, text: str = "") -> None:
    """Count one `action` (a name in LIMITS). One round trip.

    Raises Throttled if a limit is reached or a person sent the same `text` lately, and
    StoreUnavailable if Redis is unavailable and the action is not counted without it.
    """
    limit = rate_limit(subject, action)
    try:
        get_voting_service().limits.check(limit, text)
    except StoreUnavailable:
        if action not in WITHOUT_REDIS:
            raise
        local_limiter.check(limit)


@contextmanager
def throttled(subject: Subject, action: str, text: str) -> Iterator[None]:
    """Throttle an action that saves `text`; if it fails, the text may be sent again.

    Raises as `throttle`. One round trip, two if it fails.
    """
    throttle(subject, action, text)
    try:
        yield
    except Exception:
        forget_text(subject, action, text)
        raise


def rate_limit(subject: Subject, action: str) -> RateLimit:
    """Return how often a subject may do `action`. No round trip."""
    limits = settings.LIMITS_NEW if subject.is_new else settings.LIMITS
    same_text = 0 if subject.joined_at is None else settings.SAME_TEXT
    return RateLimit(subject.key, action, limits[action], same_text)


def forget_text(subject: Subject, action: str, text: str) -> None:
    """Allow a text that was counted but not saved to be sent again. One round trip."""
    with suppress(StoreUnavailable):
        get_voting_service().limits.forget_text(rate_limit(subject, action), text)

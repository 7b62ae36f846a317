"""Limits how often a subject may do an action, and refuses the same text twice in a row.

A subject is a person, the network of a guest, an API token, a mailbox or a mail domain. No limit is
skipped while Redis is unavailable: most actions are refused, and a few are counted in this
process's memory. Votes are counted by the Lua script that casts them, to save a round trip.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from time import time

from django.conf import settings

from forum.identity import local_limiter
from forum.models import User
from forum.store.service import get_voting_service
from voting.errors import StoreUnavailable
from voting.types.limits import DailyVotes, RateLimit, Window, Windows

DAY = 86_400
MOST_VOTES = 10_000
"""The most votes a day if VOTES_A_DAY is off, but other limits need a person's votes of a day. Also
the most that can be taken back."""

WITHOUT_REDIS = frozenset(
    {"login", "signup", "draft", "preview", "search", "api", "similar", "flag", "complete"}
)
"""Actions that stay possible while Redis is unavailable. This process then counts them."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The person, network, API token, mailbox or mail domain whose actions a rate limit counts."""

    key: str
    joined_at: float | None = None
    """When the person signed up, in seconds since 1970; None for other subjects."""

    @classmethod
    def person(cls, user_id: int, joined_at: float) -> "Subject":
        """Return the rate-limit subject for a person who is logged in."""
        return cls(f"u{user_id}", joined_at)

    @classmethod
    def network(cls, address: str) -> "Subject":
        """Return the rate-limit subject for a guest: the network of the guest's IP address."""
        return cls(f"a{address}")

    @classmethod
    def token(cls, token_id: int) -> "Subject":
        """Return the rate-limit subject for an API token. All uses of the token count together."""
        return cls(f"t{token_id}")

    @classmethod
    def mail_domain(cls, domain: str) -> "Subject":
        """Return the subject whose limits all email addresses of a domain share."""
        return cls(f"m{domain}")

    @classmethod
    def mailbox(cls, address: str) -> "Subject":
        """Return the subject of a mailbox. Redis gets only a hash of the address."""
        return cls(f"b{sha256(address.encode()).hexdigest()[:32]}")

    @property
    def is_new(self) -> bool:
        """Whether the subject is a new account, for which lower limits apply."""
        return self.joined_at is not None and time() - self.joined_at < settings.NEW_PERSON


def subject_of(person: User) -> Subject:
    """Return the subject under which rate limits count a person's actions."""
    return Subject.person(person.pk, person.date_joined.timestamp())


def throttle(subject: Subject, action: str, text: str = "") -> None:
    """Count an action of a subject, such as a person, towards its rate limit.

    `action` is a name in the setting LIMITS. Raises Throttled if a limit is reached or the person
    sent the same `text` recently. Raises StoreUnavailable if Redis is unavailable, unless the
    action is in `WITHOUT_REDIS`.
    """
    limit = rate_limit(subject, action)
    try:
        get_voting_service().limits.check(limit, text)
    except StoreUnavailable:
        if action not in WITHOUT_REDIS:
            raise
        local_limiter.check(limit)


def throttle_daily(subject: Subject, action: str, most: int) -> None:
    """Count an action that a subject may do at most `most` times a day.

    Raises Throttled if that number is reached. While Redis is unavailable, counts in this process's
    memory.
    """
    limit = RateLimit(subject.key, action, (Window(most, DAY),))
    try:
        get_voting_service().limits.check(limit)
    except StoreUnavailable:
        local_limiter.check(limit)


def require_daily_room(subject: Subject, action: str, most: int) -> None:
    """Raise Throttled if a subject has done an action `most` times today. Counts nothing.

    While Redis is unavailable, does nothing.
    """
    with suppress(StoreUnavailable):
        get_voting_service().limits.peek(RateLimit(subject.key, action, (Window(most, DAY),)))


@contextmanager
def throttled(subject: Subject, action: str, text: str) -> Iterator[None]:
    """Count an action, then run the code in the `with` block, which saves `text`.

    If saving fails, the person may send `text` again. Raises the same errors as `throttle`.
    """
    throttle(subject, action, text)
    try:
        yield
    except Exception:
        forget_text(subject, action, text)
        raise


def vote_limit(subject: Subject, *, takes_back: bool) -> RateLimit:
    """Return the rate limit of a vote. Votes can be taken back after the last of a day, too."""
    limit = rate_limit(subject, "vote")
    if takes_back and limit.windows[-1].seconds == DAY:
        return replace(limit, windows=(*limit.windows[:-1], Window(MOST_VOTES, DAY)))
    return limit


def rate_limit(subject: Subject, action: str) -> RateLimit:
    """Return the rate limit of an `action` for a subject."""
    limits = settings.LIMITS_NEW if subject.is_new else settings.LIMITS
    same_text = 0 if subject.joined_at is None else settings.SAME_TEXT
    windows = limits[action]
    if action == "vote" and (most := settings.VOTES_A_DAY or _counted_votes()):
        windows = _with_day(windows, most)
    return RateLimit(subject.key, action, windows, same_text)


def daily_votes(karma: int) -> DailyVotes:
    """Return the limits of a person's votes in 24 hours that depend on author and direction."""
    trusted = settings.DOWN_TRUST_KARMA and karma >= settings.DOWN_TRUST_KARMA
    if trusted:
        return DailyVotes(settings.VOTES_ON_AUTHOR)
    return DailyVotes(settings.VOTES_ON_AUTHOR, settings.DOWN_A_DAY, settings.DOWN_ON_AUTHOR)


def _counted_votes() -> int:
    """Return how many votes Redis must remember for a day on sites without a daily limit."""
    on = settings.VOTES_ON_AUTHOR or settings.DOWN_A_DAY or settings.DOWN_ON_AUTHOR
    return MOST_VOTES if on else 0


@cache
def _with_day(windows: Windows, most: int) -> Windows:
    """Add a window of a day to a rate limit; leave out windows that never fill before it."""
    fill = (one for one in windows if one.hits < most or one.seconds > DAY)
    return (*fill, Window(most, DAY))


def forget_text(subject: Subject, action: str, text: str) -> None:
    """Allow a person to send the same text again, because it was not saved."""
    with suppress(StoreUnavailable):
        get_voting_service().limits.forget_text(rate_limit(subject, action), text)

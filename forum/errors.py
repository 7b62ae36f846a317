"""Errors that services raise when they refuse a request. Services know nothing about HTTP.

`forum.web.problems` converts these errors, and the errors of `voting.errors`, to HTTP.
"""

from forum.models import Ban, Comment, ModAction, Post


class DomainError(Exception):
    """A service refused a request and changed nothing. The person sees the message, if any."""


class Forbidden(DomainError):
    """The person may not do this."""


class Banned(Forbidden):
    """The person is banned from writing here. `ban` is the ban."""

    def __init__(self, ban: Ban) -> None:
        super().__init__()
        self.ban = ban


class NotAccepted(Forbidden):
    """The person applied to join, and can only read until the application is accepted."""


class NeedsSecondFactor(Forbidden):
    """The person moderates, but hasn't set up two-factor authentication yet."""


class OtherGroup(Forbidden):
    """The person may not take a post out of this group, or put it back there."""


class Locked(Forbidden):
    """Moderators locked the thread, so this person can't comment."""


class AlreadyDecided(DomainError):
    """Another moderator has already decided. `action` is that decision; None if unknown."""

    def __init__(self, action: ModAction | None) -> None:
        super().__init__()
        self.action = action


class MailDomainFull(DomainError):
    """Too many people joined today with email addresses of one domain."""

    def __init__(self, domain: str, retry_after_seconds: int) -> None:
        super().__init__()
        self.domain = domain
        self.retry_after_seconds = retry_after_seconds


class MailboxUsed(DomainError):
    """Another person joined today with an address of the same mailbox."""

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds


class Invalid(DomainError):
    """The request is invalid, no matter who sent it."""


class RefusedByRule(Invalid):
    """An automatic rule refused a post or comment. The message is for its author."""


class Gone(DomainError):
    """The post or comment was deleted. `deleted` is the deleted post or comment."""

    def __init__(self, deleted: Post | Comment) -> None:
        super().__init__()
        self.deleted = deleted


class EditConflict(DomainError):
    """Somebody else, or another tab, changed the text while the person was editing it."""


class Duplicate(DomainError):
    """A recent post has the same link. `post` is that post."""

    def __init__(self, post: Post) -> None:
        super().__init__()
        self.post = post


class AlreadySent(DomainError):
    """The person sent the same text twice in a short time; `saved` was saved the first time."""

    def __init__(self, saved: Post | Comment, retry_after_seconds: int) -> None:
        super().__init__()
        self.saved = saved
        self.retry_after_seconds = retry_after_seconds


class ReadOnly(DomainError):
    """The site is read-only for maintenance (READ_ONLY=1)."""


class SearchTooSlow(DomainError):
    """SQL took too long to find the matches of a search."""


class VotingUnavailable(DomainError):
    """Redis is unavailable, so the vote was not counted."""

"""Errors that services raise when they refuse a use case. Services know nothing of HTTP.

`forum.web.problems` translates these errors, and those of `voting.errors`, to HTTP in one place.
"""

from forum.models import Ban, Comment, ModAction, Post


class DomainError(Exception):
    """A use case was refused and nothing was changed. The text, if any, is for the person."""


class Forbidden(DomainError):
    """The person may not do this."""


class Banned(Forbidden):
    """The person is banned from writing here: `ban`."""

    def __init__(self, ban: Ban) -> None:
        super().__init__()
        self.ban = ban


class NotAccepted(Forbidden):
    """The person applied to join, and may only read until their application is accepted."""


class NeedsSecondFactor(Forbidden):
    """The person moderates, but has not set up two-factor authentication yet."""


class OtherGroup(Forbidden):
    """A moderator can't take a post out of a group that they don't moderate."""


class Locked(Forbidden):
    """Moderators locked the thread, so nobody else can comment."""


class AlreadyDecided(DomainError):
    """Another moderator has acted on the same thing before: `action`; None if it isn't known."""

    def __init__(self, action: ModAction | None) -> None:
        super().__init__()
        self.action = action


class MailDomainFull(DomainError):
    """Too many people signed up today with email addresses of a domain."""

    def __init__(self, domain: str, retry_after_seconds: int) -> None:
        super().__init__()
        self.domain = domain
        self.retry_after_seconds = retry_after_seconds


class Invalid(DomainError):
    """The request is invalid, whoever sends it."""


class RefusedByRule(Invalid):
    """An automatic rule refused a text, with a message for its author."""


class Gone(DomainError):
    """The post or comment `deleted` was deleted."""

    def __init__(self, deleted: Post | Comment) -> None:
        super().__init__()
        self.deleted = deleted


class EditConflict(DomainError):
    """The text was changed after the person had opened it for editing."""


class Duplicate(DomainError):
    """Another recent post has the same link: `post`."""

    def __init__(self, post: Post) -> None:
        super().__init__()
        self.post = post


class AlreadySent(DomainError):
    """The person sent the same text a moment ago, and it was saved as `saved`."""

    def __init__(self, saved: Post | Comment, retry_after_seconds: int) -> None:
        super().__init__()
        self.saved = saved
        self.retry_after_seconds = retry_after_seconds


class VotingUnavailable(DomainError):
    """Redis is unavailable, so the vote was not counted."""

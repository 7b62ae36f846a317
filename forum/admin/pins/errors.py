"""Why a post can't be pinned."""

from forum.errors import Invalid


class NotListed(Invalid):
    """The post is deleted, or is not in the group in which it should be pinned."""


class TooManyPins(Invalid):
    """The front page or group already has the maximum number of pinned posts."""

"""Why a post can't be pinned."""

from forum.errors import Invalid


class NotListed(Invalid):
    """The post is deleted, or is not in the group that it should be pinned in."""


class TooManyPins(Invalid):
    """The front page or group has the maximum number of pinned posts already."""

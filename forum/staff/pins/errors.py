"""Why a post can't be pinned."""

from forum.errors import Invalid


class NotListed(Invalid):
    """The post is deleted, or not in the group."""


class TooManyPins(Invalid):
    """The listing has as many pinned posts as it may have."""

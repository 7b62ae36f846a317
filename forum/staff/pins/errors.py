"""Why a post can't be pinned."""


class NotListed(Exception):
    """The post is deleted, or not in the group."""


class TooManyPins(Exception):
    """As many posts are pinned there as can be."""

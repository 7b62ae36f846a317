"""Why a group can't be renamed or merged."""

from forum.errors import Invalid


class SlugTaken(Invalid):
    """Another group has this short name."""


class CannotMerge(Invalid):
    """The groups are the same, or one of them is being merged already."""

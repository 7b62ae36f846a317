"""Why a group can't be renamed or merged."""

from forum.errors import Invalid


class SlugTaken(Invalid):
    """Another group has this short name already."""


class CannotMerge(Invalid):
    """Both groups are the same one, or one of them is being merged already."""

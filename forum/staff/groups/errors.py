"""Why a group can't be renamed or merged."""


class SlugTaken(Exception):
    """Another group has this short name."""


class CannotMerge(Exception):
    """The groups are the same, or one of them is being merged already."""

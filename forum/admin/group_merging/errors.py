"""Errors for groups that can't be renamed or merged."""

from forum.errors import Invalid


class SlugTaken(Invalid):
    """Another group has this short name already."""


class CannotMerge(Invalid):
    """Source and target are the same group, or one of them is already being merged."""

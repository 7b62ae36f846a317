"""Django admin: one file for each kind of thing that staff look at."""

from forum.admin import (
    archive,
    comments,
    groups,
    people,
    posts,
    powers,
    second_factors,
    staff_log,
)

__all__ = [
    "archive",
    "comments",
    "groups",
    "people",
    "posts",
    "powers",
    "second_factors",
    "staff_log",
]

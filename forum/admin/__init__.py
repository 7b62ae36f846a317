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
    vote_values,
)
from forum.owner_texts import admin as owner_texts

__all__ = [
    "archive",
    "comments",
    "groups",
    "owner_texts",
    "people",
    "posts",
    "powers",
    "second_factors",
    "staff_log",
    "vote_values",
]

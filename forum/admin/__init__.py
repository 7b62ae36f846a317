"""Django admin: one file for each kind of thing that staff look at."""

from forum.admin import archive, groups, people, posts

__all__ = ["archive", "groups", "people", "posts"]

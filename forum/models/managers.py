"""Query sets of posts and comments. Deleted posts and comments keep their rows in SQL.

`deleted_at` is set on all posts and comments that readers must not see, whether the author deleted
them or moderation withheld them (`withheld`). So lists and counts need only one condition.
"""

from typing import Self, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _

Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class Withheld(models.TextChoices):
    """Why moderation keeps a post or comment from readers."""

    REMOVED = "removed", _("removed by moderators")
    HELD = "held", _("waiting for approval")
    HIDDEN = "hidden", _("hidden until a moderator decides")
    MERGED = "merged", _("merged into another post")


class DeletableQuerySet(models.QuerySet[Row_co]):
    """Rows that can be deleted. Includes deleted rows unless `visible` is called."""

    def visible(self) -> Self:
        """Return the rows that are not deleted."""
        return self.filter(deleted_at=None)

    def deleted(self) -> Self:
        """Return the deleted rows."""
        return self.exclude(deleted_at=None)


class CommentQuerySet(DeletableQuerySet[Row_co]):
    """Comments. The post of a visible comment may be deleted: see `on_visible_posts`."""

    def on_visible_posts(self) -> Self:
        """Return the comments whose post is not deleted. Includes deleted comments."""
        return self.filter(post__deleted_at=None)

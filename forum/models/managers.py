"""Fields and query sets of posts and comments, whose rows stay in SQL after a deletion.

`deleted_at` is set on all posts and comments that readers must not see: those that the author
deleted, and those that moderation withheld. So lists and counts need only one condition.
"""

from collections.abc import Collection
from typing import Self, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _

TEXTS = ("body", "body_html", "search_text")
"""The columns of posts and comments with long texts. Most lists don't load them."""

Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class Withheld(models.TextChoices):
    """Why moderation keeps a post or comment from readers."""

    REMOVED = "removed", _("removed by moderators")
    HELD = "held", _("waiting for approval")
    HIDDEN = "hidden", _("hidden until a moderator decides")
    MERGED = "merged", _("merged into another post")


KEEP_TITLE = (Withheld.REMOVED, Withheld.MERGED)
"""If a post is hidden for one of these reasons, everybody may still know its title."""


class LockingQuerySet(models.QuerySet[Row_co]):
    """Rows that can be locked until the transaction ends."""

    def locked(self, pk: int) -> Row_co:
        """Lock a row until the transaction ends, and return its current state."""
        return self.select_for_update(no_key=True, of=("self",)).get(pk=pk)

    def lock(self, pks: Collection[int]) -> None:
        """Lock rows until the transaction ends, in the order of their ids."""
        rows = self.select_for_update(no_key=True).filter(pk__in=pks).order_by("pk")
        list(rows.values_list("pk"))


class DeletableQuerySet(LockingQuerySet[Row_co]):
    """Posts or comments, including deleted and withheld ones. Call `visible` to leave those out."""

    def visible(self) -> Self:
        """Return the posts or comments that are neither deleted nor withheld."""
        return self.filter(deleted_at=None)

    def listed(self) -> Self:
        """Return the visible posts, and merged posts, whose lines lead to the remaining post.

        Leaves out merged posts whose texts were deleted for good with their author's account.
        """
        merged = models.Q(withheld=Withheld.MERGED) & ~models.Q(title="")
        return self.filter(models.Q(deleted_at=None) | merged)

    def deleted(self) -> Self:
        """Return the posts or comments that are deleted or withheld."""
        return self.exclude(deleted_at=None)


class CommentQuerySet(DeletableQuerySet[Row_co]):
    """Comments. Call `on_visible_posts` to leave out comments on deleted or withheld posts."""

    def on_visible_posts(self) -> Self:
        """Return the comments on posts that are neither deleted nor withheld.

        The comments themselves may be deleted or withheld.
        """
        return self.filter(post__deleted_at=None)


class Votable(models.Model):
    """The fields that posts and comments share."""

    created_at = models.DateTimeField(_("posted at"))
    """When this was posted, in whole seconds, so that SQL and Redis have the same order."""
    deleted_at = models.DateTimeField(_("deleted at"), null=True, blank=True)
    withheld = models.CharField(
        max_length=7, choices=Withheld, blank=True, default="", db_default="", editable=False
    )
    """Why moderation hides this from readers. "" if moderation doesn't hide this."""
    withheld_by = models.ForeignKey(
        "forum.ModAction", on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    """The moderation action that removed, held or hid this."""
    version = models.PositiveIntegerField(default=1, editable=False)
    """A number that increases with each change that is synced to Redis."""
    up = models.PositiveIntegerField(_("up votes"), default=0, editable=False)
    down = models.PositiveIntegerField(_("down votes"), default=0, editable=False)
    search_text = models.TextField(blank=True, default="", db_default="", editable=False)
    """The text, with a post's title and link, as `forum.text.search_text` folds it, for search."""

    class Meta:
        abstract = True

    @property
    def posted_at(self) -> int:
        """The time at which this was posted, in seconds since 1970."""
        return int(self.created_at.timestamp())

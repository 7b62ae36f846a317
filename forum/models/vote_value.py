"""Measured vote values, one for each day."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class VoteValue(models.Model):
    """The vote value that the site measured on one day: how much one vote adds to the hot score.

    If the setting VOTES_PER_DAY is "auto", the site uses the value of the latest day.
    """

    day = models.DateField(_("day"), unique=True)
    """The UTC day. Unique, so that several workers measure only once a day."""
    at = models.DateTimeField(_("time"))
    votes_per_day = models.PositiveSmallIntegerField(_("votes that make a post one day newer"))
    measured = models.IntegerField(_("votes on a good post"))
    """The net votes that a good post, at the 90th percentile, received on its first day."""
    posts = models.PositiveIntegerField(_("posts measured"))

    class Meta:
        verbose_name = _("value of a vote")
        verbose_name_plural = _("value of a vote, by day")
        ordering = ("-day",)

    def __str__(self) -> str:
        return str(self.day)

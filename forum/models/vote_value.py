"""The measured vote value, day by day."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class VoteValue(models.Model):
    """The result of a day's measurement for VOTES_PER_DAY=auto. The latest row is used."""

    day = models.DateField(_("day"), unique=True)
    """UTC day; unique, so that several workers measure once a day between them."""
    at = models.DateTimeField(_("at"))
    votes_per_day = models.PositiveSmallIntegerField(_("votes worth a day"))
    measured = models.IntegerField(_("votes of a good post"))
    """Net votes that the 90th percentile of posts received on their first day."""
    posts = models.PositiveIntegerField(_("posts measured"))

    class Meta:
        verbose_name = _("value of a vote")
        verbose_name_plural = _("value of a vote, by day")
        ordering = ("-day",)

    def __str__(self) -> str:
        return str(self.day)

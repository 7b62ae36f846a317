"""Numbers for each day, archived from Redis: views, leaderboards, and active people."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class DailyViews(models.Model):
    """The number of views of a post on one UTC day. Each visitor counts once."""

    id = models.BigAutoField(primary_key=True)
    post_id = models.PositiveIntegerField(_("post"))
    day = models.DateField(_("day"))
    views = models.PositiveIntegerField(_("views"), default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["post_id", "day"], name="views_once")]
        indexes = [models.Index(fields=["day"], name="views_of_day")]


class BoardPoints(models.Model):
    """The points that a post or person received from other people's votes on one UTC day.

    Leaderboards show these points. The transaction that archives a vote updates the points.
    """

    id = models.BigAutoField(primary_key=True)

    class Kind(models.TextChoices):
        POST = "post", _("post")
        PERSON = "person", _("person")

    day = models.DateField(_("day"))
    group = models.CharField(max_length=40, blank=True)
    """The short name of a group, or "" for the whole site."""
    kind = models.CharField(max_length=6, choices=Kind)
    subject_id = models.PositiveIntegerField()
    points = models.IntegerField(_("points"), default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["day", "group", "kind", "subject_id"], name="board_row_once"
            )
        ]


class ActivityPiece(models.Model):
    """Which people were active on one UTC day: a bit for each person, as in a Redis bitmap.

    Each row has the bits of 2^20 person ids, about a million.
    """

    day = models.DateField(_("day"))
    piece = models.PositiveSmallIntegerField()
    bits = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "piece"], name="piece_once")]

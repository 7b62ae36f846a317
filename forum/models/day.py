"""The best posts of each day, with their points at the day's end."""

from django.db import models

from forum.models.post import Post


class FinishedDay(models.Model):
    """A UTC day that is over, and whose best posts have been stored. It may have had no posts."""

    day = models.DateField(primary_key=True)


class DayPost(models.Model):
    """A post that was among the best of the day on which it was posted. Rows never change."""

    day = models.ForeignKey(FinishedDay, on_delete=models.CASCADE, related_name="best")
    rank = models.PositiveSmallIntegerField()
    post = models.OneToOneField(Post, on_delete=models.CASCADE, related_name="of_day")
    points = models.IntegerField()
    """The post's points at the end of the day."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "rank"], name="day_rank_once")]

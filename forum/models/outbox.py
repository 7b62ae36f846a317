"""Changes in SQL that may not have been synced to Redis yet."""

from django.db import models
from django.db.models import QuerySet


class OutboxItem(models.Model):
    """A change to sync from SQL to Redis, written by the transaction that changed SQL."""

    POST = "post"

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    """The `kind` of the `Sync` class that delivers the row."""
    subject_id = models.PositiveIntegerField(null=True, db_index=True)
    """The id of the post, for rows of the kind `POST`."""
    details = models.JSONField()
    """The field values of the `Sync` object."""
    in_background = models.BooleanField()
    due_at = models.DateTimeField()
    """The time from which a worker may deliver this row."""

    class Meta:
        indexes = [models.Index(fields=["in_background", "due_at"], name="outbox_due")]

    @classmethod
    def waiting_posts(cls) -> "QuerySet[OutboxItem, int | None]":
        """Return the ids of posts with unsynced changes, either to the post or to its comments."""
        return cls.objects.filter(kind=cls.POST).values_list("subject_id", flat=True)

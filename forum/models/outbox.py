"""Changes in SQL that may not have been synced to Redis yet."""

from django.db import models
from django.db.models import QuerySet


class OutboxItem(models.Model):
    """Something to sync to Redis, written in the transaction that changed it (`forum.sync`)."""

    POST = "post"

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    """The `Sync` class that delivers it."""
    subject_id = models.PositiveIntegerField(null=True, db_index=True)
    """The post, for the kind `POST`."""
    details = models.JSONField()
    """The fields of the `Sync`."""
    in_background = models.BooleanField()
    due_at = models.DateTimeField()
    """When a worker may deliver it."""

    class Meta:
        indexes = [models.Index(fields=["in_background", "due_at"], name="outbox_due")]

    @classmethod
    def waiting_posts(cls) -> "QuerySet[OutboxItem, int | None]":
        """Return the ids of posts that, or whose comments, still wait for Redis."""
        return cls.objects.filter(kind=cls.POST).values_list("subject_id", flat=True)

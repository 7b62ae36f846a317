"""Changes in SQL that may not have been synced to Redis yet, and emails that aren't sent yet."""

from typing import ClassVar

from django.db import models
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _


class OutboxItem(models.Model):
    """A change to sync, or an email to send, written by the transaction that caused it."""

    POST, MAIL = "post", "mail"

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=20)
    """The `kind` of the `Sync` class that delivers the row."""
    subject_id = models.PositiveIntegerField(null=True, db_index=True)
    """The id of the post, for rows of the kind `POST`; of the recipient, for the kind `MAIL`."""
    details = models.JSONField(_("details"))
    """The field values of the `Sync` object."""
    in_background = models.BooleanField()
    due_at = models.DateTimeField()
    """The time from which a worker may deliver this row. A failed email is then deleted."""
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0, db_default=0)
    """How often the worker began to send this email."""
    failed_at = models.DateTimeField(_("time"), null=True)
    """When the last attempt to send this email began; None if the email waits for an attempt."""
    error = models.TextField(_("error"), default="", db_default="")
    """Why the last attempt failed. Empty during an attempt, and after a crash during an attempt."""

    class Meta:
        indexes = [
            models.Index(fields=["in_background", "due_at"], name="outbox_due"),
            models.Index(fields=["kind", "due_at"], name="outbox_kind"),
        ]

    @classmethod
    def waiting_posts(cls) -> "QuerySet[OutboxItem, int | None]":
        """Return the ids of posts with unsynced changes, either to the post or to its comments."""
        return cls.objects.filter(kind=cls.POST).values_list("subject_id", flat=True)


class FailedMailManager(models.Manager["FailedMail"]):
    """Finds only failed emails."""

    def get_queryset(self) -> "QuerySet[FailedMail]":
        return super().get_queryset().filter(kind=OutboxItem.MAIL, failed_at__isnull=False)


class FailedMail(OutboxItem):
    """An email that the worker could not send, and doesn't try to send again."""

    objects: ClassVar[FailedMailManager] = FailedMailManager()

    class Meta:
        proxy = True
        verbose_name = _("failed email")
        verbose_name_plural = _("failed emails")

    def __str__(self) -> str:
        return str(self.failed_at)

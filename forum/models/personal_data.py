"""Exports of people's own data, and the deletion of accounts."""

from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from forum.models.user import User


class DataExport(models.Model):
    """A person's own data as a zip file. Only the person can fetch it, for a day."""

    LIFE = timedelta(days=1)
    """How long a finished export stays."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="data_export")
    asked_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True, db_index=True)
    """When the worker finished the file; None before that."""
    content = models.BinaryField(default=bytes)
    """The zip file; empty before the worker finished it."""

    @property
    def ends_at(self) -> datetime | None:
        """When the worker deletes the file; None while there is no file."""
        return self.ready_at + self.LIFE if self.ready_at else None

    @property
    def has_ended(self) -> bool:
        """Return whether nobody can fetch the file any longer."""
        return self.ends_at is not None and self.ends_at <= timezone.now()


class Erasure(models.Model):
    """The deletion of a person's account: asked for, running or done.

    The row stays, as does the person's emptied row in `User`: votes refer to its id. After a
    restore from a backup, the site erases again whoever was erased since.
    """

    user = models.OneToOneField(
        User,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="erasure",
        verbose_name=_("person"),
    )
    keeps_texts = models.BooleanField(_("posts and comments stay"), default=True)
    """Whether posts and comments stay without the name. Otherwise they are removed."""
    by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("staff")
    )
    """The member of staff who did this for the person; None if the person did it."""
    asked_at = models.DateTimeField(_("asked for at"))
    due_at = models.DateTimeField(_("begins at"), db_index=True)
    """When the worker begins. Until then, the person can keep the account by logging in."""
    done_at = models.DateTimeField(_("finished at"), null=True)

    class Meta:
        verbose_name = _("deletion of an account")
        verbose_name_plural = _("deletions of accounts")

    def __str__(self) -> str:
        return str(self.user)

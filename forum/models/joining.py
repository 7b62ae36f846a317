"""Invitations and applications: how people join a site that isn't open to everybody."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from forum.models.managers import LockingQuerySet
from forum.models.user import User


class Invitation(models.Model):
    """A link with which one person can sign up."""

    code = models.CharField(max_length=43, unique=True)
    """The secret part of the link."""
    by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="invitations")
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    used_by = models.OneToOneField(
        User, on_delete=models.SET_NULL, null=True, related_name="invitation"
    )
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        indexes = [
            models.Index(fields=["by", "-id"], name="invitations_by_person"),
            models.Index(
                fields=["by", "-id"],
                name="invited_by_person",
                condition=models.Q(used_by__isnull=False),
            ),
            models.Index(fields=["-id"], name="invited", condition=models.Q(used_by__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.by} {self.pk}"

    @property
    def is_open(self) -> bool:
        """Return whether somebody can still sign up with this invitation's link."""
        return self.used_by_id is None and self.revoked_at is None

    @property
    def address(self) -> str:
        """Return the full URL of the sign-up page with this invitation."""
        return f"{settings.SITE_URL}{reverse('account_signup')}?invitation={self.code}"


class Application(models.Model):
    """A person's application to join, which answers the site's question.

    Until moderators accept the application, the person can only read.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="application")
    answer = models.TextField(_("answer"), max_length=2_000)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    accepted = models.BooleanField(null=True)
    """Whether moderators accepted the application. None until they decide."""

    objects = LockingQuerySet["Application"].as_manager()

    class Meta:
        verbose_name = _("application")
        verbose_name_plural = _("applications")

    def __str__(self) -> str:
        return str(self.user)

"""Invitations and applications: how people join a site that isn't open to everybody."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.user import User


class Invitation(models.Model):
    """A link with which one person can sign up."""

    code = models.CharField(max_length=43, unique=True)
    """The secret part of the link."""
    by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="invitations")
    created_at = models.DateTimeField(_("at"), auto_now_add=True)
    used_by = models.OneToOneField(
        User, on_delete=models.SET_NULL, null=True, related_name="invitation"
    )
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["by", "-id"], name="invitations_by_person")]


class Application(models.Model):
    """A person's answer to the site's question. Until it is accepted they can only read."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="application")
    answer = models.TextField(_("answer"), max_length=2_000)
    created_at = models.DateTimeField(_("at"), auto_now_add=True)
    accepted = models.BooleanField(null=True)
    """None until a moderator decides."""

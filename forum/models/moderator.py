"""Moderators of groups. Site moderators, admins and auditors are marked in `User` instead."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.group import Group
from forum.models.user import User


class GroupModerator(models.Model):
    """A person who moderates a group. The list of a group's moderators is public."""

    group = models.ForeignKey(
        Group, on_delete=models.CASCADE, related_name="moderators", verbose_name=_("group")
    )
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="moderates", verbose_name=_("person")
    )
    created_at = models.DateTimeField(_("since"), auto_now_add=True)

    class Meta:
        verbose_name = _("moderator of a group")
        verbose_name_plural = _("moderators of groups")
        constraints = [
            models.UniqueConstraint(fields=["group", "user"], name="moderator_once_a_group")
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.group})"

"""Bans from a group or the site."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from forum.models.group import Group
from forum.models.mod_action import ModAction
from forum.models.user import User


class BanQuerySet(models.QuerySet["Ban"]):
    """Bans, including bans that have ended. Call `active` to leave those out."""

    def active(self) -> Self:
        """Return the bans that have neither ended nor been lifted."""
        return self.filter(Q(until=None) | Q(until__gt=timezone.now()), lifted_at=None)


class Ban(models.Model):
    """A ban of a person from a group or from the whole site. The person can still read.

    The row stays after the ban has ended or was lifted. A person can have only one ban from each
    group, and one from the site, apart from lifted bans.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="bans")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, null=True, related_name="+")
    """The group in which the person is banned, or None for the whole site."""
    action = models.ForeignKey(ModAction, on_delete=models.PROTECT, related_name="+")
    """The moderation action that banned the person. The action has the reason for the ban."""
    until = models.DateTimeField(_("until"), null=True)
    """When the ban ends, or None for a permanent ban."""
    lifted_at = models.DateTimeField(null=True)
    """When the ban was lifted, undone or replaced by another ban."""
    objects = BanQuerySet.as_manager()

    class Meta:
        verbose_name = _("ban")
        verbose_name_plural = _("bans")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "group"],
                condition=Q(lifted_at=None),
                name="one_ban_a_person_and_group",
            ),
            models.UniqueConstraint(
                fields=["user"],
                condition=Q(lifted_at=None, group=None),
                name="one_ban_from_the_site",
            ),
        ]

    @property
    def is_active(self) -> bool:
        """Return whether the ban still applies."""
        return self.lifted_at is None and (self.until is None or self.until > timezone.now())

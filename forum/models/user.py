"""A person with an account."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.cache import cache
from django.db import models, transaction
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


def viewer_key(user_id: int | str) -> str:
    """Return the cache key of a viewer (`forum.identity.viewers`)."""
    return f"viewer:3:{user_id}"


COUNTED = {"karma", "likes_given"}
SETTLES = 10
"""Seconds within which a page that read a person before a change has finished."""
UNKNOWN = ()
"""Blocks the key during the change, so that such a page can't cache the old values."""


def forget_viewer(user_id: int) -> None:
    """Drop a person's cached viewer after this transaction."""
    transaction.on_commit(partial(cache.set, viewer_key(user_id), UNKNOWN, SETTLES))


class User(AbstractUser):
    """A person with an account. Email is optional."""

    class Digest(models.TextChoices):
        NONE = "none", _("no digest")
        DAILY = "daily", _("a daily digest")
        WEEKLY = "weekly", _("a weekly digest")

    about = models.TextField(_("about"), max_length=2_000, blank=True)
    origin = models.CharField(max_length=100, null=True, unique=True, editable=False)
    """Where an imported person came from: imports never write as people who signed up here."""

    karma = models.IntegerField(_("karma"), default=0, editable=False)
    """Votes from others on this person's posts and comments, up minus down, seconds behind."""
    likes_given = models.PositiveIntegerField(default=0, editable=False)
    """Up votes on what others wrote, seconds behind."""
    keeps_history = models.BooleanField(_("remember posts I viewed"), default=True)
    hides_read = models.BooleanField(_("hide posts I have read"), default=False)
    muted = models.JSONField(default=list, blank=True, editable=False)
    """Kinds of inbox items this person does not want."""
    watches_own = models.BooleanField(_("watch threads I write in"), default=True, db_default=True)
    mails_replies = models.BooleanField(_("email me replies"), default=False)
    mails_mentions = models.BooleanField(_("email me mentions"), default=False)
    mails_watched = models.BooleanField(_("email me comments on watched threads"), default=False)
    digest = models.CharField(_("digest"), max_length=6, choices=Digest, default=Digest.NONE)
    digest_at = models.DateTimeField(null=True, editable=False)
    """When the last digest was sent."""
    language = models.CharField(_("language"), max_length=16, blank=True, editable=False)
    """Language code for mail: chosen by the person, or that of their first visit. "" until then."""

    class Meta(AbstractUser.Meta):
        indexes = [models.Index(fields=["digest", "digest_at"], name="digests_due")]
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="one_person_a_name",
                violation_error_message=_("This user name is taken."),
            )
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and drop the cached viewer.

        Counters that the worker updates are not saved unless they are named, since they may have
        changed since this person was read.
        """
        shown = not self._state.adding and kwargs.get("update_fields") != ["last_login"]
        if not (args or kwargs or self._state.adding):
            names = (field.name for field in self._meta.concrete_fields if not field.primary_key)
            kwargs["update_fields"] = [name for name in names if name not in COUNTED]
        super().save(*args, **kwargs)
        if shown:
            forget_viewer(self.pk)

    @property
    def mail_language(self) -> str:
        """The language of mail to this person; the site's own until theirs is known."""
        return self.language or settings.LANGUAGE_CODE

    def get_absolute_url(self) -> str:
        return reverse("profile", args=[self.username])

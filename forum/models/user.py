"""A person with an account."""

from functools import partial
from typing import Any, Self

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.cache import cache
from django.db import models, transaction
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from forum.models.deleted_names import is_deleted, shown_name
from forum.models.managers import LockingQuerySet
from forum.models.published_passwords import DEMO_LOGINS, is_hash_of
from forum.models.skeletons import skeleton_of


def viewer_key(user_id: int | str) -> str:
    """Return the cache key of a person's `Viewer` (see `forum.identity.viewers`)."""
    return f"viewer:5:{user_id}"


COUNTED = {"karma", "likes_given"}
SETTLES = 10
"""The most seconds that a page takes from reading a person in SQL to caching their `Viewer`."""
UNKNOWN = ()
"""The value that replaces a `Viewer` in the cache for `SETTLES` seconds after a person changes.

Pages that had already read the person from SQL then don't cache the old values.
"""


def forget_viewer(user_id: int) -> None:
    """Remove a person's `Viewer` from the cache after the current transaction."""
    transaction.on_commit(partial(cache.set, viewer_key(user_id), UNKNOWN, SETTLES))


class User(AbstractUser):
    """A person with an account. Email is optional."""

    class Digest(models.TextChoices):
        NONE = "none", _("no digest")
        DAILY = "daily", _("a daily digest")
        WEEKLY = "weekly", _("a weekly digest")

    about = models.TextField(_("bio"), max_length=2_000, blank=True)
    origin = models.CharField(max_length=100, null=True, unique=True, editable=False)
    """For an imported person: the source, and the person's name there.

    Imports add posts only to accounts that have this value.
    """

    karma = models.IntegerField(_("karma"), default=0, editable=False)
    """Up votes minus down votes by other people on this person's content. May be seconds old."""
    likes_given = models.PositiveIntegerField(default=0, editable=False)
    """The number of up votes this person gave to other people's content. May be seconds old."""
    keeps_history = models.BooleanField(_("remember posts I viewed"), default=True)
    hides_read = models.BooleanField(_("hide posts I have read"), default=False)
    muted = models.JSONField(default=list, blank=True, editable=False)
    """The kinds of notifications that this person muted."""
    watches_own = models.BooleanField(_("watch threads I write in"), default=True, db_default=True)
    mails_replies = models.BooleanField(_("email me replies"), default=False)
    mails_mentions = models.BooleanField(_("email me mentions"), default=False)
    mails_watched = models.BooleanField(_("email me comments on watched threads"), default=False)
    mails_moderators = models.BooleanField(
        _("email me messages from moderators"), default=False, db_default=False
    )
    digest = models.CharField(_("digest"), max_length=6, choices=Digest, default=Digest.NONE)
    digest_at = models.DateTimeField(null=True, editable=False)
    """When this person's last digest was sent."""
    is_auditor = models.BooleanField(
        _("auditor"),
        default=False,
        db_default=False,
        help_text=_(
            "Can read the moderation queue and everything that moderators see, but can't change"
            " anything."
        ),
    )
    is_applicant = models.BooleanField(default=False, db_default=False, editable=False)
    """Whether this person may only read, because moderators haven't accepted their application."""
    counts_at_once = models.BooleanField(default=False, db_default=False, editable=False)
    """Whether votes count though the account is new: staff made it, or the person was invited."""
    is_unconfirmed = models.BooleanField(default=False, db_default=False, editable=False)
    """Whether a sign-up made this account, and nobody has confirmed an address or logged in since.

    Only on sites that require a confirmed address (see `forum.actions.unconfirmed`).
    """
    active_at = models.DateTimeField(null=True, editable=False)
    """When this person was active, at most half an hour too early (see `forum.identity.visits`)."""
    last_visit_at = models.DateTimeField(null=True, editable=False)
    """When the visit before the current one ended."""
    language = models.CharField(_("language"), max_length=16, blank=True, editable=False)
    """The language code for emails: the person's choice, or the language of their first visit.

    "" before the first visit.
    """

    class Meta(AbstractUser.Meta):
        indexes = [
            models.Index(fields=["digest", "digest_at"], name="digests_due"),
            models.Index(
                fields=["username"],
                condition=models.Q(is_active=True, is_staff=True),
                name="active_staff",
            ),
            models.Index(fields=["email"], name="people_by_email"),
            models.Index(skeleton_of("username"), name="people_by_skeleton"),
            models.Index(
                fields=["date_joined"],
                condition=models.Q(is_unconfirmed=True),
                name="people_unconfirmed",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="one_person_a_name",
                violation_error_message=_("This user name is taken."),
            )
        ]

    def __str__(self) -> str:
        return self.shown_name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the person, and remove the person's `Viewer` from the cache.

        Doesn't save counters that the worker updates, unless `update_fields` names them.
        """
        shown = not self._state.adding and kwargs.get("update_fields") != ["last_login"]
        if not (args or kwargs or self._state.adding):
            names = (field.name for field in self._meta.concrete_fields if not field.primary_key)
            kwargs["update_fields"] = [name for name in names if name not in COUNTED]
        super().save(*args, **kwargs)
        if shown:
            forget_viewer(self.pk)

    @classmethod
    def lock(cls, *pks: int) -> None:
        """Lock people's rows until the transaction ends."""
        LockingQuerySet(cls).lock(pks)

    @classmethod
    def with_published_passwords(cls) -> list[Self]:
        """Return the active accounts whose passwords are published with the demo."""
        names = [login.username for login in DEMO_LOGINS]
        origins = [login.origin for login in DEMO_LOGINS]
        of_demo = models.Q(username__in=names) | models.Q(origin__in=origins)
        accounts = cls.objects.filter(of_demo, is_active=True).order_by("pk")
        return [account for account in accounts if account.has_published_password]

    @property
    def has_published_password(self) -> bool:
        """Return whether the password is published with the demo, so that everybody knows it.

        Takes no time for people who don't have the name of a demo person.
        """
        return any(
            is_hash_of(login.password, self.password)
            for login in DEMO_LOGINS
            if login.username == self.username or login.origin == self.origin
        )

    @property
    def is_deleted(self) -> bool:
        """Return whether the account was deleted. It then has no name and no profile."""
        return is_deleted(self.username)

    @property
    def shown_name(self) -> str:
        """Return the name as pages show it: "[deleted]" if the account was deleted."""
        return shown_name(self.username)

    @property
    def mail_language(self) -> str:
        """Return the language code for emails to this person, by default the site's language."""
        return self.language or settings.LANGUAGE_CODE

    def get_absolute_url(self) -> str:
        return reverse("profile", args=[self.username])

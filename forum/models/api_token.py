"""Personal tokens, with which programs act for a person."""

from datetime import UTC, datetime, time, timedelta

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from forum.models.user import User


class ApiToken(models.Model):
    """A token that a person created for a program. Only a hash of it is stored."""

    class Scope(models.TextChoices):
        READ = "read", _("Read everything that you can see, such as your inbox and your votes")
        VOTE = "vote", _("Vote")
        WRITE = "write", _("Publish, comment, edit, delete, save, follow and flag")
        MODERATE = "moderate", _("Moderate")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("name"), max_length=60)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    """SHA-256 of the token. The token is random and long, so the hash needs no salt."""
    scopes = models.JSONField(_("what the token allows"), default=list)
    """A list of `Scope` values."""
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    """When the token was last used. May be an hour older, to save writes."""
    last_day = models.DateField(_("last day"), null=True)
    """The last day (UTC) on which the token works.

    None for tokens of earlier versions, which work until they are revoked.
    """

    def __str__(self) -> str:
        return self.name

    @property
    def cache_key(self) -> str:
        """The key under which the token's owner and scopes are cached."""
        return f"api-token:{self.token_hash}"

    @property
    def ends_at(self) -> datetime | None:
        """When the token stops working; None if it works until it is revoked."""
        if self.last_day is None:
            return None
        return datetime.combine(self.last_day + timedelta(days=1), time(), UTC)

    @property
    def has_ended(self) -> bool:
        """Return whether the token's last day is over."""
        return self.ends_at is not None and self.ends_at <= timezone.now()

    @property
    def scope_labels(self) -> list[str]:
        """A label for each permission of the token, such as "Vote"."""
        return [str(self.Scope(one).label) for one in self.scopes]

"""Secret URLs of private feeds."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.user import User


class FeedKey(models.Model):
    """The secret in the URLs of a person's private feeds, because feed readers can't log in.

    Only a hash is stored, so that a stolen copy of the database doesn't reveal these URLs.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="feed_key")
    key_hash = models.CharField(max_length=64, unique=True)
    """SHA-256 of the secret. The secret is random and long, so the hash needs no salt."""
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    def __str__(self) -> str:
        return str(self.user)

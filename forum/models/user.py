"""A person with an account."""

from functools import partial
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.core.cache import cache
from django.db import models, transaction
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


def viewer_key(user_id: int | str) -> str:
    """The cache's key for what pages show of a person who is looking (`forum.viewers`)."""
    return f"viewer:{user_id}"


class User(AbstractUser):
    """Django's own user, ours from the first migration so that it can grow. E-mail is optional."""

    about = models.TextField(_("about"), max_length=2_000, blank=True)
    origin = models.CharField(max_length=100, null=True, unique=True, editable=False)
    """Where an imported person came from: an import never speaks for someone who signed up here."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="one_person_a_name",
                violation_error_message=_("Somebody has this name already."),
            )
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and let no page show the person as they were."""
        super().save(*args, **kwargs)
        transaction.on_commit(partial(cache.delete, viewer_key(self.pk)))

    def get_absolute_url(self) -> str:
        return reverse("profile", args=[self.username])

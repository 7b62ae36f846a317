"""Searches that people saved."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from forum.models.user import User


class SavedSearch(models.Model):
    """A search that a person saved under a name, to repeat it."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_searches")
    name = models.CharField(_("name"), max_length=60)
    text = models.CharField(_("search"), max_length=500)
    """What the person typed into the search box."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="search_saved_once")]

    def __str__(self) -> str:
        return self.name

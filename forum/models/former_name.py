"""The names that people had before."""

from django.db import models
from django.db.models.functions import Lower

from forum.models.skeletons import skeleton_of
from forum.models.user import User


class FormerName(models.Model):
    """A name that a person had. For a year it leads to the person, and nobody else can have it.

    The name of a deleted account leads nowhere, but is reserved, too.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="former_names")
    """The person who had the name; None if the person deleted the account."""
    name = models.CharField(max_length=150)
    changed_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(Lower("name"), name="former_name"),
            models.Index(skeleton_of("name"), name="former_name_skeleton"),
            models.Index(fields=["changed_at"], name="former_name_age"),
        ]

    def __str__(self) -> str:
        return self.name

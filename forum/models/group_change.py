"""Changes of a post's groups that decide what the groups' moderators and the author may do."""

from django.db import models

from forum.models.group import Group
from forum.models.post import Post


class GroupChange(models.Model):
    """A group that a post joined or left after publishing.

    There is no row for a group that the author chose at publishing and that the post is still in,
    nor for a group that moderators added.
    """

    class State(models.TextChoices):
        ADDED = "added"
        """The author added the group. Its moderators can only take the post out of it."""
        LEFT = "left"
        """The author left a group whose moderators could do everything. They can do so again if the
        author returns.
        """
        TAKEN_OUT = "out"
        """Moderators took the post out of the group. The author can't put it back."""

    id = models.BigAutoField(primary_key=True)
    post = models.ForeignKey(
        Post, on_delete=models.CASCADE, related_name="group_changes", db_index=False
    )
    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=5, choices=State)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["post", "group"], name="one_change_a_post_and_group")
        ]

"""Posts that staff pinned to the top of a listing."""

from django.db import models

from forum.models.group import Group
from forum.models.post import Post


class Pin(models.Model):
    """A post that staff pinned to the top of Hot, on the front page or in one of its groups."""

    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="pins")
    group = models.ForeignKey(Group, on_delete=models.CASCADE, null=True, related_name="pins")
    """The group in whose listing the post is pinned, or None for the site's front page."""
    created_at = models.DateTimeField(auto_now_add=True)
    until = models.DateTimeField(null=True)
    """When the pin ends, or None if the pin stays until somebody removes it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["post", "group"], name="pinned_once_a_group"),
            models.UniqueConstraint(
                fields=["post"], condition=models.Q(group=None), name="pinned_once_to_the_site"
            ),
        ]

"""Drafts of posts and comments."""

from django.db import models

from forum.models.comment import Comment
from forum.models.post import Post
from forum.models.user import User


class Draft(models.Model):
    """The text of a post or comment that its author hasn't sent yet. Only the author sees it.

    A person may have several drafts for the same form, for example from two browser windows.
    """

    author = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drafts")
    key = models.CharField(max_length=32)
    """A random name, which a form with this draft has in a hidden field."""
    post = models.ForeignKey(Post, on_delete=models.CASCADE, null=True, related_name="+")
    """The post that the draft comments on; None for a new post."""
    parent = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, related_name="+")
    """The comment that the draft replies to, if any."""
    on_question = models.BooleanField(default=False)
    """Whether the draft is a comment on a question, and not an answer."""
    kind = models.CharField(max_length=8, blank=True)
    title = models.TextField(blank=True)
    url = models.TextField(blank=True)
    body = models.TextField(blank=True)
    groups = models.JSONField(default=list)
    """The short names of the groups of a new post."""
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["author", "key"], name="draft_saved_once"),
        ]
        indexes = [models.Index(fields=["updated_at"], name="drafts_oldest")]

    @property
    def version(self) -> str:
        """A text that changes whenever the draft is saved."""
        return self.updated_at.isoformat()

"""What SQL has decided and Redis may not have heard yet."""

from django.db import models

from forum.models.comment import Comment
from forum.models.post import Post


class OutboxItem(models.Model):
    """A post, or one of its comments, whose present state must reach Redis; written in the
    transaction that changed it.

    Delivery sends absolute states, so an item may be delivered twice and in any order.
    """

    id = models.BigAutoField(primary_key=True)
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="+")
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, related_name="+")
    """None where the post itself changed."""
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

"""Comments that moved to another post when moderators merged two posts."""

from django.db import models

from forum.models.comment import Comment
from forum.models.mod_action import ModAction


class MovedComment(models.Model):
    """A comment that a merge moved. Undoing the merge moves it back and deletes this row."""

    id = models.BigAutoField(primary_key=True)
    action = models.ForeignKey(ModAction, on_delete=models.CASCADE, related_name="moved_comments")
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["action", "comment"], name="moved_once_a_merge")
        ]

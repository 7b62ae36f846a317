"""Hides posts and comments from readers, and makes them visible again, for moderation actions.

Call these functions in the transaction of the action.
"""

from forum.content import comment_service, post_service
from forum.models import Comment, ModAction, Post

Text = Post | Comment


def lock(text: Text) -> None:
    """Lock a post, or a comment's post, until the transaction ends. Two queries.

    Also reloads from SQL whether the post or comment is visible.
    """
    post_id = text.post_id if isinstance(text, Comment) else text.pk
    Post.objects.select_for_update(no_key=True).only("pk").get(pk=post_id)
    text.refresh_from_db(fields=["deleted_at", "withheld", "withheld_by"])


def withhold(text: Text, state: str = "", action: ModAction | None = None) -> None:
    """Hide a post or comment from readers.

    `state` is the reason (a value of `Withheld`), or "" if the author deleted the post or comment.
    `action` is the moderation action that hides it, if any. If the post or comment is invisible
    already, only saves these two values.
    """
    if text.deleted_at:
        text.withheld, text.withheld_by = state, action
        text.save(update_fields=["withheld", "withheld_by"])
    elif isinstance(text, Comment):
        comment_service.withhold(text, state, action)
    else:
        post_service.withhold(text, state, action)


def was_accepted(text: Text) -> bool:
    """Return whether a comment was an accepted answer until an action hid it. One query."""
    return bool(text.withheld_by and text.withheld_by.details.get("accepted"))


def release(text: Text, *, accepted: bool = False) -> None:
    """Make a post or comment visible again.

    If `accepted` is True, the comment also becomes the accepted answer again, unless another answer
    was accepted meanwhile.
    """
    if isinstance(text, Comment):
        comment_service.release(text, accepted=accepted)
    else:
        post_service.release(text)

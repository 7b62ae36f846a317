"""Helpers for actions: find the post or comment of an action, and save and restore its state."""

from typing import Any

from forum.actions import visibility
from forum.actions.visibility import Content
from forum.models import Comment, ModAction, Post


def post_of(text: Content) -> Post:
    """Return the post that a comment is on. If `text` is a post, return this post."""
    return text.post if isinstance(text, Comment) else text


def text_of(action: ModAction) -> Content:
    """Return the post or comment that an action is about.

    Raises ValueError if the action is about a person.
    """
    text = action.comment or action.post
    if text is None:
        raise ValueError("an action about a person has no text")
    return text


def state_of(text: Content) -> dict[str, Any]:
    """Return the state of a post or comment, from which `return_to` can restore it."""
    if not text.deleted_at:
        return {}
    return {"withheld": text.withheld, "withheld_by": text.withheld_by_id}


def return_to(text: Content, action: ModAction) -> None:
    """Restore a post or comment to its state before an action.

    The caller must have locked the row of the post or comment.
    """
    state = action.details.get("withheld", "")
    if state:
        earlier = ModAction.objects.filter(pk=action.details["withheld_by"]).first()
        visibility.withhold(text, state, earlier)
    else:
        visibility.release(text, accepted=action.details.get("accepted", False))

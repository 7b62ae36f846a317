"""What actions share: which post and group they concern, and the state to return to."""

from typing import Any

from forum.content import visibility
from forum.content.visibility import Text
from forum.models import Comment, ModAction, Post


def post_of(text: Text) -> Post:
    """Return the post itself, or the post of a comment. One query, unless it is loaded."""
    return text.post if isinstance(text, Comment) else text


def text_of(action: ModAction) -> Text:
    """Return the comment or post that an action is about. Raises ValueError for a person."""
    text = action.comment or action.post
    if text is None:
        raise ValueError("an action about a person has no text")
    return text


def state_of(text: Text) -> dict[str, Any]:
    """Return the details from which `return_to` brings back a text's present state."""
    if not text.deleted_at:
        return {}
    return {"withheld": text.withheld, "withheld_by": text.withheld_by_id}


def return_to(text: Text, action: ModAction) -> None:
    """Bring a locked text back to its state before an action."""
    state = action.details.get("withheld", "")
    if state:
        earlier = ModAction.objects.filter(pk=action.details["withheld_by"]).first()
        visibility.withhold(text, state, earlier)
    else:
        visibility.release(text, accepted=action.details.get("accepted", False))

"""The JSON objects that programs send. The forms of the site's pages also check their values."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, WithJsonSchema
from pydantic_core import PydanticCustomError

from forum.api import schemas
from forum.api.constraints import checked_by
from forum.api.parameters import FURTHEST
from forum.models import Flag, Post
from forum.moderation.flags.forms import FlagForm
from forum.moderation.people.forms import BanForm
from forum.moderation.texts.forms import ActionForm
from forum.text import links, titles
from forum.web.forms.comments import CommentForm
from forum.web.forms.groups import MOST
from forum.web.forms.posts import EditForm, SubmitForm

ModeratorAction = Literal[
    "approve",
    "dismiss",
    "hold_replies",
    "lock",
    "release_replies",
    "remove",
    "restore",
    "restore_flagged",
    "take_out",
    "undo",
    "unlock",
]

QueueDecision = Literal[
    "admit", "approve", "decline", "dismiss", "lock", "reject", "remove", "restore_flagged"
]


def _storable(value: Any) -> Any:
    """Refuse text that SQL can't store: with NUL characters, or with half a surrogate pair."""
    if isinstance(value, str) and ("\0" in value or (not value.isascii() and _is_broken(value))):
        raise PydanticCustomError("unstorable", "not storable")
    return value


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


Text = Annotated[str, BeforeValidator(_storable)]
Title = Annotated[Text, checked_by(SubmitForm, "title", minLength=titles.SHORTEST)]
Link = Annotated[Text, checked_by(SubmitForm, "url", maxLength=links.LONGEST)]
PostText = Annotated[Text, checked_by(SubmitForm, "body")]
CommentText = Annotated[Text, checked_by(CommentForm, "body", minLength=1)]
Groups = Annotated[
    list[Text],
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST}),
]
ItemId = Annotated[int, Field(strict=True, ge=1, le=FURTHEST)]


class Schema(schemas.Schema):
    """A JSON object that a program sends. Unknown fields are refused, since they are mistakes."""

    model_config = ConfigDict(extra="forbid")


class NewPost(Schema):
    """A post to publish."""

    kind: Annotated[Post.Kind, checked_by(SubmitForm, "kind")]
    title: Title
    link: Link = ""
    text: PostText = ""
    """Markdown."""
    groups: Groups
    """The short names of one to three groups."""


class EditedPost(Schema):
    """What to change in a post. Fields that are left out stay as they are."""

    title: Title | None = None
    link: Link | None = None
    text: PostText | None = None
    groups: Groups | None = None
    reason: Annotated[Text, checked_by(EditForm, "reason")] = ""
    """Moderators must give a reason if they edit another person's post."""


class NewComment(Schema):
    """A comment to write."""

    text: CommentText
    parent: ItemId | None = None
    """The id of the comment to reply to; null to reply to the post."""
    on_question: StrictBool = False
    """Whether it is a comment on a question, and not an answer."""


class EditedComment(Schema):
    """The new text of a comment."""

    text: CommentText


class Acceptance(Schema):
    """Which answer a question's author accepts."""

    comment: ItemId | None
    """The id of the answer; null for none."""


class NewVote(Schema):
    """A vote. "none" takes a vote back."""

    vote: Literal["up", "down", "none"]


class Switch(Schema):
    """Turns something on or off."""

    on: StrictBool


class NewFlag(Schema):
    """What is wrong with a post or comment."""

    kind: Annotated[Flag.Kind, checked_by(FlagForm, "kind")]
    words: Annotated[Text, checked_by(FlagForm, "words")] = ""
    to_admins: StrictBool = False


class Read(Schema):
    """Which items of the inbox to mark as read."""

    item: ItemId | None = None
    """The id of an item; null for all."""


class Moderation(Schema):
    """What a moderator does to a post or comment."""

    action: ModeratorAction
    reason: Annotated[Text, checked_by(ActionForm, "reason")] = ""
    is_private: StrictBool = False


class Decision(Schema):
    """A decision about an item of the moderation queue."""

    decision: QueueDecision
    """One of the item's `decisions`. "reject" is the same as "remove"."""
    reason: Text = ""
    is_private: StrictBool = False
    """Whether the public log leaves out the text and its author."""


class NewBan(Schema):
    """A ban from a group or from the site."""

    group: Text = ""
    """The short name of a group; "" for the site."""
    days: Annotated[StrictInt, checked_by(BanForm, "days")] | None = None
    """Null for a permanent ban."""
    reason: Annotated[Text, checked_by(BanForm, "reason", minLength=1)]

"""The JSON objects that programs send. The forms of the site's pages also check their values."""

from typing import Literal

from forum.api.schemas import Schema


class NewPost(Schema):
    """A post to publish."""

    kind: Literal["link", "text", "question"]
    title: str
    link: str = ""
    text: str = ""
    """Markdown."""
    groups: list[str]
    """The short names of one to three groups."""


class EditedPost(Schema):
    """What to change in a post. Fields that are left out stay as they are."""

    title: str | None = None
    link: str | None = None
    text: str | None = None
    groups: list[str] | None = None
    reason: str = ""
    """Moderators must give a reason if they edit another person's post."""


class NewComment(Schema):
    """A comment to write."""

    text: str
    parent: int | None = None
    """The id of the comment to reply to; null to reply to the post."""
    on_question: bool = False
    """Whether it is a comment on a question, and not an answer."""


class EditedComment(Schema):
    """The new text of a comment."""

    text: str


class NewVote(Schema):
    """A vote. "none" takes a vote back."""

    vote: Literal["up", "down", "none"]


class Switch(Schema):
    """Turns something on or off."""

    on: bool


class NewFlag(Schema):
    """What is wrong with a post or comment."""

    kind: str
    """"spam", "off_topic" and so on: the kinds that the site's form offers."""
    words: str = ""
    to_admins: bool = False


class Read(Schema):
    """Which items of the inbox to mark as read."""

    item: int | None = None
    """The id of an item; null for all."""


class Moderation(Schema):
    """What a moderator does to a post or comment."""

    action: str
    """"remove", "restore", "approve", "dismiss", "lock", "unlock" and so on."""
    reason: str = ""
    is_private: bool = False


class NewBan(Schema):
    """A ban from a group or from the site."""

    group: str = ""
    """The short name of a group; "" for the site."""
    days: int | None = None
    """Null for a permanent ban."""
    reason: str

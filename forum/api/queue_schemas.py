"""The objects in the API's responses about the moderation queue."""

from datetime import datetime

from forum.api.schemas import Schema


class QueueFlag(Schema):
    """A flag on an item of the moderation queue."""

    kind: str
    """"spam", "off_topic", "unkind", "illegal", "broken", "other", or "votes" by the site."""
    words: str
    weight: float
    at: datetime
    by_rule: bool
    """Whether an automatic rule or the site flagged it."""
    by: str | None
    """The name of the person who flagged it; "[deleted]" if the account was deleted.

    Null for rules, the site and group moderators.
    """
    joined_at: datetime | None
    """When the account of the person who flagged was created."""
    agreed: int
    """With how many of the person's earlier flags moderators agreed."""
    disagreed: int
    to_admins: bool
    """Whether only moderators of the site see the flag."""


class QueueItem(Schema):
    """Something that moderators decide about: a post, a comment or a person."""

    id: int
    url: str
    kind: str
    """"flagged", "person" (a flagged person), "held" or "application"."""
    at: datetime
    weight: float
    """The sum of the weights of its flags."""
    post: int | None
    """The id of the post, or of the post that the comment is on. Null for a person."""
    comment: int | None
    author: str
    """The author of the post or comment, or the person that the item is about.

    "[deleted]" if the account was deleted.
    """
    title: str
    """The title of the post, or of the post that the comment is on."""
    link: str | None
    html: str
    """The text of the post or comment."""
    about: str
    """The bio of a flagged person, or the answer of an applicant."""
    groups: list[str]
    state: str
    """"published" if readers see the text, and for a person. Otherwise "held", "hidden", "removed",
    "merged" (into another post) or "deleted" (by its author).
    """
    held_by: str
    """The rule that held the text for approval; "" for other texts."""
    flags: list[QueueFlag]
    """The ten heaviest flags."""
    more_flags: bool
    decisions: list[str]
    """The decisions that the owner of the token can make now."""
    decision: str | None
    """What was decided; null for an open item."""
    decided_by: str | None
    decided_at: datetime | None
    reason: str
    """The reason for the decision."""


class QueueItems(Schema):
    """A page of the moderation queue: open items by weight, or the latest decisions."""

    items: list[QueueItem]
    next: str | None


class Decided(Schema):
    """Confirms a decision about an item of the moderation queue."""

    done: bool = True
    action: int | None
    """The id of the entry in the moderation log, with which the decision can be undone."""

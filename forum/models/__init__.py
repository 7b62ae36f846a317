"""The models. One file per concept; import them from here."""

from forum.models.archive import ArchivedVote, LedgerCursor, LedgerEntry
from forum.models.comment import Comment, Revision
from forum.models.group import Group, GroupAlias
from forum.models.inbox import InboxItem
from forum.models.numbers import ActivityPiece, BoardPoints, DailyViews
from forum.models.outbox import OutboxItem
from forum.models.pin import Pin
from forum.models.post import Post
from forum.models.site import SiteIdentity, SiteText
from forum.models.ties import Block, GroupFollow, HiddenGroup, Mark, PersonFollow, Watch
from forum.models.user import User
from forum.models.vote_value import VoteValue

__all__ = [
    "ActivityPiece",
    "ArchivedVote",
    "Block",
    "BoardPoints",
    "Comment",
    "DailyViews",
    "Group",
    "GroupAlias",
    "GroupFollow",
    "HiddenGroup",
    "InboxItem",
    "LedgerCursor",
    "LedgerEntry",
    "Mark",
    "OutboxItem",
    "PersonFollow",
    "Pin",
    "Post",
    "Revision",
    "SiteIdentity",
    "SiteText",
    "User",
    "VoteValue",
    "Watch",
]

"""What SQL keeps. One file per concept; import the models from here."""

from forum.models.archive import ArchivedVote, LedgerCursor, LedgerEntry
from forum.models.group import Group
from forum.models.outbox import OutboxItem
from forum.models.post import Post
from forum.models.user import User

__all__ = ["ArchivedVote", "Group", "LedgerCursor", "LedgerEntry", "OutboxItem", "Post", "User"]

"""The models. One file per concept; import them from here."""

from forum.models.api_token import ApiToken
from forum.models.archive import (
    ArchivedVote,
    LedgerCursor,
    LedgerEntry,
    UnitedVote,
    VoteState,
)
from forum.models.ban import Ban
from forum.models.comment import Comment, Revision
from forum.models.conversation import Conversation, Message, ModNote
from forum.models.day import DayPost, FinishedDay
from forum.models.draft import Draft
from forum.models.feed_key import FeedKey
from forum.models.flag import Flag, QueueItem, QueuePlace
from forum.models.former_name import FormerName
from forum.models.group import Group, GroupAlias
from forum.models.group_change import GroupChange
from forum.models.inbox import InboxItem
from forum.models.joining import Application, Invitation
from forum.models.managers import Withheld
from forum.models.mod_action import LogPlace, ModAction, MovedComment
from forum.models.moderator import GroupModerator
from forum.models.numbers import ActivityPiece, BoardPoints, DailyViews
from forum.models.outbox import FailedMail, OutboxItem
from forum.models.personal_data import DataExport, Erasure
from forum.models.pin import Pin
from forum.models.policy import SitePolicy
from forum.models.post import Post
from forum.models.preview import PreviewImage
from forum.models.rule import Mute, Rule
from forum.models.search import SavedSearch
from forum.models.security_event import SecurityEvent
from forum.models.site import SiteIdentity, SiteText
from forum.models.ties import (
    Block,
    GroupFollow,
    HiddenGroup,
    Mark,
    PersonFollow,
    PersonNote,
    SavedComment,
    Watch,
)
from forum.models.user import User
from forum.models.vote_signs import AccountNetwork, VoteSign
from forum.models.vote_value import VoteValue

__all__ = [
    "AccountNetwork",
    "ActivityPiece",
    "ApiToken",
    "Application",
    "ArchivedVote",
    "Ban",
    "Block",
    "BoardPoints",
    "Comment",
    "Conversation",
    "DailyViews",
    "DataExport",
    "DayPost",
    "Draft",
    "Erasure",
    "FailedMail",
    "FeedKey",
    "FinishedDay",
    "Flag",
    "FormerName",
    "Group",
    "GroupAlias",
    "GroupChange",
    "GroupFollow",
    "GroupModerator",
    "HiddenGroup",
    "InboxItem",
    "Invitation",
    "LedgerCursor",
    "LedgerEntry",
    "LogPlace",
    "Mark",
    "Message",
    "ModAction",
    "ModNote",
    "MovedComment",
    "Mute",
    "OutboxItem",
    "PersonFollow",
    "PersonNote",
    "Pin",
    "Post",
    "PreviewImage",
    "QueueItem",
    "QueuePlace",
    "Revision",
    "Rule",
    "SavedComment",
    "SavedSearch",
    "SecurityEvent",
    "SiteIdentity",
    "SitePolicy",
    "SiteText",
    "UnitedVote",
    "User",
    "VoteSign",
    "VoteState",
    "VoteValue",
    "Watch",
    "Withheld",
]

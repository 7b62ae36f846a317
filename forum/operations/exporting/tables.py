"""The tables that an export contains, and the tables that it leaves out, with the reasons.

A new model must be in one of the two lists; a test checks that.
"""

from typing import Any

from django.apps import apps
from django.db.models import Field, Model

EXPORTED = (
    *("forum.User", "account.EmailAddress", "mfa.Authenticator", "forum.ApiToken", "forum.FeedKey"),
    *("forum.FormerName", "socialaccount.SocialAccount"),
    *("forum.Group", "forum.GroupAlias", "forum.Post", "forum.Post_groups", "forum.Comment"),
    *("forum.GroupChange", "forum.Revision", "forum.ArchivedVote", "forum.UnitedVote"),
    *("forum.LedgerEntry", "forum.VoteValue", "forum.BoardPoints", "forum.DailyViews"),
    "forum.ActivityPiece",
    *("forum.FinishedDay", "forum.DayPost", "forum.PersonFollow", "forum.GroupFollow"),
    *("forum.HiddenGroup", "forum.Block", "forum.PersonNote", "forum.Mute", "forum.Mark"),
    *("forum.Watch", "forum.SavedComment", "forum.SavedSearch", "forum.InboxItem"),
    *("forum.GroupModerator", "forum.Rule", "forum.ModAction", "forum.LogPlace", "forum.Ban"),
    *("forum.QueueItem", "forum.QueuePlace", "forum.Flag", "forum.Conversation", "forum.Message"),
    *("forum.ModNote", "forum.MovedComment", "forum.Invitation", "forum.Application", "forum.Pin"),
    *("forum.SitePolicy", "forum.SiteText", "forum.SiteIdentity", "forum.Draft"),
    *("forum.SecurityEvent", "forum.Erasure"),
)
"""The models that an export contains, by label."""
DATABASE = "The database of each site makes these rows itself."
PERMISSIONS = "Rostra doesn't use Django's groups and permissions."
LEFT_OUT = {
    "account.EmailConfirmation": "Links in mails work for a short time only.",
    "admin.LogEntry": "It refers to rows of django_content_type, which differ from site to site.",
    "auth.Group": PERMISSIONS,
    "auth.Group_permissions": PERMISSIONS,
    "auth.Permission": DATABASE,
    "contenttypes.ContentType": DATABASE,
    "forum.AccountNetwork": "The hashes have the key of one site, and are kept for 30 days only.",
    "forum.DataExport": "It lasts a day. People ask for another copy.",
    "forum.FailedMail": "Its rows are rows of forum.OutboxItem.",
    "forum.LedgerCursor": "It is a position in one site's Redis.",
    "forum.OutboxItem": "It is for one site. A new site's Redis is filled from SQL.",
    "forum.PreviewImage": "The worker draws images again.",
    "forum.User_groups": PERMISSIONS,
    "forum.User_user_permissions": PERMISSIONS,
    "forum.VoteSign": "The worker finds these again.",
    "socialaccount.SocialApp": "Providers are settings.",
    "socialaccount.SocialToken": "Tokens of providers aren't stored.",
    "sessions.Session": "People log in again.",
}
"""Models that an export leaves out, and why."""
COMPUTED = {"forum.Post": {"search_text"}, "forum.Comment": {"search_text"}}
"""Fields that are left out, because they are computed again from other fields."""


def exported() -> list[type[Model]]:
    """Return the models that an export contains."""
    every = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    return [every[label] for label in EXPORTED]


def fields_of(model: type[Model]) -> "list[Field[Any, Any]]":
    """Return those fields of a model that are exported."""
    computed = COMPUTED.get(model._meta.label, set())
    return [one for one in model._meta.local_concrete_fields if one.name not in computed]


def file_of(model: type[Model]) -> str:
    """Return the name of the file with the rows of a model."""
    return f"{model._meta.model_name}.jsonl"

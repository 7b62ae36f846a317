"""The sentences of the privacy page. `docs/privacy.md` says the same for people who run a site."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.actions import account_deletions, drafts, retention, security_log
from forum.identity.session_use import IDLE
from forum.models import DataExport

Section = tuple[str, Sequence[str]]


def sections() -> list[Section]:
    """Return the sections of the page: each has a title and sentences."""
    return [
        (_("Public"), _public()),
        (_("Only you can see"), _private()),
        (_("Moderators and admins can see"), _staff()),
        (_("Your account"), _account()),
        (_("If you delete your account"), _deletion()),
    ]


def _days(length: timedelta) -> str:
    days = length.days
    return ngettext("%(days)s day", "%(days)s days", days) % {"days": days}


def _public() -> list[str]:
    lines = [
        _("Your user name, bio, posts and comments, until you change or delete them."),
        _("Your karma, the people who follow you, and the groups that you moderate."),
        _("Actions of moderators, in the moderation log, without end."),
    ]
    if settings.DELETED_TEXT_DAYS:
        length = _days(timedelta(days=settings.DELETED_TEXT_DAYS))
        sentence = _(
            "Texts you delete disappear at once. You and admins can read them for %(days)s."
        )
        lines.append(sentence % {"days": length})
        sentence = _("Earlier versions of texts are public for %(days)s.")
        lines.append(sentence % {"days": length})
    else:
        lines.append(
            _("Texts you delete disappear at once. You and admins can read them without end.")
        )
        lines.append(_("Earlier versions of texts are public without end."))
    return lines


def _private() -> list[str]:
    return [
        _(
            "Posts and comments you saved or hid, people you blocked, and your notes about people:"
            " until you change them."
        ),
        _("The posts you viewed lately, unless you turn this off in your preferences."),
        _("Your drafts: %(days)s after you saved them last.") % {"days": _days(drafts.LIFE)},
        _("Your inbox: %(days)s after you read an item.") % {"days": _days(retention.READ_ITEMS)},
        _("A copy of your data, if you ask for one: %(days)s.") % {"days": _days(DataExport.LIFE)},
    ]


def _staff() -> list[str]:
    return [
        _("Your votes: without end, because they are counted. Only admins can see who voted."),
        _(
            "Your flags, messages to moderators, bans, and moderators' notes about you: without"
            " end."
        ),
        _("On which days you were active: without end, to count active people."),
    ]


def _account() -> list[str]:
    return [
        _(
            "Email addresses, a hash of your password, and second factors, to log you in: until"
            " you change them."
        ),
        _(
            "Sessions, with browser and the first part of your network address: %(days)s after"
            " their last use."
        )
        % {"days": _days(IDLE)},
        _(
            "The security log, with a keyed hash of your network: %(days)s. Only you and admins"
            " can see it."
        )
        % {"days": _days(security_log.KEPT)},
        _(
            "Cookies for your session, this browser's log-ins, language and display. No others,"
            " and no tracking."
        ),
        _(
            "Backups contain all of this until they are removed. The people who run the site"
            " decide how long."
        ),
    ]


def _deletion() -> list[str]:
    return [
        _("You can change your mind for %(days)s, by logging in.")
        % {"days": _days(account_deletions.WAIT)},
        _("Then your name, addresses, settings and everything that only you can see are erased."),
        _("Posts and comments stay by “[deleted]”, or are removed, as you choose."),
        _("Your votes stay counted under a number. Nobody can take your user name for a year."),
        _("After a restore from a backup, the site erases your account again."),
    ]

"""The texts of inbox items about messages and notices from moderators."""

from datetime import datetime

from django.conf import settings
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from forum.actions.profiles import BIO
from forum.models import Message, ModAction
from forum.text.plain import shortened

Kind = ModAction.Kind
EXCERPT = 200
"""How many characters of a comment a notice about it has."""
APPEALABLE = {
    *(Kind.REMOVE, Kind.REJECT, Kind.TAKE_OUT, Kind.REMOVE_ALL, Kind.WARN, Kind.BAN),
    Kind.VOID_VOTES,
}


def text_of(message: Message) -> str:
    """Return the message as Markdown or, if it is a notice, sentences about the action.

    They are in the active language.
    """
    return _about(message.action) if message.action else message.body


def _about(action: ModAction) -> str:
    done, target = capfirst(str(action)), _target(action)
    lines = [done + _(": ") + target if target else done]
    if action.kind == Kind.VOID_VOTES:
        lines.append(_voided(action))
    if action.reason:
        lines.append(_("Reason: %(reason)s") % {"reason": action.translated_reason})
    if action.until:
        until = date_format(action.until, "DATETIME_FORMAT")
        lines.append(_("Until %(until)s UTC.") % {"until": until})
    if action.details.get(BIO):
        lines.append(_("The bio was removed, too."))
    if action.undone_at:
        lines.append(_("A moderator undid this action."))
    elif action.kind in APPEALABLE:
        lines.append(_("To appeal, open this message and reply to it."))
    return "\n".join(lines)


def _voided(action: ModAction) -> str:
    votes = action.details["done"]
    sentence = ngettext(
        "%(n)d vote that you cast from %(since)s to %(until)s UTC no longer counts.",
        "%(n)d votes that you cast from %(since)s to %(until)s UTC no longer count.",
        votes,
    )
    times = {
        name: date_format(datetime.fromisoformat(action.details[name]), "DATETIME_FORMAT")
        for name in ("since", "until")
    }
    return sentence % {"n": votes, **times}


def _target(action: ModAction) -> str:
    """Return what an action is about, in words; "" if it is about the person's whole account."""
    post, comment = action.post, action.comment
    if post and comment:
        text = shortened(comment.body_html, EXCERPT)
        return _("your comment on “%(title)s”: “%(text)s”") % {"title": post.title, "text": text}
    if post:
        return _("your post “%(title)s”") % {"title": post.title}
    if action.group:
        return action.group.title
    return settings.SITE_NAME if action.kind in {Kind.BAN, Kind.UNBAN} else ""

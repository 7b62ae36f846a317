"""Makes the entries of feeds from posts, comments, moderation actions and inbox items."""

from datetime import UTC, datetime

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join, linebreaks
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from forum.feeds.documents import Entry
from forum.models import InboxItem, ModAction, Post
from forum.models.deleted_names import is_deleted, shown_name
from forum.moderation.log.entries import LogEntry
from forum.queries.newest import FlatComment
from forum.store import post_cards


def of_post(post: Post) -> Entry:
    """Return the entry of a post."""
    path = post.get_absolute_url()
    return Entry(
        key=f"p/{post.pk}",
        title=post.title,
        path=path,
        author=post.author.shown_name,
        author_path=_profile(post.author.username),
        published=post.created_at,
        updated=post.edited_at or post.created_at,
        html=_linked(post) + post.body_html + _paragraph(path, _("Comments")),
        groups=_groups(post),
        link=post.url,
    )


def of_comment(comment: FlatComment) -> Entry:
    """Return the entry of a comment."""
    card, post = comment.card, comment.post
    names = {"author": shown_name(card.author), "title": post.title}
    posted_at = datetime.fromtimestamp(card.posted_at, UTC)
    edited_at = datetime.fromtimestamp(card.edited_at, UTC) if card.edited_at else posted_at
    return Entry(
        key=f"comments/{comment.id}",  # without the post, because merges move comments
        title=_("%(author)s on “%(title)s”") % names,
        path=reverse("comment", args=[post.pk, comment.id]),
        author=shown_name(card.author),
        author_path=_profile(card.author),
        published=posted_at,
        updated=edited_at,
        html=card.html,
        groups=_groups(post),
    )


def _profile(name: str) -> str:
    """Return the path of a person's profile. Deleted accounts have none."""
    return "" if is_deleted(name) else reverse("profile", args=[name])


def of_action(entry: LogEntry) -> Entry:
    """Return the entry of a moderation action, as the log shows it to guests."""
    action = entry.action
    group = action.group
    return Entry(
        key=f"modlog/{action.pk}",
        title=_action_title(entry),
        path=action.get_absolute_url(),
        author=entry.name,
        published=action.created_at,
        updated=action.undone_at or action.created_at,
        html=format_html_join("\n", "<p>{}</p>", ((line,) for line in _action_lines(entry))),
        groups=((group.slug, group.title),) if group else (),
    )


def is_current(item: InboxItem) -> bool:
    """Return whether a feed shows an inbox item.

    Items about something deleted are left out, unless they are from moderators.
    """
    return item.is_from_moderators or not _is_deleted(item)


def of_inbox_item(item: InboxItem) -> Entry:
    """Return the entry of an inbox item.

    Opening the link of the entry marks the item as read.
    """
    from_moderators = item.is_from_moderators
    message = linebreaks(item.message, autoescape=True) if item.message else ""
    return Entry(
        key=f"inbox/{item.pk}",
        title=item.sentence,
        path=reverse("inbox_item", args=[item.pk]),
        author=settings.SITE_NAME if from_moderators else item.actor.shown_name,
        author_path="" if from_moderators else _profile(item.actor.username),
        published=item.created_at,
        updated=item.created_at,
        html=message + (item.quoted.body_html if item.quoted else ""),
    )


def _is_deleted(item: InboxItem) -> bool:
    return any(about is not None and about.deleted_at for about in (item.post, item.comment))


def _linked(post: Post) -> SafeString:
    """Return the HTML of a post's link; "" if the post has no link."""
    return _paragraph(post.url, post_cards.domain(post.url)) if post.url else SafeString("")


def _paragraph(url: str, text: str) -> SafeString:
    return format_html('<p><a href="{}">{}</a></p>', url, text)


def _groups(post: Post) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((group.slug, group.title) for group in post.groups.all()))


def _action_title(entry: LogEntry) -> str:
    """Return the title of a log entry: the action, and its target unless the target is secret."""
    person = entry.person.shown_name if entry.person else ""
    concerned = _("private") if entry.is_secret else entry.target or person
    done = capfirst(str(entry.action))
    return done + _(": ") + concerned if concerned else done


def _action_lines(entry: LogEntry) -> list[str]:
    """Return lines with an action's reason, its extent, and when the action was undone."""
    action, lines = entry.action, []
    if action.reason:
        lines.append(_("Reason: %(reason)s") % {"reason": action.translated_reason})
    if action.kind == ModAction.Kind.VOID_VOTES and entry.progress:
        context = {"progress": entry.progress}
        lines.append(render_to_string("moderation/voided_votes.html", context).strip())
    if action.kind == ModAction.Kind.BAN:
        until = action.until and date_format(action.until, "DATETIME_FORMAT")
        lines.append(_("Until %(until)s UTC.") % {"until": until} if until else _("Permanently."))
    if action.undone_at:
        at = date_format(action.undone_at, "DATETIME_FORMAT")
        lines.append(_("Undone on %(at)s UTC.") % {"at": at})
    return lines

"""Reads all that the site stores about a person, for an export of their own data."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import override

from forum.actions.notice_texts import text_of
from forum.identity.sessions import open_sessions
from forum.models import (
    ApiToken,
    Application,
    ArchivedVote,
    Block,
    Comment,
    Draft,
    Flag,
    FormerName,
    GroupFollow,
    GroupModerator,
    HiddenGroup,
    InboxItem,
    Invitation,
    Mark,
    Message,
    Mute,
    PersonFollow,
    PersonNote,
    Post,
    Revision,
    SavedComment,
    SavedSearch,
    SecurityEvent,
    User,
    Watch,
)
from forum.queries import person_lists
from forum.queries.activity_calendar import calendar_of
from voting.types.person_lists import PersonList

Row = dict[str, Any]
SETTINGS = (
    *("keeps_history", "hides_read", "muted", "watches_own", "mails_replies", "mails_mentions"),
    *("mails_watched", "mails_moderators", "digest", "language"),
)
ROLES = ("is_staff", "is_superuser", "is_auditor")
TITLE = {
    "post_title": "post__title",
    "post_deleted_at": "post__deleted_at",
    "post_author_id": "post__author_id",
}
READ = 500
"""How many rows to read at once."""


def _account(person: User) -> Iterator[Row]:
    names = ("username", "email", "about", "karma", "likes_given", "date_joined", "last_login")
    row = {name: getattr(person, name) for name in (*names, "last_visit_at")}
    row["roles"] = [name for name in ROLES if getattr(person, name)]
    row["settings"] = {name: getattr(person, name) for name in SETTINGS}
    yield row


def _values(rows: "QuerySet[Any]", *fields: str, **named: str) -> Iterator[Row]:
    """Yield these fields of each row, and those that `named` maps names to."""
    names = (*fields, *named)
    for values in rows.order_by("pk").values_list(*fields, *named.values()).iterator(READ):
        yield dict(zip(names, values, strict=True))


def _with_title(row: Row, person: User) -> Row:
    """Return a row without the title of its post if somebody else's post is no longer visible."""
    gone, author_id = row.pop("post_deleted_at"), row.pop("post_author_id")
    return row | {"post_title": ""} if gone and author_id != person.pk else row


def _posts(person: User) -> Iterator[Row]:
    posts = Post.objects.filter(author=person).order_by("pk").prefetch_related("groups")
    for post in posts.defer("body_html", "search_text").iterator(READ):
        names = ("id", "kind", "title", "url", "body", "created_at", "edited_at", "deleted_at")
        row = {name: getattr(post, name) for name in (*names, "withheld", "up", "down")}
        yield row | {
            "groups": [group.slug for group in post.groups.all()],
            "address": f"{settings.SITE_URL}{post.get_absolute_url()}",
        }


def _comments(person: User) -> Iterator[Row]:
    comments = Comment.objects.filter(author=person)
    fields = ("id", "post_id", "parent_id", "body", "created_at", "edited_at", "deleted_at")
    for row in _values(comments, *fields, "withheld", "up", "down", **TITLE):
        address = f"/p/{row['post_id']}/c/{row['id']}"
        yield _with_title(row, person) | {"address": f"{settings.SITE_URL}{address}"}


def _revisions(person: User) -> Iterator[Row]:
    fields = ("post_id", "comment_id", "title", "body", "url", "until")
    of_posts = Revision.objects.filter(comment=None, post__author=person)
    yield from _values(of_posts, *fields)
    yield from _values(Revision.objects.filter(comment__author=person), *fields)


def _votes(person: User) -> Iterator[Row]:
    votes = ArchivedVote.objects.filter(user_id=person.pk).exclude(vote=0)
    return _values(votes, "post_id", "comment_id", "vote", "at")


def _marks(kind: Mark.Kind) -> Callable[[User], Iterator[Row]]:
    def marked(person: User) -> Iterator[Row]:
        marks = Mark.objects.filter(user=person, kind=kind)
        for row in _values(marks, "post_id", "at", **TITLE):
            yield _with_title(row, person)

    return marked


def _inbox(person: User) -> Iterator[Row]:
    """Yield the inbox items, as sentences in the person's language."""
    items = InboxItem.objects.filter(user=person).order_by("pk")
    with override(person.mail_language):
        for item in items.select_related(
            "actor", "post", "comment", "conversation__group"
        ).iterator(READ):
            names = ("kind", "sentence", "message", "post_id", "comment_id")
            yield {name: getattr(item, name) for name in (*names, "created_at", "read_at")}


def _messages(person: User) -> Iterator[Row]:
    """Yield messages and notices between the person and moderators, without moderators' names."""
    messages = Message.objects.filter(conversation__user=person).order_by("pk")
    related = ("conversation__group", *(f"action__{name}" for name in ("post", "comment", "group")))
    with override(person.mail_language):
        for message in messages.select_related(*related).iterator(READ):
            group = message.conversation.group
            yield {
                "from_moderators": message.from_moderators,
                "body": text_of(message),
                "created_at": message.created_at,
                "group": group.slug if group else None,
            }


def _viewed(person: User) -> Iterator[Row]:
    """Yield the posts that the person viewed lately. None while Redis is unavailable."""
    for post_id, at in person_lists.page(PersonList.VIEWED, person, 1).times.items():
        yield {"post_id": post_id, "at": at}


def _active_days(person: User) -> Iterator[Row]:
    """Yield the days of the last 53 weeks on which the person was active."""
    for day in chain.from_iterable(calendar_of(person.pk).weeks):
        if day.here:
            yield {"day": day.date}


def _sessions(person: User) -> Iterator[Row]:
    """Yield the open sessions: browser, coarse network and times, without the keys."""
    for session in open_sessions(person):
        yield asdict(session.use) if session.use else {}


def _of(
    rows: "QuerySet[Any]", owner: str, *fields: str, **named: str
) -> Callable[[User], Iterator[Row]]:
    """Return a function that yields the fields of a person's rows in a table."""
    return lambda person: _values(rows.filter(**{owner: person}), *fields, **named)


SECTIONS: dict[str, Callable[[User], Iterator[Row]]] = {
    "account": _account,
    "former_names": _of(FormerName.objects.all(), "user", "name", "changed_at"),
    "email_addresses": _of(EmailAddress.objects.all(), "user", "email", "verified", "primary"),
    "second_factors": _of(
        Authenticator.objects.all(), "user", "type", "created_at", "last_used_at"
    ),
    "providers": _of(SocialAccount.objects.all(), "user", "provider", "uid", "date_joined"),
    "tokens": _of(
        ApiToken.objects.all(), "user", "name", "scopes", "created_at", "used_at", "last_day"
    ),
    "sessions": _sessions,
    "application": _of(Application.objects.all(), "user", "answer", "created_at", "accepted"),
    "security_log": _of(SecurityEvent.objects.all(), "person", "at", "kind", "details"),
    "posts": _posts,
    "comments": _comments,
    "revisions": _revisions,
    "drafts": _of(
        Draft.objects.all(),
        "author",
        *("kind", "title", "url", "body", "groups", "post_id", "parent_id", "updated_at"),
    ),
    "votes": _votes,
    "saved": _marks(Mark.Kind.SAVED),
    "hidden": _marks(Mark.Kind.HIDDEN),
    "viewed": _viewed,
    "active_days": _active_days,
    "saved_comments": _of(SavedComment.objects.all(), "user", "comment_id", "at"),
    "saved_searches": _of(SavedSearch.objects.all(), "user", "name", "text"),
    "watched": _of(Watch.objects.all(), "user", "post_id", "on", "muted"),
    "follows": _of(PersonFollow.objects.all(), "follower", "at", person="person__username"),
    "followers": _of(PersonFollow.objects.all(), "person", "at", person="follower__username"),
    "followed_groups": _of(GroupFollow.objects.all(), "follower", "at", group="group__slug"),
    "hidden_groups": _of(HiddenGroup.objects.all(), "user", "at", group="group__slug"),
    "moderated_groups": _of(
        GroupModerator.objects.all(), "user", "created_at", group="group__slug"
    ),
    "blocked": _of(Block.objects.all(), "user", "at", person="blocked__username"),
    "notes": _of(
        PersonNote.objects.all(), "user", "label", "note", "at", person="person__username"
    ),
    "mutes": _of(Mute.objects.all(), "user", "kind", "text"),
    "inbox": _inbox,
    "messages": _messages,
    "flags": _of(
        Flag.objects.all(),
        *("user", "kind", "words", "created_at", "outcome"),
        post="item__post_id",
        comment="item__comment_id",
        about="item__person__username",
    ),
    "invitations": _of(Invitation.objects.all(), "by", "created_at", used="used_by__username"),
}
"""The files of an export. Each has a function that yields its rows.

`tests/forum/test_data_exports.py` has a list of the tables that refer to people and aren't here.
"""

"""A guest's vote or follow, which waits until the guest has logged in and confirms it.

The vote or follow button leads to log-in. The log-in URL names the action, as in
`vote=up&post=5&comment=7`, `follow=u/ada` or `follow=g/books`. Opening the URL saves nothing: the
log-in form sends the action in hidden fields.

Anybody can send such a URL to somebody else. So the log-in page names the post or the person, and
nothing happens until the person confirms the action on a separate page.

Log-in may take several requests, for example if it asks for a code after the password. Meanwhile,
the session keeps the action. It does so too while a guest is at a provider; then only a log-in with
a provider takes the action over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from time import time
from urllib.parse import quote, urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.actions import following, votes
from forum.errors import VotingUnavailable
from forum.identity.network import network_hash
from forum.identity.viewers import member, member_viewer
from forum.models import Comment, Group, Post, User
from forum.queries.merged_posts import surviving
from forum.queries.people import find_person
from forum.web.addresses import is_number
from forum.web.problem_sentences import why_not_cast
from forum.web.vote_notes import vote_note
from voting.errors import UnknownTarget, VotingClosed
from voting.types import BY_WORD, Ballot, Target, Vote

SESSION_KEY = "pending_action"
PERSON, GROUP = "u/", "g/"
"""Prefixes of the names of people and groups to follow, as in URLs: `u/ada`, `g/books`."""
LONGEST = 200
"""Maximum number of characters in the name of a person or group to follow, with its prefix."""


@dataclass(frozen=True, slots=True)
class PendingVote:
    """A guest's vote on a post or comment, which waits for log-in or confirmation."""

    vote: str
    post: Post
    comment: Comment | None

    template = "vote_confirm.html"

    def perform(self, request: HttpRequest, back: str) -> None:
        """Cast the vote.

        If the vote can't be cast, adds a message that says why. If an up or down vote was counted,
        adds a message unless the page at `back` shows the vote. Raises Banned if the person is
        banned, and Throttled if the person votes too fast.
        """
        target = Target(self.post.pk, self.comment.pk if self.comment else 0)
        try:
            ballot = votes.cast(
                member_viewer(request),
                target,
                BY_WORD[self.vote],
                network=partial(network_hash, request),
            )
        except (VotingClosed, UnknownTarget, VotingUnavailable) as error:
            messages.warning(request, why_not_cast(error))
            return
        anchor = f"comment-{target.comment_id}" if target.comment_id else f"post-{target.post_id}"
        if ballot.vote != Vote.NONE and urlsplit(back).fragment != anchor:
            address = (self.comment or self.post).get_absolute_url()
            link = format_html('<a href="{}">{}</a>', address, self.post.title)
            messages.success(request, _vote_message(ballot, link))


def _vote_message(ballot: Ballot, link: SafeString) -> SafeString:
    """Return the message after a vote on the post to which `link` leads."""
    closes_at, now = ballot.closes_at or None, int(time())
    if note := vote_note(ballot.vote, ballot.counts_at, closes_at, now):
        message = _("Your vote on {title} was saved. {note}.")
        return format_html(message, title=link, note=note)
    return format_html(_("Your vote was counted: {title}"), title=link)


@dataclass(frozen=True, slots=True)
class PendingFollow:
    """A guest's follow of a person or group, which waits for log-in or confirmation."""

    followed: User | Group

    template = "follow_confirm.html"

    @property
    def name(self) -> str:
        return self.followed.username if isinstance(self.followed, User) else self.followed.title

    def perform(self, request: HttpRequest, back: str) -> None:
        """Follow the person or group, and add a message. Raises the same errors as `follow`."""
        following.follow(member(request), self.followed, on=True)
        link = format_html('<a href="{}">{}</a>', self.followed.get_absolute_url(), self.name)
        messages.success(request, format_html(_("You now follow {name}."), name=link))


PendingAction = PendingVote | PendingFollow


def vote_address(vote: str, target: Target, next_url: str) -> str:
    """Return the URL of a log-in page that leads to a vote.

    After log-in, the person is asked to confirm the vote, and is then redirected to `next_url`.
    """
    comment = {"comment": target.comment_id} if target.comment_id else {}
    return _address("account_login", next_url, vote=vote, post=target.post_id, **comment)


def follow_address(followed: User | Group, next_url: str) -> str:
    """Return the URL of a log-in page that leads to a follow.

    After log-in, the person is asked to confirm the follow, and is then redirected to `next_url`.
    """
    if isinstance(followed, User):
        name = f"{PERSON}{followed.username}"
    else:
        name = f"{GROUP}{followed.slug}"
    return _address("account_login", next_url, follow=name)


def carried(request: HttpRequest) -> PendingAction | None:
    """Return the pending action in the URL of log-in or sign-up.

    Return None if there is no action, or if its post, comment, person or group doesn't exist.
    """
    return _find(_parse(request.GET))


def remember(request: HttpRequest, user_id: int) -> None:
    """Store a person's pending action, from the log-in or sign-up form, in the session."""
    if action := _parse(request.POST):
        request.session[SESSION_KEY] = (user_id, *action)


def carry(request: HttpRequest) -> None:
    """Store a guest's pending action, from the form that leads to a provider, in the session."""
    forget(request)
    if action := _parse(request.POST):
        request.session[SESSION_KEY] = (None, *action)


def take_over(request: HttpRequest, user_id: int) -> None:
    """Make a pending action that `carry` stored the action of the person who has logged in."""
    owner, *action = request.session.get(SESSION_KEY, (None,))
    if owner is None and action:
        request.session[SESSION_KEY] = (user_id, *action)


def confirm_address(request: HttpRequest, user_id: int, back: str) -> str:
    """Return the URL of the page on which a person confirms their pending action.

    That page then redirects to `back`. Without a pending action, return `back`.
    """
    owner, *_action = request.session.get(SESSION_KEY, (None,))
    return _address("pending_action", back) if owner == user_id else back


def waiting(request: HttpRequest, user_id: int) -> PendingAction | None:
    """Return the pending action that a person has to confirm.

    Return None if there is no action, if its post, comment, person or group doesn't exist, or if
    the person would follow themselves.
    """
    owner, *stored = request.session.get(SESSION_KEY, (None,))
    action = _find(stored) if owner == user_id else None
    if isinstance(action, PendingFollow) and isinstance(action.followed, User):
        return None if action.followed.pk == user_id else action
    return action


def forget(request: HttpRequest) -> bool:
    """Remove the pending action from the session; return whether there was one."""
    return request.session.pop(SESSION_KEY, None) is not None


def _address(view: str, next_url: str, **fields: object) -> str:
    query = urlencode({"next": next_url} | fields, quote_via=quote, safe="/")
    return f"{reverse(view)}?{query}"


def _parse(fields: Mapping[str, str]) -> list[str]:
    """Return the form fields that identify a pending action; an empty list if they are invalid."""
    vote, follow = fields.get("vote", ""), fields.get("follow", "")
    target = [fields.get("post", ""), fields.get("comment") or "0"]
    if vote in BY_WORD and all(map(is_number, target)):
        return [vote, *target]
    is_name = follow[len(PERSON) :] and follow.isprintable() and len(follow) <= LONGEST
    return [follow] if is_name else []


def _find(stored: list[str]) -> PendingAction | None:
    """Return the vote or follow that a guest began. `stored` has the fields that `_parse` returned.

    Returns None if the post, comment, person or group doesn't exist.
    """
    match stored:
        case [vote, post_id, comment_id]:
            voted = Post.objects.filter(pk=int(post_id)).first()
            post = surviving(voted) if voted else None
            if post is None or post.deleted_at:
                return None
            if comment_id == "0":
                return PendingVote(vote, post, None)
            comments = Comment.objects.visible().select_related("author").filter(post=post)
            comment = comments.filter(pk=int(comment_id)).first()
            return PendingVote(vote, post, comment) if comment else None
        case [follow] if follow.startswith((PERSON, GROUP)):
            name = follow[len(PERSON) :]
            groups = Group.objects.filter(slug=name)
            followed = find_person(name) if follow.startswith(PERSON) else groups.first()
            return PendingFollow(followed) if followed else None
    return None

"""A guest's vote or follow, carried through log-in and done once the person confirms it.

The button leads to log-in. The address there names the action (`vote=up&post=5&comment=7`,
`follow=u/ada` or `follow=g/books`), and the form repeats it in hidden fields
(`partials/pending_action.html`), so that a GET changes nothing. Anybody can send somebody such an
address. So the log-in page names the post or the person, and the action is performed only after a
"yes" on a page of its own.

The account adapter calls `remember` when the password was right, and leads to `confirm_address`
once the person is logged in: a code or a confirmed email address may be asked for in between.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum.content import votes
from forum.errors import VotingUnavailable
from forum.identity.viewers import member
from forum.models import Comment, Group, Post, User
from forum.queries.people import find_person
from forum.social import following
from forum.web.addresses import is_number
from forum.web.problems import why_not_cast
from voting.errors import UnknownTarget, VotingClosed
from voting.types import Target, Vote

VOTES = {"up": Vote.UP, "down": Vote.DOWN, "none": Vote.NONE}
"""Votes by their word in forms."""
SESSION_KEY = "pending_action"
PERSON, GROUP = "u/", "g/"
"""Prefixes of the name of what to follow, as in the address of its page."""
LONGEST = 200
"""Characters of such a name."""


@dataclass(frozen=True, slots=True)
class PendingVote:
    """A vote that waits for log-in or confirmation, and what it is on."""

    vote: str
    post: Post
    comment: Comment | None

    template = "vote_confirm.html"

    def perform(self, request: HttpRequest, back: str) -> None:
        """Cast the vote. Raises Throttled. One round trip.

        The next page says that the vote counts, unless `back` shows it, or why it doesn't count.
        """
        person = member(request)
        target = Target(self.post.pk, self.comment.pk if self.comment else 0)
        joined_at = person.date_joined.timestamp()
        try:
            ballot = votes.cast(person.pk, joined_at, target, VOTES[self.vote])
        except (VotingClosed, UnknownTarget, VotingUnavailable) as error:
            messages.warning(request, why_not_cast(error))
            return
        anchor = f"comment-{target.comment_id}" if target.comment_id else f"post-{target.post_id}"
        if ballot.vote != Vote.NONE and urlsplit(back).fragment != anchor:
            address = (self.comment or self.post).get_absolute_url()
            link = format_html('<a href="{}">{}</a>', address, self.post.title)
            messages.success(request, format_html(_("Your vote was counted: {title}"), title=link))


@dataclass(frozen=True, slots=True)
class PendingFollow:
    """A person or group that somebody wants to follow."""

    followed: User | Group

    template = "follow_confirm.html"

    @property
    def name(self) -> str:
        return self.followed.username if isinstance(self.followed, User) else self.followed.title

    def perform(self, request: HttpRequest, back: str) -> None:
        """Follow the person or group, and say so. Raises Throttled and StoreUnavailable."""
        following.follow(member(request), self.followed, on=True)
        link = format_html('<a href="{}">{}</a>', self.followed.get_absolute_url(), self.name)
        messages.success(request, format_html(_("You now follow {name}."), name=link))


PendingAction = PendingVote | PendingFollow


def vote_address(vote: str, target: Target, next_url: str) -> str:
    """Return the log-in address with a pending vote, which leads to `next_url` afterwards."""
    comment = {"comment": target.comment_id} if target.comment_id else {}
    return _address("account_login", next_url, vote=vote, post=target.post_id, **comment)


def follow_address(followed: User | Group, next_url: str) -> str:
    """Return the log-in address with a pending follow, which leads to `next_url` afterwards."""
    if isinstance(followed, User):
        name = f"{PERSON}{followed.username}"
    else:
        name = f"{GROUP}{followed.slug}"
    return _address("account_login", next_url, follow=name)


def carried(request: HttpRequest) -> PendingAction | None:
    """Return the action in the address of log-in or sign-up; None if its target is gone.

    Two queries at most.
    """
    return _find(_parse(request.GET))


def remember(request: HttpRequest, user_id: int) -> None:
    """Store the action of a log-in or sign-up form for the person who is about to be logged in."""
    if action := _parse(request.POST):
        request.session[SESSION_KEY] = (user_id, *action)


def confirm_address(request: HttpRequest, user_id: int, back: str) -> str:
    """Return the address of the page that asks a person to confirm their action and then leads to
    `back`; just `back` if they have none.
    """
    owner, *_action = request.session.get(SESSION_KEY, (None,))
    return _address("pending_action", back) if owner == user_id else back


def waiting(request: HttpRequest, user_id: int) -> PendingAction | None:
    """Return the action that a person is to confirm; None if it is not possible, such as to follow
    themselves. Two queries at most.
    """
    owner, *stored = request.session.get(SESSION_KEY, (None,))
    action = _find(stored) if owner == user_id else None
    if isinstance(action, PendingFollow) and isinstance(action.followed, User):
        return None if action.followed.pk == user_id else action
    return action


def forget(request: HttpRequest) -> bool:
    """Remove the stored action; return whether there was one."""
    return request.session.pop(SESSION_KEY, None) is not None


def _address(view: str, next_url: str, **fields: object) -> str:
    query = urlencode({"next": next_url} | fields, quote_via=quote, safe="/")
    return f"{reverse(view)}?{query}"


def _parse(fields: Mapping[str, str]) -> list[str]:
    """Return what is needed to find an action, as text; nothing if there is no valid one."""
    vote, follow = fields.get("vote", ""), fields.get("follow", "")
    target = [fields.get("post", ""), fields.get("comment") or "0"]
    if vote in VOTES and all(map(is_number, target)):
        return [vote, *target]
    is_name = follow[len(PERSON) :] and follow.isprintable() and len(follow) <= LONGEST
    return [follow] if is_name else []


def _find(stored: list[str]) -> PendingAction | None:
    """Return a parsed action with its target; None if that is gone. Two queries at most."""
    match stored:
        case [vote, post_id, comment_id]:
            post = Post.objects.visible().filter(pk=int(post_id)).first()
            if post is None or comment_id == "0":
                return PendingVote(vote, post, None) if post else None
            comments = Comment.objects.visible().select_related("author").filter(post=post)
            comment = comments.filter(pk=int(comment_id)).first()
            return PendingVote(vote, post, comment) if comment else None
        case [follow] if follow.startswith((PERSON, GROUP)):
            name = follow[len(PERSON) :]
            groups = Group.objects.filter(slug=name)
            followed = find_person(name) if follow.startswith(PERSON) else groups.first()
            return PendingFollow(followed) if followed else None
    return None

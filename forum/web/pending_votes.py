"""A guest's wish to vote, carried through log-in and cast once the person confirms it.

An arrow that a guest sees leads to log-in and carries the wish in the address; the form there
repeats it in hidden fields (`partials/vote_wish.html`), so that nothing happens by a GET. Anybody
can make such an address and send it to somebody. Therefore the log-in page names the post, and the
vote is cast only after the person has said yes on a page of its own (`question`).

The account adapter calls `remember` when a name and password were right, and leads to `question`
when the person is in: between the two there may be a second factor or a confirmed email address.
"""

from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.models import Comment, Post
from forum.web import error_responses
from forum.web.addresses import is_number
from voting.errors import StoreUnavailable, UnknownTarget, VotingClosed
from voting.types import Target, Vote

WORDS = {"up": Vote.UP, "down": Vote.DOWN, "none": Vote.NONE}
"""What forms say, and the votes that it stands for."""
SESSION_KEY = "vote_wish"


@dataclass(frozen=True, slots=True)
class Wish:
    """A vote that waits for log-in or confirmation, and what it is on."""

    vote: str
    post: Post
    comment: Comment | None


def login_address(vote: str, target: Target, next_url: str) -> str:
    """Return the address of log-in that carries a wish and then leads to `next_url`."""
    fields = {"next": next_url, "vote": vote, "post": target.post_id}
    if target.comment_id:
        fields["comment"] = target.comment_id
    return f"{reverse('account_login')}?{urlencode(fields, quote_via=quote, safe='/')}"


def carried(request: HttpRequest) -> Wish | None:
    """Return the wish in the address of log-in or sign-up, unless what it is on is gone.

    One query at most, two for a comment.
    """
    vote, post_id = request.GET.get("vote", ""), request.GET.get("post", "")
    comment_id = request.GET.get("comment") or "0"
    if vote in WORDS and is_number(post_id) and is_number(comment_id):
        return _find(vote, int(post_id), int(comment_id))
    return None


def remember(request: HttpRequest, user_id: int) -> None:
    """Keep the wish of a log-in or sign-up form until that person is in, whoever comes first."""
    vote = request.POST.get("vote", "")
    post_id, comment_id = request.POST.get("post", ""), request.POST.get("comment") or "0"
    if vote in WORDS and is_number(post_id) and is_number(comment_id):
        request.session[SESSION_KEY] = (user_id, vote, int(post_id), int(comment_id))


def question(request: HttpRequest, user_id: int, back: str) -> str:
    """Return the address that asks a person about their wish and then leads to `back`; that itself
    where they have none.
    """
    wisher, *_wish = request.session.get(SESSION_KEY, (None,))
    if wisher != user_id:
        return back
    return f"{reverse('vote_confirm')}?{urlencode({'next': back}, quote_via=quote, safe='/')}"


def waiting(request: HttpRequest, user_id: int) -> Wish | None:
    """Return the wish that a person is to be asked about. Two queries at most."""
    wisher, *wish = request.session.get(SESSION_KEY, (None,))
    return _find(*wish) if wisher == user_id else None


def forget(request: HttpRequest) -> bool:
    """Let the wish go; return whether there was one."""
    return request.session.pop(SESSION_KEY, None) is not None


def grant(request: HttpRequest, wish: Wish, user_id: int, back: str) -> None:
    """Cast a wish that was confirmed, and say so unless `back` leads to where the vote shows.

    The next page says why a vote can't be cast. One round trip.
    """
    target = Target(wish.post.pk, wish.comment.pk if wish.comment else 0)
    try:
        ballot = get_voting_service().cast_vote(user_id, target, WORDS[wish.vote])
    except (VotingClosed, UnknownTarget, StoreUnavailable) as refusal:
        messages.warning(request, error_responses.why_not_cast(refusal))
        return
    if ballot.vote != Vote.NONE and not _shows(back, target):
        about = wish.comment or wish.post
        link = format_html('<a href="{}">{}</a>', about.get_absolute_url(), wish.post.title)
        messages.success(request, format_html(_("Your vote is counted: {title}"), title=link))


def _find(vote: str, post_id: int, comment_id: int) -> Wish | None:
    """Return a wish with what it is on; None where that is gone. Two queries at most."""
    post = Post.objects.visible().filter(pk=post_id).first()
    comments = Comment.objects.visible().select_related("author").filter(post=post)
    comment = comments.filter(pk=comment_id).first() if post and comment_id else None
    if post is None or (comment_id and comment is None):
        return None
    return Wish(vote, post, comment)


def _shows(address: str, target: Target) -> bool:
    """Return whether an address leads to the very row or comment that was voted on."""
    place = f"comment-{target.comment_id}" if target.comment_id else f"post-{target.post_id}"
    return urlsplit(address).fragment == place

"""Voting on posts and comments."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.identity.viewers import subject, viewer
from forum.models import Comment
from forum.rendering import comment_html, rows
from forum.throttling.throttle import rate_limit
from forum.web import error_responses, pending_actions
from forum.web.methods import require_POST
from forum.web.redirects import origin, see
from voting.errors import UnknownTarget
from voting.types import Ballot, Target, Vote
from voting.types.limits import RateLimit


@dataclass(frozen=True, slots=True)
class Pressed:
    """A reader's wish: who presses what on which target, and how fast they may."""

    viewer_id: int
    target: Target
    wanted: Vote
    pace: RateLimit


Show = Callable[[HttpRequest, Pressed], SafeString]
"""What casts a vote and shows its outcome to the script."""


@require_POST
def post_vote(request: HttpRequest, post_id: int) -> HttpResponse:
    """Bring the reader's vote on a post to what was pressed. One round trip.

    Answers with the row again where the script asked for a fragment, else leads back to it.
    """
    return _vote(request, Target(post_id), f"post-{post_id}", _row)


@require_POST
def comment_vote(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Bring the reader's vote on a comment to what was pressed, as for a post.

    A fragment takes a query, and has what a vote changes of the comment.
    """
    return _vote(request, Target(post_id, comment_id), f"comment-{comment_id}", _comment)


def _vote(request: HttpRequest, target: Target, anchor: str, show: Show) -> HttpResponse:
    word = request.POST.get("vote", "")
    wanted = pending_actions.VOTES.get(word)
    if wanted is None:
        return error_responses.bad_request(request, _("A vote is up, down or none."))
    back = f"{origin(request, reverse('post_short', args=[target.post_id]))}#{anchor}"
    person = viewer(request)
    if person is None:
        return see(pending_actions.vote_address(word, target, back))
    pressed = Pressed(person.id, target, wanted, rate_limit(subject(request), "vote"))
    if error_responses.FRAGMENT in request.headers:
        return HttpResponse(show(request, pressed))
    _cast(pressed)
    return see(back)


def _cast(pressed: Pressed) -> Ballot:
    return get_voting_service().votes.cast(
        pressed.viewer_id, pressed.target, pressed.wanted, limit=pressed.pace
    )


def _row(request: HttpRequest, pressed: Pressed) -> SafeString:
    _ballot, row = get_voting_service().votes.cast_and_show(
        pressed.viewer_id, pressed.target.post_id, pressed.wanted, limit=pressed.pace
    )
    return rows.render_fragment(request, row)


def _comment(_request: HttpRequest, pressed: Pressed) -> SafeString:
    """SQL is asked first: where it is away, nothing is counted, as the refusal says. Whether the
    comment takes votes is for voting to say.
    """
    on = pressed.target
    found = Comment.objects.filter(pk=on.comment_id)
    author = found.values_list("author__username", flat=True).first()
    if author is None:
        raise UnknownTarget(on)
    return comment_html.render_votes(_cast(pressed), author)

"""Voting on posts and comments."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions import votes
from forum.errors import Invalid
from forum.identity.network import network_hash
from forum.identity.viewers import Viewer, viewer
from forum.models import Comment
from forum.web import comment_html, error_responses, pending_actions, rows
from forum.web.methods import require_POST
from forum.web.redirects import origin, redirect_303
from voting.errors import UnknownTarget
from voting.types import BY_WORD, Target, Vote


@require_POST
def post_vote(request: HttpRequest, post_id: int) -> HttpResponse:
    """Cast the viewer's vote on a post. JavaScript gets the post's new row."""
    return _vote(request, Target(post_id))


@require_POST
def comment_vote(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Cast the viewer's vote on a comment.

    JavaScript gets only the parts of the comment that show votes.
    """
    return _vote(request, Target(post_id, comment_id))


def _vote(request: HttpRequest, target: Target) -> HttpResponse:
    word = request.POST.get("vote", "")
    vote = BY_WORD.get(word)
    if vote is None:
        raise Invalid(_('Invalid value for "vote": use up, down or none.'))
    back, person = origin(request, reverse("post_short", args=[target.post_id])), viewer(request)
    if person is None:
        voted = f"{back}#{_anchor(target)}"
        return redirect_303(pending_actions.vote_address(word, target, voted))
    if error_responses.FRAGMENT not in request.headers:
        ballot = votes.cast(person, target, vote, network=partial(network_hash, request))
        return redirect_303(f"{back}#{_anchor(ballot.target)}")
    if target.comment_id:
        return _comment_fragment(request, person, target, vote)
    (row,) = votes.cast(
        person, target, vote, network=partial(network_hash, request), with_row=True
    ).rows
    return HttpResponse(rows.render_fragment(request, row))


def _anchor(target: Target) -> str:
    """Return the HTML id of a post or comment on pages."""
    return f"comment-{target.comment_id}" if target.comment_id else f"post-{target.post_id}"


def _comment_fragment(
    request: HttpRequest, person: Viewer, target: Target, vote: Vote
) -> HttpResponse:
    """Cast a vote and return the parts of the comment that show votes.

    SQL is read first, so that no vote is counted if SQL is down.
    """
    comment = Comment.objects.filter(pk=target.comment_id)
    found = comment.values_list("author__username", "created_at").first()
    if found is None:
        raise UnknownTarget(target)
    author, created_at = found
    ballot = votes.cast(person, target, vote, network=partial(network_hash, request))
    return HttpResponse(comment_html.render_votes(ballot, author, created_at.timestamp()))

"""Voting on posts and comments."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from forum.models import Comment
from forum.pages import comment_rows, refusals, rows, wishes
from forum.pages.returning import origin, see
from forum.pages.rows import Place
from forum.store import voting
from forum.visiting import pacing
from forum.visiting.viewers import viewer
from voting.errors import UnknownTarget
from voting.types import Target

Fragment = Callable[[HttpRequest, int, Target], SafeString]
"""What shows a person the outcome of their vote on a target."""


@require_POST
def post_vote(request: HttpRequest, post_id: int) -> HttpResponse:
    """Bring the reader's vote on a post to what was pressed. One round trip, two for a fragment.

    Answers with the row again where the script asked for a fragment, else leads back to it.
    """
    return _vote(request, Target(post_id), f"post-{post_id}", _row)


@require_POST
def comment_vote(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Bring the reader's vote on a comment to what was pressed, as for a post.

    A fragment takes a query more, and has what a vote changes of the comment.
    """
    return _vote(request, Target(post_id, comment_id), f"comment-{comment_id}", _comment)


def _vote(request: HttpRequest, target: Target, anchor: str, show: Fragment) -> HttpResponse:
    word = request.POST.get("vote", "")
    wanted = wishes.read_vote(word)
    if wanted is None:
        return refusals.bad_request(request, _("A vote is up, down or none."))
    back = f"{origin(request, reverse('post_short', args=[target.post_id]))}#{anchor}"
    person = viewer(request)
    if person is None:
        return see(wishes.login_address(word, target, back))
    pace = pacing.of(request, "vote")
    voting().cast_vote(person.id, target, wanted, pace=pace)
    if refusals.FRAGMENT not in request.headers:
        return see(back)
    return HttpResponse(show(request, person.id, target))


def _row(request: HttpRequest, viewer_id: int, target: Target) -> SafeString:
    row, _standing = voting().post(target.post_id, viewer=viewer_id)
    place = Place.POST if request.headers[refusals.FRAGMENT] == "post" else Place.LIST
    return rows.article(row, "", member=True, place=place)


def _comment(request: HttpRequest, viewer_id: int, target: Target) -> SafeString:
    tallies = voting().comments.tallies(target.post_id, [target.comment_id], viewer=viewer_id)
    author = Comment.objects.values_list("author__username", flat=True).get(pk=target.comment_id)
    if target.comment_id not in tallies:  # deleted since the vote
        raise UnknownTarget(target)
    return comment_rows.votes_of(target, author, tallies[target.comment_id])

"""Voting on posts."""

from urllib.parse import urldefrag

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from forum import refusals, rows, wishes
from forum.rows import Place
from forum.store import voting
from forum.viewers import viewer
from voting.types import Target


@require_POST
def post_vote(request: HttpRequest, post_id: int) -> HttpResponse:
    """Bring the reader's vote on a post to what was pressed. One round trip, two for a fragment.

    Answers with the row again where the script asked for a fragment, else leads back to it.
    """
    word = request.POST.get("vote", "")
    wanted = wishes.read_vote(word)
    if wanted is None:
        return refusals.bad_request(request, _("A vote is up, down or none."))
    back = f"{_next(request, post_id)}#post-{post_id}"
    person = viewer(request)
    if person is None:
        return _see(wishes.login_address(word, post_id, back))
    voting().cast_vote(person.id, Target(post_id), wanted)
    if refusals.FRAGMENT not in request.headers:
        return _see(back)
    row, _standing = voting().post(post_id, viewer=person.id)
    place = Place.POST if request.headers[refusals.FRAGMENT] == "post" else Place.LIST
    return HttpResponse(rows.article(row, back, member=True, place=place))


def _next(request: HttpRequest, post_id: int) -> str:
    """Return where the person was, if that is a page of this site, else the post's page."""
    wanted, _fragment = urldefrag(request.POST.get("next", ""))
    hosts = {request.get_host()}
    if wanted and url_has_allowed_host_and_scheme(wanted, hosts, request.is_secure()):
        return wanted
    return reverse("post_short", args=[post_id])


def _see(address: str) -> HttpResponse:
    return HttpResponseRedirect(address, status=303)

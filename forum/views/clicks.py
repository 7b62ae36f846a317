"""Counts clicks on a post's link to another site.

Listings link directly to the other site, so that people can see and copy the URL, and browsers mark
the link as visited. The link's `ping` attribute reports a click to `/p/N/out`. Firefox ignores
`ping`, so there `static/clicks.js` reports the click. A browser with neither `ping` nor JavaScript
reports no clicks. For old links, a GET of `/p/N/out` still redirects to the other site.
"""

from contextlib import suppress

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from forum.errors import Gone
from forum.identity.visitors import clicker, visitor
from forum.store.service import get_voting_service
from forum.web import error_responses
from forum.web.guest_pages import changes_no_page
from forum.web.methods import require_form
from forum.web.same_site import is_from_our_page
from forum.web.thread_pages import find_surviving
from voting.errors import StoreUnavailable


# A ping has no CSRF token. It needs none: it only counts a view by this browser, and is refused if
# another site sent it.
@csrf_exempt
@require_form
def out(request: HttpRequest, post_id: int) -> HttpResponse:
    """Count a click on a post's link; a GET also redirects to the link's URL.

    A click counts as a view, once per visitor and day. While Redis is unavailable, nothing is
    counted.
    """
    if request.method == "POST":
        return _counted(request, post_id)
    post = find_surviving(post_id)
    if post.deleted_at:
        raise Gone(post)
    if not post.url:
        raise Http404("a post without an outside address")
    _count(post.pk, visitor(request))
    response = HttpResponseRedirect(post.url)
    response["X-Robots-Tag"] = "nofollow, noindex"
    response["Cache-Control"] = "no-store"
    return response


def _counted(request: HttpRequest, post_id: int) -> HttpResponse:
    if not is_from_our_page(request):
        return error_responses.refuse(
            request, 403, _("Clicks are counted only from this site's pages.")
        )
    _count(post_id, clicker(request))
    return changes_no_page(HttpResponse(status=204))


def _count(post_id: int, clicking: str) -> None:
    if clicking:
        with suppress(StoreUnavailable):
            get_voting_service().views.count(post_id, clicking)

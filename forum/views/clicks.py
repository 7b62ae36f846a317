"""Clicks on a post's outside link, counted on the way by a redirect that needs no script."""

from contextlib import suppress

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404

from forum.methods import require_safe
from forum.models import Post
from forum.pages import thread_pages
from forum.store import voting
from forum.visiting.visitors import visitor
from voting.errors import StoreUnavailable


@require_safe
def out(request: HttpRequest, post_id: int) -> HttpResponse:
    """Lead to the address that SQL has of a post, and to no other; a click is a view.

    One query and one round trip; without Redis the way is open and nothing is counted.
    """
    post = get_object_or_404(Post.objects.only("url", "deleted_at"), pk=post_id)
    if post.deleted_at:
        return thread_pages.post_gone(request)
    if not post.url:
        raise Http404("a post without an outside address")
    clicking = visitor(request)
    if clicking:
        with suppress(StoreUnavailable):
            voting().counters.view(post_id, clicking)
    response = HttpResponseRedirect(post.url)
    response["X-Robots-Tag"] = "nofollow, noindex"
    response["Cache-Control"] = "no-store"
    return response

"""What posts and comments said before they were edited, for everybody to see."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.errors import Gone
from forum.models import Comment, Post
from forum.queries.revisions import past
from forum.rendering.previews import throttle_long_text
from forum.rendering.thread_pages import about_comment, about_post
from forum.text import markup
from forum.web import addresses
from forum.web.methods import require_safe


@require_safe
@about_post
def of_post(request: HttpRequest, post: Post) -> HttpResponse:
    """Show what a post said. A round trip where that is long."""
    return _page(request, post, None)


@require_safe
@about_comment
def of_comment(request: HttpRequest, post: Post, comment: Comment) -> HttpResponse:
    """Show what a comment said. A round trip where that is long."""
    if comment.deleted_at:
        raise Gone(comment)
    return _page(request, post, comment)


def _page(request: HttpRequest, post: Post, comment: Comment | None) -> HttpResponse:
    before = addresses.before(request.GET)
    found = past(post, comment, before)
    throttle_long_text(request, "".join(each.body for each in found.revisions))
    said = [(each, markup.render(each.body)) for each in found.revisions]
    context = {"post": post, "comment": comment, "said": said}
    return render(request, "revisions.html", context | {"before": before, "older": found.older})

"""The public pages with the revisions of posts and comments."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.errors import Gone
from forum.models import Comment, Post
from forum.queries.revisions import revision_page
from forum.text import markup
from forum.web import addresses
from forum.web.methods import require_safe
from forum.web.previews import throttle_long_text
from forum.web.thread_pages import about_comment, about_post


@require_safe
@about_post
def of_post(request: HttpRequest, post: Post) -> HttpResponse:
    """Show the revisions of a post.

    Showing long texts counts towards a rate limit.
    """
    return _page(request, post, None)


@require_safe
@about_comment
def of_comment(request: HttpRequest, post: Post, comment: Comment) -> HttpResponse:
    """Show the revisions of a comment.

    Showing long texts counts towards a rate limit.
    """
    if comment.deleted_at:
        raise Gone(comment)
    return _page(request, post, comment)


def _page(request: HttpRequest, post: Post, comment: Comment | None) -> HttpResponse:
    before = addresses.before(request.GET)
    page = revision_page(post, comment, before)
    throttle_long_text(request, "".join(each.body for each in page.revisions))
    rendered = [(each, markup.render(each.body)) for each in page.revisions]
    context = {"post": post, "comment": comment, "revisions": rendered}
    return render(request, "revisions.html", context | {"before": before, "older": page.older})

"""The Markdown of posts and comments as their authors wrote it."""

from django.http import HttpRequest, HttpResponse

from forum.errors import Gone
from forum.models import Comment, Post
from forum.web.methods import require_safe
from forum.web.thread_pages import about_comment, about_post


@require_safe
@about_post
def of_post(_request: HttpRequest, post: Post) -> HttpResponse:
    """Show the Markdown of a post. Posts without a text have an empty one."""
    return _text(post.body)


@require_safe
@about_comment
def of_comment(_request: HttpRequest, _post: Post, comment: Comment) -> HttpResponse:
    """Show the Markdown of a comment. Raises Gone if it was deleted."""
    if comment.deleted_at:
        raise Gone(comment)
    return _text(comment.body)


def _text(body: str) -> HttpResponse:
    headers = {"X-Robots-Tag": "noindex"}
    return HttpResponse(body, content_type="text/plain; charset=utf-8", headers=headers)

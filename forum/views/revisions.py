"""What posts and comments said before they were edited, for everybody to see."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from forum.methods import require_safe
from forum.models import Comment, Post
from forum.pages import thread_pages
from forum.pages.thread_pages import about_comment, about_post
from forum.queries.revisions import revisions
from forum.text import markup


@require_safe
@about_post
def of_post(request: HttpRequest, post: Post) -> HttpResponse:
    """Show what a post said."""
    return _page(request, post, None)


@require_safe
@about_comment
def of_comment(request: HttpRequest, post: Post, comment: Comment) -> HttpResponse:
    """Show what a comment said."""
    if comment.deleted_at:
        return thread_pages.comment_gone(request)
    return _page(request, post, comment)


def _page(request: HttpRequest, post: Post, comment: Comment | None) -> HttpResponse:
    said = [(each, markup.render(each.body)) for each in revisions(post, comment)]
    return render(request, "revisions.html", {"post": post, "comment": comment, "said": said})

"""What the pages of a thread share: finding what they are about, and reading their address."""

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum import permissions
from forum.identity.viewers import member
from forum.models import Comment, Post, User
from forum.web import error_responses
from forum.web.addresses import is_number
from forum.web.login_required import login_required
from voting.types.comments import Sort

AboutPost = Callable[[HttpRequest, Post], HttpResponse]
AboutComment = Callable[[HttpRequest, Post, Comment], HttpResponse]
ByPost = Callable[[HttpRequest, int], HttpResponse]
Rule = Callable[[User | AnonymousUser, Comment], None]
ByComment = Callable[[HttpRequest, int, int], HttpResponse]
TALK = "talk"
"""Marks a message that is said at the head of the comments: whoever is led there does not see the
top of the page.
"""


def about_post(view: AboutPost) -> ByPost:
    """Hand a view the post of its address; 404 where there is none, 410 where it is deleted."""

    @wraps(view)
    def found(request: HttpRequest, post_id: int) -> HttpResponse:
        post = get_object_or_404(Post.objects.select_related("author"), pk=post_id)
        return view(request, post) if post.deleted_at is None else post_gone(request)

    return found


def about_comment(view: AboutComment) -> ByComment:
    """Hand a view the comment of its address and the post, which must be its own. One query."""

    @wraps(view)
    def found(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
        comments = Comment.objects.select_related("author", "post__author")
        comment = get_object_or_404(comments, pk=comment_id, post_id=post_id)
        if comment.post.deleted_at:
            return post_gone(request)
        return view(request, comment.post, comment)

    return found


def about_own_comment(view: AboutComment) -> ByComment:
    """Hand its author a view of a comment; see `_allowed`."""
    return _allowed(view, permissions.require_author)


def about_removable_comment(view: AboutComment) -> ByComment:
    """Hand its author and staff a view of a comment; see `_allowed`."""
    return _allowed(view, permissions.require_removal)


def _allowed(view: AboutComment, require: Rule) -> ByComment:
    """Hand a view the comment of its address, see `about_comment`. A guest may log in, who may not
    gets PermissionDenied, and a deleted comment is gone.
    """

    @login_required
    @about_comment
    @wraps(view)
    def found(request: HttpRequest, post: Post, comment: Comment) -> HttpResponse:
        require(member(request), comment)
        return comment_gone(request, post) if comment.deleted_at else view(request, post, comment)

    return found


def post_gone(request: HttpRequest) -> HttpResponse:
    """Answer 410 for a deleted post."""
    return error_responses.gone(request, _("This post was deleted."))


def comment_gone(request: HttpRequest, post: Post) -> HttpResponse:
    """Answer 410 for a deleted comment, and lead to its post."""
    return error_responses.gone(request, _("This comment was deleted."), post_id=post.pk)


def say_watched(request: HttpRequest, post: Post) -> None:
    """Say on the next page that the reader watches a thread now, with a button that ends it."""
    button = format_html(
        '<button class="link" form="vote" formaction="{}" name="on" value="0">{}</button>',
        reverse("post_watch", args=[post.pk]),
        _("Stop watching"),
    )
    sentence = _("You now watch this thread: new comments appear in your inbox.")
    messages.info(request, format_html("{} {}", sentence, button), extra_tags=TALK)


def wanted(query: QueryDict) -> tuple[Sort, int | None]:
    """Return how a thread is to be sorted, the best first if there is no such way, and behind which
    comment it goes on; Http404 where that can't be one.
    """
    sort, after = query.get("sort", ""), query.get("after", "")
    if sort not in set(Sort):
        sort = Sort.BEST
    if after and not is_number(after):
        raise Http404("no such comment")
    return Sort(sort), int(after) if after else None


def address(base: str, sort: Sort, after: int | None = None) -> str:
    """Return the address of a thread that is sorted so and goes on behind a comment."""
    fields: dict[str, str | int] = {} if sort is Sort.BEST else {"sort": sort}
    if after:
        fields["after"] = after
    return f"{base}?{urlencode(fields)}" if fields else base

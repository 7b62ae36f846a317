"""Shared parts of the pages about a thread: finding the post or comment, and parsing URLs."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from forum.errors import Gone
from forum.identity import permissions
from forum.identity.viewers import member, powers, viewer
from forum.models import Comment, Post, User
from forum.queries.merged_posts import WITH_AUTHOR, surviving
from forum.queries.open_flags import open_flags
from forum.queries.posts import PostState
from forum.queries.threads import ThreadPage
from forum.text.sentences import sentence_space
from forum.web.addresses import is_number
from forum.web.comment_html import ViewContext, view_context
from forum.web.login_required import login_required
from forum.web.methods import READING
from forum.web.redirects import redirect_303
from voting.types.comments import Sort

AboutPost = Callable[[HttpRequest, Post], HttpResponse]
AboutComment = Callable[[HttpRequest, Post, Comment], HttpResponse]
ByPost = Callable[[HttpRequest, int], HttpResponse]
Rule = Callable[[User, Comment], None]
ByComment = Callable[[HttpRequest, int, int], HttpResponse]
TALK = "talk"
"""Tag for messages that appear directly above the comments instead of at the top of the page."""


def find_surviving(post_id: int) -> Post:
    """Return the post with this id, or the post that it was merged into. Raises Http404."""
    return surviving(get_object_or_404(WITH_AUTHOR, pk=post_id))


def find_comment(comments: QuerySet[Comment], post_id: int, comment_id: int) -> Comment:
    """Return a comment by its id, and by the id of its post or of a post merged into that post.

    Raises Http404.
    """
    comment = get_object_or_404(comments, pk=comment_id)
    if comment.post_id != post_id and find_surviving(post_id).pk != comment.post_id:
        raise Http404("no such comment on this post")
    return comment


def redirect_from_merged(request: HttpRequest, merged: Post, address: str) -> HttpResponse:
    """Redirect from a merged post to the remaining post's page, with a message.

    The redirect is temporary, since a moderator may undo the merge.
    """
    sentence = _("“%(title)s” was merged into this post.") % {"title": merged.title}
    messages.info(request, sentence)
    return redirect_303(address)


def about_post(view: AboutPost) -> ByPost:
    """Decorate a view: find the post by the id in the URL.

    A GET for a merged post redirects to the remaining post. A form sent to a merged post applies to
    the remaining post. Raises Http404 if there is no such post, and Gone if the post was deleted.
    """

    @wraps(view)
    def found(request: HttpRequest, post_id: int) -> HttpResponse:
        post = get_object_or_404(WITH_AUTHOR, pk=post_id)
        if (other := surviving(post)) != post:
            if request.method in READING:
                return redirect_from_merged(request, post, other.get_absolute_url())
            post = other
        if post.deleted_at:
            raise Gone(post)
        return view(request, post)

    return found


def about_comment(view: AboutComment) -> ByComment:
    """Decorate a view: find the post and the comment by the ids in the URL.

    The old URLs of a merged post's comments still work. Raises Http404 if the post has no such
    comment, and Gone if the post was deleted.
    """

    @wraps(view)
    def found(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
        comments = Comment.objects.select_related("author", "post__author")
        comment = find_comment(comments, post_id, comment_id)
        if comment.post_id != post_id and request.method in READING:
            post = Post.objects.get(pk=post_id)
            return redirect_from_merged(request, post, comment.get_absolute_url())
        if comment.post.deleted_at:
            raise Gone(comment.post)
        return view(request, comment.post, comment)

    return found


def about_own_comment(view: AboutComment) -> ByComment:
    """Decorate a view of a comment, so that only the comment's author may use the view."""
    return _allowed(view, permissions.require_author)


def _allowed(view: AboutComment, require: Rule) -> ByComment:
    """Decorate a view of a comment: allow only people who pass the check `require`.

    Guests are asked to log in. Raises Http404 if there is no such comment, and Forbidden if the
    person is not allowed. Raises Gone if the comment or its post was deleted.
    """

    @login_required
    @about_comment
    @wraps(view)
    def found(request: HttpRequest, post: Post, comment: Comment) -> HttpResponse:
        require(member(request), comment)
        if comment.deleted_at:
            raise Gone(comment)
        return view(request, post, comment)

    return found


def seen_by(
    request: HttpRequest, thread: ThreadPage, state: PostState | None = None, *, moderates: bool
) -> ViewContext:
    """Return who looks at the comments of a page, with the open flags that the viewer may see.

    `moderates` says whether the viewer moderates one of the post's groups. Auditors see flags too.
    With `state`, new comments are marked, and moderators' marks name the groups of the post.
    """
    own = powers(request)
    shown = {*thread.selection.ids, *([thread.focus.row.id] if thread.focus else [])}
    flags = open_flags(thread.post, shown, own) if moderates or own.reads_everything else {}
    here = request.get_full_path()
    context = view_context(viewer(request), here, moderates=moderates, flags=flags)
    if state is None:
        return context
    return replace(context, seen_at=state.seen_at, groups=state.row.groups)


def add_watching_message(request: HttpRequest, post: Post) -> None:
    """Add a message to the next page that says the person now watches the thread.

    The message has a button to stop watching.
    """
    button = format_html(
        '<button class="link" form="vote" formaction="{}" name="on" value="0">{}</button>',
        reverse("post_watch", args=[post.pk]),
        _("Stop watching"),
    )
    sentence = _("You now watch this thread: new comments appear in your inbox.")
    messages.info(
        request, format_html("{}{}{}", sentence, sentence_space(), button), extra_tags=TALK
    )


def parse_query(query: QueryDict) -> tuple[Sort, int | None]:
    """Return the sort order and the value of `after` in a thread's query string.

    `after` is the id of the comment after which the page begins, or None for the first page. An
    unknown sort order becomes the default. Raises Http404 if `after` is not a number.
    """
    sort, after = query.get("sort", ""), query.get("after", "")
    if sort not in set(Sort):
        sort = Sort.BEST
    if after and not is_number(after):
        raise Http404("no such comment")
    return Sort(sort), int(after) if after else None


def address(base: str, sort: Sort, after: int | None = None) -> str:
    """Return the URL `base` with a sort order added.

    If `after` is given, the page begins after the comment with this id.
    """
    fields: dict[str, str | int] = {} if sort is Sort.BEST else {"sort": sort}
    if after:
        fields["after"] = after
    return f"{base}?{urlencode(fields)}" if fields else base

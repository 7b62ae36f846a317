"""The pages on which authors read a post or comment that they deleted, or restore it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from forum.actions import own_deletions, retention
from forum.actions.visibility import Content
from forum.errors import Gone
from forum.identity import permissions
from forum.identity.viewers import member
from forum.models import Comment, Post
from forum.web.login_required import login_required
from forum.web.methods import require_form
from forum.web.redirects import redirect_303
from forum.web.thread_pages import find_comment


@require_form
@login_required
def restore_post(request: HttpRequest, post_id: int) -> HttpResponse:
    """Show a deleted post, and ask whether to restore it (GET), or restore it (POST)."""
    return _page(request, get_object_or_404(Post.objects.select_related("author"), pk=post_id))


@require_form
@login_required
def restore_comment(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Show a deleted comment, and ask whether to restore it (GET), or restore it (POST).

    Raises Gone if its post was deleted.
    """
    comments = Comment.objects.select_related("author", "post__author")
    comment = find_comment(comments, post_id, comment_id)
    if comment.post.deleted_at:
        raise Gone(comment.post)
    return _page(request, comment)


def _page(request: HttpRequest, text: Content) -> HttpResponse:
    person = member(request)
    permissions.require_author(person, text)
    if request.method != "POST":
        context = {
            "text": text,
            "too_late": text.deleted_at and not own_deletions.may_restore(person.pk, text),
            "until": own_deletions.stored_until(text),
            "purged": retention.is_purged(text),
        }
        return render(request, "restore.html", context)
    own_deletions.restore(text, by=member(request))
    messages.success(request, _("Restored. Everybody can read it again."))
    return redirect_303(text.get_absolute_url())

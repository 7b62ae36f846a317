"""Watching a thread, and blocking a person: two switches."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.identity.viewers import member
from forum.inbox import watches
from forum.models import Post
from forum.rendering import profile_pages, thread_pages
from forum.social import following
from forum.web import error_responses, switches
from forum.web.methods import require_POST
from forum.web.redirects import or_log_in, origin, see


@require_POST
@or_log_in
def watch(request: HttpRequest, post_id: int) -> HttpResponse:
    """Watch a thread, or no more (`on`)."""
    post, on = get_object_or_404(Post, pk=post_id), switches.read(request)
    if on is None:
        return _unclear(request)
    if on and post.deleted_at:
        return thread_pages.post_gone(request)
    watches.watch(member(request), post, on)
    told = _("You will be notified of new comments here.")
    untold = _("You will no longer be notified of new comments here.")
    messages.success(request, told if on else untold, extra_tags=thread_pages.TALK)
    back = origin(request, post.get_absolute_url())
    in_inbox = back.partition("?")[0] == reverse("inbox")
    return see(f"{back}#thread-{post.pk}" if in_inbox else f"{back}#comments")


@require_POST
@or_log_in
def block(request: HttpRequest, username: str) -> HttpResponse:
    """Block a person, or no more (`on`)."""
    reader, person, on = member(request), profile_pages.find(username), switches.read(request)
    if on is None:
        return _unclear(request)
    following.block(reader, person, on)
    blocked = _(
        "You blocked %(name)s. You'll get no notifications from them and no longer follow them."
        " Their posts and comments are folded."
    )
    said = blocked % {"name": person.username} if on else profile_pages.unblocked(person)
    messages.success(request, said)
    return see(origin(request, person.get_absolute_url()))


def _unclear(request: HttpRequest) -> HttpResponse:
    return error_responses.bad_request(request, _("It is either on (1) or off (0)."))

"""Watching a thread, and blocking a person."""

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
from forum.web.login_required import login_required
from forum.web.redirects import origin, redirect_303
from forum.web.switches import switch


@switch
@login_required
def watch(request: HttpRequest, post_id: int, *, on: bool) -> HttpResponse:
    """Watch a thread, or stop watching it."""
    post = get_object_or_404(Post, pk=post_id)
    watches.watch(member(request), post, on)
    started = _("You will be notified of new comments here.")
    stopped = _("You will no longer be notified of new comments here.")
    messages.success(request, started if on else stopped, extra_tags=thread_pages.TALK)
    back = origin(request, post.get_absolute_url())
    in_inbox = back.partition("?")[0] == reverse("inbox")
    return redirect_303(f"{back}#thread-{post.pk}" if in_inbox else f"{back}#comments")


@switch
@login_required
def block(request: HttpRequest, username: str, *, on: bool) -> HttpResponse:
    """Block a person, or unblock them."""
    person = profile_pages.find(username)
    following.block(member(request), person, on)
    blocked = _(
        "You blocked %(name)s. You'll get no notifications from them and no longer follow them."
        " Their posts and comments are folded."
    )
    sentence = blocked % {"name": person.username} if on else profile_pages.unblocked(person)
    messages.success(request, sentence)
    return redirect_303(origin(request, person.get_absolute_url()))

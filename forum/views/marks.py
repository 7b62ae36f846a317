"""Saving and hiding posts."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from forum.bonds import marks
from forum.models import Post, User
from forum.pages import refusals, switches, thread_pages
from forum.pages.returning import origin, see


@require_POST
def save(request: HttpRequest, post_id: int) -> HttpResponse:
    """Keep a post for later, or no more. One round trip."""
    return _mark(request, post_id, marks.save)


@require_POST
def hide(request: HttpRequest, post_id: int) -> HttpResponse:
    """Hide a post from one's lists, or show it again. One round trip."""
    return _mark(request, post_id, marks.hide, _hidden)


def _hidden(person: User, post: Post) -> SafeString:
    """Say that a post is hidden, and where to undo it."""
    return format_html(
        '{} <a href="{}">{}</a>',
        _("“%(title)s” is hidden from your lists.") % {"title": post.title},
        reverse("profile_hidden", args=[person.username]),
        _("See what you hid"),
    )


def _mark(
    request: HttpRequest,
    post_id: int,
    mark: Callable[[User, Post, bool], bool],
    say: Callable[[User, Post], SafeString] | None = None,
) -> HttpResponse:
    """Mark a post or take the mark back, and lead to where the person was.

    What was hidden has no row any more to lead to: a sentence says where it went.
    """
    post = get_object_or_404(Post, pk=post_id)
    back = origin(request, reverse("post_short", args=[post_id]))
    on = switches.read(request)
    if on is None:
        return refusals.bad_request(request, _("A post is marked or it is not: 1 or 0."))
    if not isinstance(request.user, User):
        return redirect_to_login(back)
    if on and post.deleted_at:
        return thread_pages.post_gone(request)
    changed = mark(request.user, post, on)
    if say is None:
        return see(f"{back}#post-{post_id}")
    if changed and on:
        messages.success(request, say(request.user, post))
    return see(back)

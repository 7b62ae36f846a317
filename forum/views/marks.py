"""Saving and hiding posts."""

from collections.abc import Callable
from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.models import Post, User
from forum.queries.listings import with_archived_votes
from forum.rendering import person_list_pages, rows, thread_pages
from forum.social import marks
from forum.web import error_responses, switches
from forum.web.methods import require_POST
from forum.web.redirects import origin, see, to_log_in
from voting.errors import StoreUnavailable


@require_POST
def save(request: HttpRequest, post_id: int) -> HttpResponse:
    """Keep a post for later, or no more. One round trip; for the script, which gets the row again,
    two.
    """
    return _mark(request, post_id, marks.save, _saved)


@require_POST
def hide(request: HttpRequest, post_id: int) -> HttpResponse:
    """Hide a post from one's lists, or show it again. One round trip; two where the script gets
    the row again.
    """
    return _mark(request, post_id, marks.hide, _hidden)


def _saved(request: HttpRequest, person: User, post: Post, back: str, _new: bool) -> HttpResponse:
    """Answer the script with the row, and lead others back to it."""
    return _row_again(request, person, post) or see(f"{back}#post-{post.pk}")


def _row_again(request: HttpRequest, person: User, post: Post) -> HttpResponse | None:
    """Return a post's row where the script asks for it and Redis has it."""
    if error_responses.FRAGMENT in request.headers:
        with suppress(StoreUnavailable):
            found = get_voting_service().rows([post.pk], viewer=person.pk)
            for row in with_archived_votes(found, person.pk):
                return HttpResponse(rows.render_fragment(request, row))
    return None


def _hidden(request: HttpRequest, person: User, post: Post, back: str, new: bool) -> HttpResponse:
    """Answer the script with what stands in the row's place, from where one may take it back; lead
    others back to a page without it, where a sentence says where it went.
    """
    if not switches.read(request):
        return _row_again(request, person, post) or see(back)
    if error_responses.FRAGMENT in request.headers:
        return render(request, "partials/row_hidden.html", {"post": post})
    if new:
        sentence = _("“%(title)s” is hidden from your lists.") % {"title": post.title}
        person_list_pages.say_hidden(request, person, sentence)
    return see(back)


def _mark(
    request: HttpRequest,
    post_id: int,
    mark: Callable[[User, Post, bool], bool],
    answer: Callable[[HttpRequest, User, Post, str, bool], HttpResponse],
) -> HttpResponse:
    """Mark a post or take the mark back, and answer with where the person was and whether the post
    is marked now and was not before.
    """
    post = get_object_or_404(Post, pk=post_id)
    back = origin(request, reverse("post_short", args=[post_id]))
    on = switches.read(request)
    if on is None:
        return error_responses.bad_request(request, _("A post is marked or it is not: 1 or 0."))
    if not isinstance(request.user, User):
        return to_log_in(request, back)
    if on and post.deleted_at:
        return thread_pages.post_gone(request)
    changed = mark(request.user, post, on)
    return answer(request, request.user, post, back, changed and on)

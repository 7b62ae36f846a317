"""Saving and hiding posts."""

from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.gateway.service import get_voting_service
from forum.identity.viewers import member
from forum.models import Post, User
from forum.queries.listings import with_archived_votes
from forum.rendering import person_list_pages, rows
from forum.social import marks
from forum.web import error_responses
from forum.web.login_required import login_required
from forum.web.redirects import origin, redirect_303
from forum.web.switches import switch
from voting.errors import StoreUnavailable


@switch
@login_required
def save(request: HttpRequest, post_id: int, *, on: bool) -> HttpResponse:
    """Save a post for later, or remove it from the saved ones.

    One round trip; two for the script, which gets the row again.
    """
    person, post = member(request), get_object_or_404(Post, pk=post_id)
    marks.save(person, post, on)
    back = f"{_back(request, post)}#post-{post.pk}"
    return _row_again(request, person, post) or redirect_303(back)


@switch
@login_required
def hide(request: HttpRequest, post_id: int, *, on: bool) -> HttpResponse:
    """Hide a post from the person's lists, or show it again.

    The script gets what stands in the row's place, with a button that shows it again; others return
    to a page without the row, and a message says where it went. One round trip; two where the
    script gets the row again.
    """
    person, post = member(request), get_object_or_404(Post, pk=post_id)
    newly_hidden = marks.hide(person, post, on) and on
    if not on:
        return _row_again(request, person, post) or redirect_303(_back(request, post))
    if error_responses.FRAGMENT in request.headers:
        return render(request, "partials/row_hidden.html", {"post": post})
    if newly_hidden:
        sentence = _("“%(title)s” is hidden from your lists.") % {"title": post.title}
        person_list_pages.add_hidden_message(request, person, sentence)
    return redirect_303(_back(request, post))


def _back(request: HttpRequest, post: Post) -> str:
    return origin(request, reverse("post_short", args=[post.pk]))


def _row_again(request: HttpRequest, person: User, post: Post) -> HttpResponse | None:
    """Return a post's row if the script asks for it and Redis has it."""
    if error_responses.FRAGMENT in request.headers:
        with suppress(StoreUnavailable):
            found = get_voting_service().posts.rows([post.pk], viewer=person.pk)
            for row in with_archived_votes(found, person.pk):
                return HttpResponse(rows.render_fragment(request, row))
    return None

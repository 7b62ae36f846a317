"""The newest comments, flat: of a post, of the whole site, and of a person."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from forum.methods import require_safe
from forum.models import Post
from forum.pages import profile_pages
from forum.pages.addresses import is_number
from forum.pages.returning import usual
from forum.pages.thread_pages import about_post
from forum.queries import newest

HIGHEST = 2**31 - 1
"""No comment has a greater id."""


@require_safe
@about_post
def of_post(request: HttpRequest, post: Post) -> HttpResponse:
    """Show a post's newest comments. One query and one round trip."""
    before = _before(request)
    shown = newest.of_post(post, before)
    return render(request, "post_comments.html", {"post": post, "flat": shown, "before": before})


@require_safe
def of_site(request: HttpRequest) -> HttpResponse:
    """Show the site's newest comments. One query."""
    before = _before(request)
    context = {"flat": newest.of_site(before), "before": before}
    return render(request, "comments.html", context)


@require_safe
def of_person(request: HttpRequest, username: str) -> HttpResponse:
    """Show what a person wrote, on their profile. One round trip."""
    person = profile_pages.find(username)
    if person.username != username:
        return usual(request, reverse("profile_comments", args=[person.username]))
    before = _before(request)
    context = profile_pages.head(request, person, "comments")
    context |= {"flat": newest.of_person(person, before), "before": before}
    return render(request, "profile_comments.html", context)


def _before(request: HttpRequest) -> int | None:
    """Return the id that a page goes on below; None for the first page. Raises Http404."""
    text = request.GET.get("before")
    if text is None:
        return None
    if not is_number(text) or int(text) < 1:
        raise Http404("no such comment")
    return min(int(text), HIGHEST)

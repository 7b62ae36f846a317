"""The newest comments, flat: of a post, of the whole site, and of a person."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from forum.methods import require_safe
from forum.models import Post
from forum.pages import addresses, profile_pages
from forum.pages.returning import usual
from forum.pages.thread_pages import about_post
from forum.queries import newest


@require_safe
@about_post
def of_post(request: HttpRequest, post: Post) -> HttpResponse:
    """Show a post's newest comments. One query and one round trip."""
    before = addresses.before(request.GET)
    shown = newest.of_post(post, before)
    return render(request, "post_comments.html", {"post": post, "flat": shown, "before": before})


@require_safe
def of_site(request: HttpRequest) -> HttpResponse:
    """Show the site's newest comments. One query."""
    before = addresses.before(request.GET)
    context = {"flat": newest.of_site(before), "before": before}
    return render(request, "comments.html", context)


@require_safe
def of_person(request: HttpRequest, username: str) -> HttpResponse:
    """Show what a person wrote, on their profile. One round trip."""
    person = profile_pages.find(username)
    if person.username != username:
        return usual(request, reverse("profile_comments", args=[person.username]))
    before = addresses.before(request.GET)
    context = profile_pages.head(request, person, "comments")
    context |= {"flat": newest.of_person(person, before), "before": before}
    return render(request, "profile_comments.html", context)

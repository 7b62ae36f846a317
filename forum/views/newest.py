"""Flat views: the newest comments on a post, on the site and by a person."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from forum.actions import unread
from forum.identity.viewers import viewer, viewer_id
from forum.models import Post
from forum.queries import newest
from forum.web import addresses, comment_html, profile_pages
from forum.web.comment_html import ViewContext, view_context
from forum.web.methods import require_safe
from forum.web.muting import without_muted_comments
from forum.web.redirects import redirect_to_canonical
from forum.web.thread_pages import about_post


@require_safe
@about_post
def of_post(request: HttpRequest, post: Post) -> HttpResponse:
    """Show the newest comments on a post."""
    before = addresses.before(request.GET)
    shown = _voted(request, newest.of_post(post, before))
    context = {"post": post, "flat": shown, "before": before}
    context["comments"] = comment_html.render_flat_items(shown, _seen_by(request))
    return render(request, "post_comments.html", context)


@require_safe
def of_site(request: HttpRequest) -> HttpResponse:
    """Show the newest comments on the whole site."""
    before = addresses.before(request.GET)
    flat = without_muted_comments(newest.of_site(before, viewer_id(request)), viewer(request))
    shown = _voted(request, flat)
    context = {"flat": shown, "before": before, "nav": "comments"}
    context["comments"] = comment_html.render_flat_items(shown, _seen_by(request), titles=True)
    return render(request, "comments.html", context)


@require_safe
def of_person(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person's newest comments as a tab of their profile."""
    person = profile_pages.find(username)
    if person.username != username:
        return redirect_to_canonical(request, reverse("profile_comments", args=[person.username]))
    before = addresses.before(request.GET)
    flat = newest.of_person(person, before)
    seen = profile_pages.load(request, person, comments=flat.targets)
    shown = newest.with_tallies(flat, seen.tallies, viewer_id(request))
    context = profile_pages.head_context(request, person, "comments", seen)
    context |= {"flat": shown, "before": before}
    context["comments"] = comment_html.render_flat_items(
        shown, _seen_by(request), titles=True, folded=False
    )
    return render(request, "profile_comments.html", context)


def _seen_by(request: HttpRequest) -> ViewContext:
    return view_context(viewer(request), request.get_full_path())


def _voted(request: HttpRequest, flat: newest.FlatPage) -> newest.FlatPage:
    """Add tallies and the viewer's votes to a page of comments."""
    states = newest.tallies_of(flat, viewer_id(request))
    if states.unread is not None:
        unread.know(request, states.unread)
    return newest.with_tallies(flat, states.tallies, viewer_id(request))

"""A person's profile, the form for their bio, and their activity calendar."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from forum.actions import profiles
from forum.identity import permissions
from forum.identity.viewers import member, viewer
from forum.models import User
from forum.queries.activity_calendar import calendar_of
from forum.queries.people import posts_of, with_unsynced
from forum.text import markup
from forum.web import addresses, drafts, profile_pages, rows
from forum.web.addresses import ListingAddress
from forum.web.forms.people import AboutForm
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.not_found import NoSuchPage
from forum.web.problems import NOT_SAVED, problem_above_form
from forum.web.redirects import redirect_303, redirect_to_canonical
from voting.types import Page


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person's profile with a page of their posts."""
    person = profile_pages.find(username)
    if person.username != username:
        return redirect_to_canonical(request, person.get_absolute_url())
    address = addresses.read(person.get_absolute_url(), "", request.GET)
    reached = posts_of(person, address.number)
    post_ids = reached[: settings.PAGE_SIZE]
    seen = profile_pages.load(request, person, post_ids, compared=True)
    page = Page.numbered(
        (), address.number, settings.PAGE_SIZE, _total(seen.counts.posts, address, reached)
    )
    if address.number > page.pages:
        raise NoSuchPage(page.pages, address.url(page.pages))
    items = rows.render_items(
        with_unsynced(post_ids, seen.rows),
        request,
        member=viewer(request) is not None,
        redis_down=seen.redis_down,
    )
    context = profile_pages.head_context(request, person, "posts", seen) | {
        "about": markup.render(person.about),
        "common": seen.common,
        "items": SafeString(items.decode()),
        "page": page,
        "redis_down": seen.redis_down,
        "address": address,
    }
    return render(request, "profile.html", context)


def _total(counted: int, address: ListingAddress, reached: Sequence[int]) -> int:
    """Return a person's number of posts, for the pager.

    The stored number `counted` may be a second out of date, and leaves out merged posts. If there
    are more posts up to the first one of the next page, returns their number instead.
    """
    listed = (address.number - 1) * settings.PAGE_SIZE + len(reached)
    return max(counted, listed) if reached else counted


@require_form
@login_required
def about(request: HttpRequest, username: str) -> HttpResponse:
    """Show the form for a person's own bio (GET), and save the bio (POST)."""
    person = profile_pages.find(username)
    permissions.require_self(member(request), person)
    sent = request.method == "POST"
    initial = {"about": person.about}
    if not sent:
        initial |= drafts.find(request)
    form = AboutForm(request.POST if sent else None, initial=initial)
    page = partial(_about_page, request, person, form)
    if not form.is_valid():
        return page(status=422 if sent else 200)
    try:
        profiles.set_about(person, form.cleaned_data["about"], by=member(request))
    except NOT_SAVED as error:
        return problem_above_form(request, error, page)
    messages.success(request, _("Your profile was saved."))
    return redirect_303(person.get_absolute_url())


def _about_page(
    request: HttpRequest, person: User, form: AboutForm, *, status: int = 200, **context: Any
) -> HttpResponse:
    context |= {"person": person, "form": form, "nav": "profile"}
    return render(request, "bio.html", context, status=status)


@require_safe
@login_required
def activity(request: HttpRequest, username: str) -> HttpResponse:
    """Show on which days of the last 53 weeks the person was active."""
    person = profile_pages.find_own(request, username)
    context = profile_pages.head_context(request, person, "activity")
    return render(request, "activity.html", context | {"calendar": calendar_of(person.pk)})

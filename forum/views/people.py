"""Tabs of a profile: follows, followers, and the person's own lists of posts."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.identity.viewers import viewer
from forum.queries import person_lists, social
from forum.web import addresses, person_list_pages, profile_pages
from forum.web.login_required import to_log_in
from forum.web.methods import require_safe
from forum.web.not_found import NoSuchPage
from forum.web.redirects import redirect_to_canonical
from voting.types.follows import FollowSide
from voting.types.person_lists import PersonList


@require_safe
def follows(request: HttpRequest, username: str) -> HttpResponse:
    """Show the groups and people that a person follows."""
    return _people(request, username, FollowSide.FOLLOWS)


@require_safe
def fans(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person's followers."""
    return _people(request, username, FollowSide.FOLLOWERS)


def _people(request: HttpRequest, username: str, side: FollowSide) -> HttpResponse:
    person = profile_pages.find(username)
    if person.username != username:
        return redirect_to_canonical(request, reverse(f"profile_{side}", args=[person.username]))
    address = addresses.read(request.path, "", request.GET)
    found = social.people(side, person, address.number)
    if address.number > found.page.pages:
        raise NoSuchPage(found.page.pages, address.url(found.page.pages))
    context = profile_pages.head_context(request, person, side.value)
    context |= {"people": found, "address": address}
    if side is FollowSide.FOLLOWS:
        context["groups"] = social.followed_groups(person)
    return render(request, f"{side}.html", context)


@require_safe
def saved(request: HttpRequest, username: str) -> HttpResponse:
    """Show the posts that a person saved."""
    return _kept(request, username, PersonList.SAVED)


@require_safe
def liked(request: HttpRequest, username: str) -> HttpResponse:
    """Show the posts that a person voted up most recently."""
    return _kept(request, username, PersonList.LIKED)


@require_safe
def hidden(request: HttpRequest, username: str) -> HttpResponse:
    """Show the posts and groups that a person hides."""
    return _kept(request, username, PersonList.HIDDEN)


def _kept(request: HttpRequest, username: str, which: PersonList) -> HttpResponse:
    if viewer(request) is None:
        return to_log_in(request)
    person = profile_pages.find_own(request, username)
    title = {
        PersonList.SAVED: _("Saved posts"),
        PersonList.LIKED: _("Posts you liked"),
        PersonList.HIDDEN: _("Hidden posts and groups"),
    }[which]
    context = person_list_pages.list_context(request, person, which) | {"title": title}
    if which is PersonList.HIDDEN:
        context["hidden_groups"] = person_lists.hidden_groups(person)
    return render(request, "person_list.html", context)

"""Following people and groups, hiding groups, and the feed of what one follows."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.identity.viewers import member, viewer
from forum.models import Group, User
from forum.queries.feeds import feed
from forum.queries.groups import directory
from forum.queries.listings import Listing
from forum.rendering import listing_pages, person_list_pages, profile_pages
from forum.social import following
from forum.web import addresses, pending_actions
from forum.web.addresses import ListingAddress
from forum.web.login_required import login_required, to_log_in
from forum.web.methods import require_safe
from forum.web.not_found import NoSuchGroup
from forum.web.redirects import origin, redirect_303
from forum.web.switches import switch
from voting.types import Hiding

TOPICS_SHOWN = 30
SUGGESTED = 10


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show posts of the people and groups one follows, and whom else to follow.

    Two round trips.
    """
    reader = viewer(request)
    if reader is None:
        return to_log_in(request)
    reader_id, first = reader.id, "p" not in request.GET

    def find(wanted: ListingAddress, hiding: Hiding | None) -> Listing:
        return feed(
            reader_id,
            wanted.number,
            cursor=wanted.cursor,
            hiding=hiding,
            suggested=SUGGESTED if first else 0,
        )

    return listing_pages.respond(
        request,
        "following.html",
        base=addresses.of("following"),
        family="hot",
        find=find,
        topics=tuple(directory.topics().values())[:TOPICS_SHOWN],
        nav="following",
    )


@switch
def follow(request: HttpRequest, username: str, *, on: bool) -> HttpResponse:
    """Follow a person, or stop following them; says so if that lifts a block.

    Three round trips at most. From the suggestions below the feed it leads back to them.
    """
    person = profile_pages.find(username)
    back = origin(request, person.get_absolute_url())
    if back == reverse("following"):
        back = f"{back}#suggested"
    return _follow(request, person, back, on, profile_pages.unblocked(person))


@switch
def group_follow(request: HttpRequest, slug: str, *, on: bool) -> HttpResponse:
    """Follow a group, or stop following it; says so if that shows a hidden group again.

    Two round trips. From the page of all groups it leads back to the group's row.
    """
    group = _group(slug)
    back = origin(request, group.get_absolute_url())
    if back == reverse("groups"):
        back = f"{back}#group-{slug}"
    return _follow(request, group, back, on, _shown_again(group))


def _follow(
    request: HttpRequest, followed: User | Group, back: str, on: bool, sentence: str
) -> HttpResponse:
    """Follow or unfollow, and redirect. `sentence` says that a block or hidden group ended. The
    follow of a guest waits for log-in.
    """
    if viewer(request) is None and on:
        return redirect_303(pending_actions.follow_address(followed, back))
    if viewer(request) is None:
        return to_log_in(request, back)
    if following.follow(member(request), followed, on=on):
        messages.success(request, sentence)
    return redirect_303(back)


@switch
@login_required
def group_hide(request: HttpRequest, slug: str, *, on: bool) -> HttpResponse:
    """Hide a group from the person's lists, or show it again. Two round trips at most."""
    person, group = member(request), _group(slug)
    if following.hide_group(person, group, on):
        if on:  # the group's own page still shows its posts
            sentence = _("Posts in %(group)s are hidden from your lists.") % {"group": group.title}
            person_list_pages.add_hidden_message(request, person, sentence)
        else:
            messages.success(request, _shown_again(group))
    return redirect_303(origin(request, group.get_absolute_url()))


def _shown_again(group: Group) -> str:
    """Return the sentence that tells that a group is not hidden any more."""
    return _("%(group)s is shown in your lists again.") % {"group": group.title}


def _group(slug: str) -> Group:
    """Return the group of that name. Raises NoSuchGroup. One query."""
    name = directory.current(slug)
    found = Group.objects.filter(slug=name).first() if name.isprintable() else None
    if found is None:
        raise NoSuchGroup(slug)
    return found

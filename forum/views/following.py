"""Following people and groups, hiding groups, and the feed of what one follows."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.identity.viewers import subject, viewer
from forum.models import Group, User
from forum.queries.feeds import feed
from forum.queries.groups import directory
from forum.queries.listings import Listing
from forum.rendering import listing_pages, person_list_pages, profile_pages
from forum.social import following
from forum.web import addresses, error_responses, pending_follows, switches
from forum.web.addresses import Wanted
from forum.web.form_errors import throttled_form
from forum.web.methods import require_POST, require_safe
from forum.web.not_found import NoSuchGroup
from forum.web.redirects import origin, see, to_log_in
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
        return redirect_to_login(request.get_full_path())
    reader_id, first = reader.id, "p" not in request.GET

    def find(wanted: Wanted, hiding: Hiding | None) -> Listing:
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


@require_POST
def follow(request: HttpRequest, username: str) -> HttpResponse:
    """Follow a person, or no more. Three round trips at the most. Who comes from those suggested
    below the feed is led to the others.
    """
    person = profile_pages.find(username)
    back = origin(request, person.get_absolute_url())
    if back == reverse("following"):
        back = f"{back}#suggested"
    said = profile_pages.unblocked(person)
    return _follow(
        request, person, back, said, lambda reader, on: following.follow(reader, person, on)
    )


@require_POST
def group_follow(request: HttpRequest, slug: str) -> HttpResponse:
    """Follow a group, or no more. Two round trips. Who comes from all groups is led to its row."""
    group = _group(slug)
    back = origin(request, group.get_absolute_url())
    if back == reverse("groups"):
        back = f"{back}#group-{slug}"
    said = _shown_again(group)
    return _follow(
        request, group, back, said, lambda reader, on: following.follow_group(reader, group, on)
    )


def _follow(
    request: HttpRequest,
    followed: User | Group,
    back: str,
    said: str,
    change: Callable[[User, bool], bool],
) -> HttpResponse:
    """Make `change` as the form says, at no more than a person's pace, and lead back.

    If that undoes a block or what was hidden, it is `said`. A guest's wish to follow is carried
    through log-in.
    """
    on = switches.read(request, "follow")
    if on is None:
        return error_responses.bad_request(request, _("Following is on or off."))
    if not isinstance(request.user, User):
        if on:
            return see(pending_follows.login_address(followed, back))
        return to_log_in(request, back)
    form_error = throttled_form(subject(request), "follow")
    if form_error:
        return form_error.mark(
            error_responses.refuse(request, form_error.status, form_error.sentence)
        )
    if change(request.user, on):
        messages.success(request, said)
    return see(back)


@require_POST
def group_hide(request: HttpRequest, slug: str) -> HttpResponse:
    """Hide a group from one's lists, or show it again, and say so. Two round trips at the most."""
    group, on = _group(slug), switches.read(request)
    back = origin(request, group.get_absolute_url())
    if on is None:
        return error_responses.bad_request(request, _("A group is hidden or it is not: 1 or 0."))
    if not isinstance(request.user, User):
        return to_log_in(request, back)
    if following.hide_group(request.user, group, on):
        if on:  # its own page goes on to show its posts
            sentence = _("Posts in %(group)s are hidden from your lists.") % {"group": group.title}
            person_list_pages.say_hidden(request, request.user, sentence)
        else:
            messages.success(request, _shown_again(group))
    return see(back)


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

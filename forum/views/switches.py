"""Views of buttons that turn something on or off, such as save, hide, watch, block and follow.

Each button sends the wanted state, `on=1` or `on=0`, so that pressing a button twice changes
nothing.
"""

from contextlib import suppress

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from forum.actions import following, marks, watches
from forum.identity.viewers import member, viewer
from forum.models import Group, Post, User
from forum.queries.groups import directory
from forum.queries.listings import with_archived_votes
from forum.store.service import get_voting_service
from forum.web import (
    error_responses,
    pending_actions,
    person_list_pages,
    profile_pages,
    rows,
    thread_pages,
)
from forum.web.login_required import login_required, to_log_in
from forum.web.not_found import NoSuchGroup
from forum.web.redirects import origin, redirect_303
from forum.web.switches import switch
from voting.errors import StoreUnavailable

SETTINGS = ("keeps_history", "hides_read")


@switch
@login_required
def save(request: HttpRequest, post_id: int, *, on: bool) -> HttpResponse:
    """Save a post for later, or remove it from the saved posts.

    JavaScript gets the post's new row.
    """
    person, post = member(request), thread_pages.find_surviving(post_id)
    marks.save(person, post, on)
    back = f"{_back(request, post)}#post-{post.pk}"
    return _row_again(request, person, post) or redirect_303(back)


@switch
@login_required
def hide(request: HttpRequest, post_id: int, *, on: bool) -> HttpResponse:
    """Hide a post from the person's listings, or show it again.

    JavaScript replaces a hidden post's row with a button that shows the post again. Without
    JavaScript, a message links to all hidden posts.
    """
    person, post = member(request), thread_pages.find_surviving(post_id)
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
    """Return a response with a post's row for JavaScript.

    Return None if the request is not from JavaScript, or if Redis is down or lacks the post.
    """
    if error_responses.FRAGMENT in request.headers:
        with suppress(StoreUnavailable):
            found = get_voting_service().posts.rows([post.pk], viewer=person.pk)
            for row in with_archived_votes(found, person.pk):
                return HttpResponse(rows.render_fragment(request, row))
    return None


@switch
@login_required
def watch(request: HttpRequest, post_id: int, *, on: bool) -> HttpResponse:
    """Watch a thread, or stop watching it."""
    post = thread_pages.find_surviving(post_id)
    watches.watch(member(request), post, on)
    started = _("You will be notified of new comments in this thread.")
    stopped = _("You will no longer be notified of new comments in this thread.")
    messages.success(request, started if on else stopped, extra_tags=thread_pages.TALK)
    return redirect_303(_thread(request, post, post.get_absolute_url()))


@switch
@login_required
def mute_replies(request: HttpRequest, post_id: int, *, on: bool) -> HttpResponse:
    """Stop notifications of replies in a thread, or resume them."""
    post = thread_pages.find_surviving(post_id)
    watches.mute(member(request), post, on)
    stopped = _("You will no longer be notified of replies to you in this thread.")
    resumed = _("You will be notified of replies to you in this thread again.")
    messages.success(request, stopped if on else resumed, extra_tags=thread_pages.TALK)
    return redirect_303(_thread(request, post, reverse("inbox")))


def _thread(request: HttpRequest, post: Post, otherwise: str) -> str:
    """Return the URL of a thread in the inbox or on its own page, wherever its button is."""
    back = origin(request, otherwise)
    in_inbox = back.partition("?")[0] == reverse("inbox")
    return f"{back}#thread-{post.pk}" if in_inbox else f"{back}#comments"


@switch
@login_required
def block(request: HttpRequest, username: str, *, on: bool) -> HttpResponse:
    """Block a person, or unblock them."""
    person = profile_pages.find(username)
    following.block(member(request), person, on)
    blocked = _(
        "You blocked %(name)s. You'll get no notifications from them and no longer follow them."
        " Their posts and comments are folded."
    )
    sentence = blocked % {"name": person.username} if on else profile_pages.unblocked(person)
    messages.success(request, sentence)
    return redirect_303(origin(request, person.get_absolute_url()))


@switch
def follow(request: HttpRequest, username: str, *, on: bool) -> HttpResponse:
    """Follow or unfollow a person.

    If following ends a block, a message says so. If the button was pressed in the feed, redirects
    to the suggestions in the feed.
    """
    person = profile_pages.find(username)
    back = origin(request, person.get_absolute_url())
    if back == reverse("following"):
        back = f"{back}#suggested"
    return _follow(request, person, back, on, profile_pages.unblocked(person))


@switch
def group_follow(request: HttpRequest, slug: str, *, on: bool) -> HttpResponse:
    """Follow or unfollow a group.

    Following a hidden group makes it visible again, and a message says so. Buttons in the list of
    groups redirect back to the group's row.
    """
    group = _group(slug)
    back = origin(request, group.get_absolute_url())
    if back == reverse("groups"):
        back = f"{back}#group-{slug}"
    return _follow(request, group, back, on, _shown_again(group))


def _follow(
    request: HttpRequest, followed: User | Group, back: str, on: bool, sentence: str
) -> HttpResponse:
    """Follow or unfollow a person or group, and redirect to `back`.

    `sentence` is the message to show if the follow ended a block, or if it made a hidden group
    visible again. Guests who follow are redirected to log-in, and then asked to confirm.
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
    """Hide a group from the person's listings, or show it again."""
    person, group = member(request), _group(slug)
    if following.hide_group(person, group, on):
        if on:  # the group's own page still shows its posts
            sentence = _("Posts in %(group)s are hidden from your lists.") % {"group": group.title}
            person_list_pages.add_hidden_message(request, person, sentence)
        else:
            messages.success(request, _shown_again(group))
    return redirect_303(origin(request, group.get_absolute_url()))


def _shown_again(group: Group) -> str:
    """Return the message that says a group is no longer hidden."""
    return _("Posts in %(group)s appear in your lists again.") % {"group": group.title}


def _group(slug: str) -> Group:
    """Return the group with this short name. Raises NoSuchGroup if there is none."""
    name = directory.current(slug)
    found = Group.objects.filter(slug=name).first() if name.isprintable() else None
    if found is None:
        raise NoSuchGroup(slug)
    return found


@switch
@login_required
def history_setting(request: HttpRequest, name: str, *, on: bool) -> HttpResponse:
    """Turn on or off a setting: keeping a history, or hiding read posts from listings."""
    if name not in SETTINGS:
        raise Http404("no such setting")
    person = member(request)
    setattr(person, name, on)
    person.save(update_fields=[name])
    messages.success(request, _("Your setting was saved."))
    return redirect_303(reverse("history"))

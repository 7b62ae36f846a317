"""Private feeds, and the page on which people create and revoke their secret URLs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _

from forum.feeds import keys, queries
from forum.feeds.documents import Entry, Feed
from forum.feeds.responses import respond_privately
from forum.identity.network import network_hash
from forum.identity.viewers import Viewer, member, viewer_of
from forum.models import User
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_POST, require_safe
from forum.web.reauthentication import reauthenticated_to_post
from forum.web.redirects import redirect_303


@dataclass(frozen=True, slots=True)
class PrivateFeed:
    """A personal list, such as the inbox, that is available as a private feed."""

    title: Promise
    find: Callable[[User, Viewer], list[Entry]]
    page: Callable[[User], str]
    """Returns the path of the page with the list."""
    is_ranked: bool = False


FEEDS = {
    "following": PrivateFeed(
        gettext_lazy("Following"),
        queries.of_following,
        lambda _person: reverse("following"),
        is_ranked=True,
    ),
    "inbox": PrivateFeed(gettext_lazy("Inbox"), queries.of_inbox, lambda _person: reverse("inbox")),
    "saved": PrivateFeed(
        gettext_lazy("Saved posts"),
        queries.of_saved,
        lambda person: reverse("profile_saved", args=[person.username]),
        is_ranked=True,
    ),
}
"""The private feeds by their name in URLs."""


@require_safe
def feed(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """Return a private feed of the person whose key is in the URL, in the person's language.

    Raises Http404 if there is no such key or feed. Raises Forbidden if the account is refused for
    its published password.
    """
    person = keys.owner(key)
    if person is None or name not in FEEDS:
        raise Http404("no such feed")
    with override(person.language or get_language()):
        asked = FEEDS[name]
        found = Feed(
            f"{asked.title} · {settings.SITE_NAME}",
            asked.page(person),
            reverse("feed_private", args=[key, name]),
            asked.find(person, viewer_of(person.pk)),
            is_ranked=asked.is_ranked,
            key=f"u/{person.pk}/{name}",
        )
        return respond_privately(request, found)


@require_form
@login_required
@reauthenticated_to_post
def addresses(request: HttpRequest) -> HttpResponse:
    """Show whether the viewer has private feeds (GET), or create new URLs and show them (POST).

    Before URLs are created, the person enters the password or uses a passkey again.

    Only the response to the POST can show the URLs, because only a hash of their key is stored.
    """
    person = member(request)
    key = keys.create(person, network_hash(request)) if request.method == "POST" else ""
    context = {
        "key": keys.find(person),
        "feeds": list(_shown(key)) if key else (),
        "nav": "preferences",
    }
    return render(request, "feeds.html", context)


def _shown(key: str) -> Iterator[tuple[str, Promise, str]]:
    """Yield the name, title and URL of each private feed. The secret `key` is part of the URL."""
    for name, private in FEEDS.items():
        path = reverse("feed_private", args=[key, name])
        yield name, private.title, f"{settings.SITE_URL}{path}"


@require_POST
@login_required
def revoke(request: HttpRequest) -> HttpResponse:
    """Make the URLs of the viewer's private feeds stop working."""
    keys.revoke(member(request), network_hash(request))
    messages.success(request, _("The addresses of your private feeds were revoked."))
    return redirect_303(reverse("feed_addresses"))

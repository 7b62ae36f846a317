"""Views of the public feeds. Most URLs are a page's URL plus `.atom` (see docs/feeds.md)."""

from collections.abc import Sequence
from datetime import date

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from forum.errors import Gone
from forum.feeds import queries
from forum.feeds.documents import Entry, Feed
from forum.feeds.responses import public, respond
from forum.identity.viewers import guest_subject
from forum.models import Comment
from forum.moderation.log.entries import Reader
from forum.moderation.log.forms import LogForm
from forum.queries import days
from forum.queries.groups import directory
from forum.queries.hosts import posts_of
from forum.search.addresses import SearchAddress
from forum.search.forms import SearchForm
from forum.search.queries import Order as SearchOrder
from forum.templatetags.listings import listing_title
from forum.text import terms
from forum.text.hosts import display_host
from forum.web import addresses, group_addresses, profile_pages
from forum.web.addresses import ListingAddress
from forum.web.redirects import redirect_303, redirect_to_canonical
from forum.web.thread_pages import find_comment, find_surviving
from voting.types import Mix


@public
def listing(request: HttpRequest, order: str = "hot") -> HttpResponse:
    """Return the Atom feed of the site's posts. `order` is a sort order, such as "hot"."""
    return _listing(request, "", addresses.of("front"), order)


@public
def group(request: HttpRequest, expr: str, order: str = "hot") -> HttpResponse:
    """Return the feed of a group or of combined groups. Redirect if the URL isn't canonical."""
    found = group_addresses.find(expr)
    base = addresses.of("group", found.expr)
    if found.renamed or str(found.parsed) != expr:
        own = f"{base}{'feed' if order == 'hot' else order}.atom"
        return redirect_to_canonical(request, own, permanent=not found.renamed)
    return _listing(request, found.title, base, order, found.parsed)


def _listing(
    request: HttpRequest, name: str, base: str, family: str, group: str | Mix | None = None
) -> HttpResponse:
    asked = addresses.read(base, family, request.GET)
    address = ListingAddress(base, family, asked.order)
    order = listing_title(address)
    title = _("%(title)s: %(order)s") % {"title": name, "order": order} if name else order
    entries = queries.of_listing(address.order, group)
    return _feed(request, title, address.url(), address.feed, entries, is_ranked=family != "new")


@public
def site(request: HttpRequest, host: str, order: str = "hot") -> HttpResponse:
    """Return the feed of the posts that link to a host.

    Raises Http404 if the host isn't in its usual form, for example if it begins with "www.".
    """
    if host != terms.host_of(host):
        raise Http404("no such host")
    asked = addresses.read(addresses.of("site", host), order, request.GET)
    address = ListingAddress(asked.base, order, asked.order)
    names = {"title": display_host(host), "order": listing_title(address)}
    title = _("%(title)s: %(order)s") % names
    entries = queries.of_site(host, address.order)
    if not entries and not posts_of(host).exists():
        raise Http404("no post links to this host")
    return _feed(request, title, address.url(), address.feed, entries, is_ranked=order != "new")


@public
def day(request: HttpRequest, day: date) -> HttpResponse:
    """Return the feed of the best posts of a day. Raises Http404 for future days."""
    if day > days.today():
        raise Http404("no posts on this day")
    title = _("Best of %(day)s") % {"day": date_format(day)}
    page, own = reverse("day", args=[day]), reverse("feed_day", args=[day])
    return _feed(request, title, page, own, queries.of_day(day), is_ranked=True)


@public
def week(request: HttpRequest, monday: date) -> HttpResponse:
    """Return the feed of the best posts of a week. Raises Http404 for future weeks."""
    if monday > days.today():
        raise Http404("no posts in this week")
    title = _("Best of the week of %(day)s") % {"day": date_format(monday)}
    page, own = reverse("week", args=[monday]), reverse("feed_week", args=[monday])
    return _feed(request, title, page, own, queries.of_week(monday), is_ranked=True)


@public
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Return the feed of a person's posts."""
    person = profile_pages.find(username)
    own, page = reverse("feed_profile", args=[person.username]), person.get_absolute_url()
    if person.username != username:
        return redirect_to_canonical(request, own)
    return _feed(request, person.username, page, own, queries.of_person(person))


@public
def profile_comments(request: HttpRequest, username: str) -> HttpResponse:
    """Return the feed of a person's comments."""
    person = profile_pages.find(username)
    own = reverse("feed_profile_comments", args=[person.username])
    if person.username != username:
        return redirect_to_canonical(request, own)
    title = _("Comments by %(name)s") % {"name": person.username}
    page = reverse("profile_comments", args=[person.username])
    return _feed(request, title, page, own, queries.of_comments_by(person))


@public
def comments(request: HttpRequest) -> HttpResponse:
    """Return the feed of the newest comments of the site."""
    page, own = reverse("comments"), reverse("feed_comments")
    return _feed(request, _("Newest comments"), page, own, queries.of_all_comments())


@public
def thread(request: HttpRequest, post_id: int) -> HttpResponse:
    """Return the feed of a post and its newest comments. Redirects from a merged post.

    Raises Gone if the post was deleted, so that feed readers stop asking.
    """
    post = find_surviving(post_id)
    if post.deleted_at:
        raise Gone(post)
    own = reverse("feed_thread", args=[post.pk])
    if post.pk != post_id:
        return redirect_303(own)
    return _feed(request, post.title, post.get_absolute_url(), own, queries.of_thread(post))


@public
def branch(request: HttpRequest, post_id: int, comment_id: int) -> HttpResponse:
    """Return the feed of a comment and the replies below it. Redirects if the post was merged.

    Raises Gone if the post, or the comment and all replies to it, were deleted, so that feed
    readers stop asking.
    """
    comments = Comment.objects.select_related("author", "post")
    comment = find_comment(comments, post_id, comment_id)
    post = comment.post
    own = reverse("feed_branch", args=[post.pk, comment.pk])
    if post.pk != post_id:
        return redirect_303(own)
    if post.deleted_at:
        raise Gone(post)
    entries = queries.of_branch(post, comment)
    if not entries:
        raise Gone(comment)
    title = post.title
    if not comment.deleted_at:
        names = {"author": comment.author.shown_name, "title": post.title}
        title = _("%(author)s on “%(title)s”") % names
    return _feed(request, title, comment.get_absolute_url(), own, entries)


@public
def search(request: HttpRequest) -> HttpResponse:
    """Return the feed of a search's results, newest first.

    Raises Http404 if the search is empty or invalid. Raises Throttled or SearchTooSlow.
    """
    form = SearchForm(request.GET)
    text = " ".join(form.cleaned_data["q"].split()) if form.is_valid() else ""
    if not text:
        raise Http404("no search")
    title = _("Search: %(text)s") % {"text": text}
    address = SearchAddress(text, SearchOrder.DATE)
    entries = queries.of_search(text, by=guest_subject(request))
    return _feed(request, title, address.url(), address.feed, entries, is_ranked=True)


@public
def log(request: HttpRequest) -> HttpResponse:
    """Return the feed of the moderation log. Raises Http404 if the filter isn't valid."""
    data = request.GET.copy()
    data["group"] = directory.current(data.get("group", ""))
    form = LogForm(data, names_moderators=Reader().sees_moderators)
    if not form.is_valid():
        raise Http404("no such filter")
    page, own = (f"{reverse(name)}{form.query}" for name in ("modlog", "feed_modlog"))
    return _feed(request, _("Moderation log"), page, own, queries.of_log(form.wanted()))


def _feed(
    request: HttpRequest,
    title: str,
    page: str,
    own: str,
    entries: Sequence[Entry],
    *,
    is_ranked: bool = False,
) -> HttpResponse:
    title = f"{title} · {settings.SITE_NAME}"
    return respond(request, Feed(title, page, own, entries, is_ranked=is_ranked))

"""Publishing a post."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from forum.content import post_service
from forum.content.duplicate_links import Arrival, Known, arrive, find
from forum.content.page_titles import TitleUnavailable, fetch_title
from forum.content.post_service import PostSync
from forum.forms.groups import names
from forum.forms.posts import SubmitForm
from forum.gateway.post_cards import domain
from forum.identity.viewers import member, subject
from forum.models import Post, User
from forum.queries.groups import directory
from forum.queries.repeated_posts import is_waiting, sent_post
from forum.rendering import thread_pages
from forum.rendering.previews import preview, weigh
from forum.sync import outbox
from forum.text import links
from forum.throttling.throttle import rate_limit, throttle
from forum.web import drafts, error_responses
from forum.web.form_errors import throttled_form, unsaved_form
from forum.web.login_required import login_required
from forum.web.methods import require_form, require_safe
from forum.web.redirects import see
from voting.types.limits import RateLimit

FIELDS = ("kind", "title", "url", "body")
"""What an address may fill in, beside groups."""
SHOWN = 200
"""Characters of an address that a message repeats: messages are kept in a cookie."""
MEETINGS = {
    Arrival.COUNTED: gettext_lazy("Somebody posted this address already. Your up vote is counted."),
    Arrival.VOTED_BEFORE: gettext_lazy(
        "Somebody posted this address already, and you have voted on it."
    ),
    Arrival.CLOSED: gettext_lazy("Somebody posted this address already. Voting on it has closed."),
    Arrival.TOO_FAST: gettext_lazy(
        "Somebody posted this address already. You have voted so fast that no vote was counted."
    ),
    Arrival.UNCOUNTED: gettext_lazy(
        "Somebody posted this address already. Voting is resting, so no vote was counted."
    ),
}


@require_form
@login_required
def submit(request: HttpRequest) -> HttpResponse:
    """Show the form, filled in by the address, a draft or a preview; publish what is sent."""
    if request.method != "POST":
        draft = drafts.waiting(request)
        form = SubmitForm(initial=_written(request) | draft)
        return _page(request, form, draft=bool(draft))
    if "discard" in request.POST:
        return see(reverse("submit"))
    if "preview" in request.POST:
        return _preview(request)
    if "fetch" in request.POST:
        return _fetch(request)
    weigh(request, request.POST.get("body", ""))
    form = SubmitForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    return _publish(request, member(request), form)


@require_safe
@login_required
def known(request: HttpRequest) -> HttpResponse:
    """Warn of a post that has the address of `url`, as a fragment; empty if there is none."""
    post = find(_readable(request.GET.get("url", "")))
    return render(request, "partials/known.html", {"known": post})


def _preview(request: HttpRequest) -> HttpResponse:
    """Show what is written as it will look, and warn if its address is posted already."""
    written = _written(request)
    url = _readable(written["url"]) if written["kind"] == Post.Kind.LINK else ""
    topics = [directory.find(slug) for slug in names(written["groups"])]
    shown = preview(request, written["body"], written["title"])
    shown = shown._replace(domain=domain(url), groups=list(filter(None, topics)))
    return _page(request, SubmitForm(initial=written), preview=shown, known=find(url))


def _fetch(request: HttpRequest) -> HttpResponse:
    """Fill in the title of the page at the address. Takes seconds where that answers slowly.

    Raises Throttled. The script gets the title, or why there is none, alone.
    """
    written, failed = _written(request), ""
    throttle(subject(request), "title")
    try:
        if not settings.FETCH_TITLES:
            raise TitleUnavailable
        written["title"] = fetch_title(written["url"], settings.TITLE_RULES)
    except (TitleUnavailable, ValidationError):
        failed = _("The title of this page can't be read. Write one yourself.")
    status = 422 if failed else 200
    if error_responses.FRAGMENT in request.headers:
        text = failed or written["title"]
        return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
    return _page(request, SubmitForm(initial=written), status, failed=failed)


def _readable(url: str) -> str:
    """Return an address in its usual spelling; empty if it can't be posted."""
    try:
        return links.normalise(url)
    except ValidationError:
        return ""


def _publish(request: HttpRequest, author: User, form: SubmitForm) -> HttpResponse:
    """Publish, or lead to the post that has the same address, or ask for patience."""
    data: dict[str, Any] = form.cleaned_data
    if known := find(data["url"]):
        return _meet(request, author, known, data)
    said = (data["title"], data["url"], data["body"])
    text = "\n".join(said)
    form_error = throttled_form(subject(request), "post", text)
    if form_error and form_error.repeated and (before := sent_post(author, *said)):
        form_error = form_error.already_saved_at(before.get_absolute_url())
    if form_error:
        return form_error.mark(_page(request, form, form_error=form_error))
    try:
        post = post_service.publish(author=author, **data)
    except Known as just_now:
        return _meet(request, author, just_now.post, data)
    except OperationalError:
        form_error = unsaved_form(subject(request), "post", text)
        return form_error.mark(_page(request, form, form_error=form_error))
    if author.watches_own:
        thread_pages.say_watched(request, post)
    if is_waiting(post):
        messages.info(request, _("Your post is saved. It appears in the lists within moments."))
    if form.left_out:
        messages.info(request, _left_out(form.left_out))
    return see(post.get_absolute_url())


def _meet(request: HttpRequest, author: User, known: Post, data: dict[str, Any]) -> HttpResponse:
    """Lead to a post that is here already; what was said of it waits in its comment box. A title
    says nothing without a text, and is only told.
    """
    if is_waiting(known):  # posted this very moment, it may be: Redis is to know it before the vote
        outbox.add(PostSync(known.pk))
    told = [_meeting(author, known, rate_limit(subject(request), "vote"))]
    title = data["title"] if data["title"] != known.title else ""
    if data["body"]:
        text = "\n\n".join(filter(None, (title, data["body"])))
        drafts.leave(request, drafts.comment_form(known.pk), body=text)
        told.append(_("What you wrote is in the box for comments: send it if you like."))
    elif title:
        told.append(_("Your title was “%(title)s”.") % {"title": title})
    messages.info(request, " ".join(told))
    return see(known.get_absolute_url())


def _meeting(person: User, known: Post, pace: RateLimit) -> str:
    """Vote for a post that is here already; return what to say to who posted its address."""
    arrival = arrive(person.pk, known, pace)
    if arrival is Arrival.VOTED_BEFORE and known.author_id == person.pk:
        return _("You posted this address already: here it is.")
    return str(MEETINGS[arrival])


def _left_out(address: str) -> str:
    """Return what to tell somebody whose text or question was sent with an address."""
    said = _("Only links have an address, so “%(address)s” was left out.")
    return said % {"address": Truncator(address).chars(SHOWN)}


def _written(request: HttpRequest) -> dict[str, Any]:
    """Return the fields of a form or an address. Both `group` and `groups` name groups."""
    sent = request.POST if request.method == "POST" else request.GET
    fields: dict[str, Any] = {name: sent.get(name, "") for name in FIELDS}
    fields["kind"] = fields["kind"] or Post.Kind.LINK
    fields["groups"] = [*sent.getlist("groups"), *sent.getlist("group")]
    return fields


def _page(
    request: HttpRequest, form: SubmitForm, status: int = 200, **context: Any
) -> HttpResponse:
    context |= {"form": form, "nav": "submit", "fetches": settings.FETCH_TITLES}
    return render(request, "submit.html", context, status=status)

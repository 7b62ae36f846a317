"""The search page, saved searches, and the description of the search for browsers."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from forum.errors import SearchTooSlow
from forum.identity.viewers import Viewer, member, subject, viewer
from forum.models import SavedSearch
from forum.search import addresses, result_html, results, services
from forum.search.addresses import SearchAddress
from forum.search.forms import SaveSearchForm, SearchForm
from forum.search.queries import Order
from forum.search.services import Results
from forum.web.addresses import page_number
from forum.web.login_required import login_required
from forum.web.methods import require_POST, require_safe
from forum.web.not_found import NoSuchPage
from forum.web.problems import problem_of
from forum.web.redirects import redirect_303
from voting.errors import Throttled
from voting.types import Page


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Show the results of a search or, without a search, how to search."""
    form = SearchForm(request.GET)
    if not form.is_valid() and "q" in form.errors:
        return _page(request, form, SearchAddress(""), {}, status=422)
    text = " ".join(form.cleaned_data["q"].split())
    order = Order(form.cleaned_data.get("o") or Order.RELEVANCE)
    address = SearchAddress(text, order, page_number(request.GET.get("p", "1")))
    person = viewer(request)
    try:
        found = services.search_or_closest(
            text, by=subject(request), viewer_id=person.id if person else None, order=order
        )
    except (Throttled, SearchTooSlow) as error:
        problem = problem_of(request, error)
        if problem is None:
            raise
        return problem.mark(_page(request, form, address, {"problem": problem}))
    return _page(request, form, address, _shown(found, address, person))


def _shown(found: Results, address: SearchAddress, person: Viewer | None) -> dict[str, object]:
    """Return the template context with one page of the results.

    Leaves out posts that the viewer mutes, and comments on them.
    """
    hits, size = found.matches.hits, settings.PAGE_SIZE
    page = Page.numbered((), address.number, size, len(hits))
    if address.number > page.pages:
        raise NoSuchPage(page.pages, address.url(page.pages))
    start = (address.number - 1) * size
    now = int(timezone.now().timestamp())
    loaded = results.load(hits[start : start + size], found.query.words, now)
    shown = results.without_muted(loaded, person)
    muted = len(loaded) - len(shown)
    close = found.closest
    return {
        "found": found,
        "closest_url": SearchAddress(close.text, address.order).url() if close else "",
        "results": result_html.render(shown),
        "muted": muted,
        "page": page,
        "total": len(hits),
    }


def _page(
    request: HttpRequest,
    form: SearchForm,
    address: SearchAddress,
    shown: dict[str, object],
    status: int = 200,
) -> HttpResponse:
    person = viewer(request)
    context = shown | {"form": form, "address": address, "nav": "search"}
    if address.text:
        context["refinements"] = addresses.refinements(address)
    if person:
        context["saved"] = SavedSearch.objects.filter(user_id=person.id).order_by("name")
    return render(request, "search.html", context, status=status)


@require_POST
@login_required
def save(request: HttpRequest) -> HttpResponse:
    """Save a search of the viewer under a name."""
    form = SaveSearchForm(request.POST)
    if form.is_valid():
        try:
            services.save(user=member(request), **form.cleaned_data)
        except ValidationError as error:
            messages.error(request, error.messages[0])
        else:
            name = form.cleaned_data["name"]
            messages.success(request, _("Saved the search “%(name)s”.") % {"name": name})
    else:
        messages.error(request, _("Please enter a name of at most 60 characters."))
    return redirect_303(SearchAddress(request.POST.get("text", "")).url())


@require_POST
@login_required
def delete(request: HttpRequest, search_id: int) -> HttpResponse:
    """Delete one of the viewer's saved searches."""
    services.delete(user=member(request), search_id=search_id)
    messages.success(request, _("Deleted the saved search."))
    return redirect_303(reverse("search"))


@require_safe
def description(request: HttpRequest) -> HttpResponse:
    """Describe the search in the OpenSearch format, so that browsers can offer it."""
    context = {
        "site_name": settings.SITE_NAME,
        "url": request.build_absolute_uri(reverse("search")),
    }
    kind = "application/opensearchdescription+xml; charset=utf-8"
    return render(request, "opensearch.xml", context, content_type=kind)

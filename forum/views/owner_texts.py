"""The pages that show the owners' texts, and the URL of the site's logo."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.safestring import SafeString

from forum.models import SiteText
from forum.queries.owner_texts import written
from forum.web.methods import require_safe

YEAR = 31_536_000


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the rules, privacy, contact or about text.

    Raises Http404 if the owners have written no such text.
    """
    text = written.get().text(name)
    if not text:
        raise Http404("the owners wrote no such page")
    shown = {"title": SiteText.Page(name).label, "text": SafeString(text), "nav": name}
    return render(request, "owner_text.html", shown)


@require_safe
def logo(request: HttpRequest, name: str) -> HttpResponse:
    """Send the logo's file. Raises Http404 if `name` is not the present logo's name."""
    found = written.get()
    if not found.logo or name != found.identity.logo:
        raise Http404("no such logo")
    response = HttpResponse(found.logo, content_type="image/png")
    patch_cache_control(response, public=True, immutable=True, max_age=YEAR)
    return response

"""The pages that owners write, and the logo."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.safestring import SafeString

from forum.models import SiteText
from forum.staff.owner_texts.queries import written
from forum.web.methods import require_safe

YEAR = 31_536_000


@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a text of the owners. Raises Http404 if there is none. No query."""
    text = written.get().text(name)
    if not text:
        raise Http404("the owners wrote no such page")
    shown = {"title": SiteText.Page(name).label, "text": SafeString(text), "nav": name}
    return render(request, "owner_text.html", shown)


@require_safe
def logo(request: HttpRequest, name: str) -> HttpResponse:
    """Send the logo. Raises Http404 for a name that is not the present logo's. No query."""
    found = written.get()
    if not found.logo or name != found.identity.logo:
        raise Http404("no such logo")
    response = HttpResponse(found.logo, content_type="image/png")
    patch_cache_control(response, public=True, immutable=True, max_age=YEAR)
    return response

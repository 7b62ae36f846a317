"""The about and privacy pages, the health check, and addresses that browsers know."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from forum.ledger import vote_value
from forum.queries.owner_texts import written
from forum.web import ages
from forum.web.keyboard import SHORTCUTS
from forum.web.methods import require_safe
from forum.web.privacy import sections
from voting.types import Formula

BAND, PAPER = "#5c1a40", "#f3eee6"
"""The colours of the header and of the page, as in `static/site.css`."""

SECURITY_VALID = timedelta(days=90)
"""How long programs may trust a copy of security.txt."""


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """Explain the site and its ranking with current numbers."""
    rules, votes_per_day = settings.VOTING_RULES, vote_value.votes_per_day()
    shown = {
        "linear": rules.formula is Formula.LINEAR,
        "auto": not vote_value.is_fixed(),
        "votes_per_day": votes_per_day,
        "worth": ages.worth(86_400 / votes_per_day),
        "window": ages.span(rules.window),
        "hidden_hours": settings.HIDE_SCORES_HOURS,
        "answer_up": rules.answer_up,
        "answer_down": rules.answer_down,
        "mix_seconds": rules.mix_seconds,
        "own": SafeString(written.get().text("about")),
        "nav": "about",
    }
    return render(request, "about.html", shown)


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Say what the site stores about people, below the owners' text."""
    own = SafeString(written.get().text("privacy"))
    context = {"sections": sections(), "own": own, "nav": "privacy"}
    return render(request, "privacy.html", context)


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """List the keyboard shortcuts."""
    return render(request, "keys.html", {"sections": SHORTCUTS, "nav": "keys"})


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200: this process is running."""
    return HttpResponse("ok", content_type="text/plain; charset=utf-8")


@require_safe
def change_password(_request: HttpRequest) -> HttpResponse:
    """Redirect password managers to the page where people change their password."""
    return redirect("account_change_password")


@require_safe
def security(_request: HttpRequest) -> HttpResponse:
    """Return security.txt (RFC 9116): where to report security problems. 404 without a contact."""
    if not settings.SECURITY_CONTACTS:
        raise Http404
    expires = (timezone.now() + SECURITY_VALID).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [
        *(f"Contact: {contact}" for contact in settings.SECURITY_CONTACTS),
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        f"Canonical: {settings.SITE_URL}{reverse('security')}",
    ]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@require_safe
def manifest(_request: HttpRequest) -> HttpResponse:
    """Describe the site to phones, which can then put it on the home screen as an app."""
    described = {
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "id": "/",
        "start_url": "/",
        "display": "minimal-ui",
        "theme_color": BAND,
        "background_color": PAPER,
        "icons": [
            {"src": static("favicon.svg"), "type": "image/svg+xml", "sizes": "any"},
            {"src": "/apple-touch-icon.png", "type": "image/png", "sizes": "180x180"},
        ],
        "share_target": {
            "action": reverse("submit"),
            "method": "GET",
            "params": {"title": "title", "text": "body", "url": "url"},
        },
    }
    return JsonResponse(described, content_type="application/manifest+json")

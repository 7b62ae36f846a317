"""What machines ask: whether the site is all there, and its figures."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST

from forum.identity import network
from forum.operations.health import exposition, readiness
from forum.web.methods import require_safe

PROXIED = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded")
"""What a request has that came through a proxy: where it really comes from, nobody knows here."""


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Say what is missing, with 503, or that nothing is. Looks as `readiness.missing` does."""
    missing = readiness.missing()
    return JsonResponse({"ready": not missing, "missing": missing}, status=503 if missing else 200)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Give Prometheus its figures, where it may have them."""
    if not _may_read(request):
        sentence = "Figures are for this machine itself, or for who has METRICS_TOKEN.\n"
        return HttpResponse(sentence, status=403, content_type="text/plain")
    return HttpResponse(exposition.exposition(), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    """Say whether who asks has the token; where there is none, whether they are this machine."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}")
    if any(header in request.headers for header in PROXIED):
        return False
    try:
        return network.parse(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False

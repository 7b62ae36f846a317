"""Pages that monitoring programs read: readiness and metrics."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST

from forum.identity import network
from forum.operations.health import exposition, readiness
from forum.web.methods import require_safe

PROXIED = ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded")
"""Headers that proxies add. A request with one of them may come from another machine."""


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Return the missing parts of the site as JSON, with status 503 if any part is missing."""
    missing = readiness.missing()
    return JsonResponse({"ready": not missing, "missing": missing}, status=503 if missing else 200)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics for Prometheus, if the request may read them."""
    if not _may_read(request):
        sentence = "Metrics need METRICS_TOKEN, or a request from this machine.\n"
        return HttpResponse(sentence, status=403, content_type="text/plain; charset=utf-8")
    return HttpResponse(exposition.exposition(), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    """Return whether a request may read the metrics.

    The request needs the token. If METRICS_TOKEN isn't set, the request must come from this
    machine.
    """
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}")
    if any(header in request.headers for header in PROXIED):
        return False
    try:
        return network.parse(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False

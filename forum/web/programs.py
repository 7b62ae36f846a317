"""The addresses that programs use: the API and the addresses of Lobsters.

No response to a program depends on cookies, and scripts of other sites may read all of them.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

ADDRESSES = re.compile(
    r"/api(/(?!v1/docs$).*)?|/((hottest|newest)|(s|t)/[^/]+|((newest|t/[^/]+)/)?page/[^/]+)\.json",
    re.DOTALL,
)
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Allow, ETag, Link, Retry-After, WWW-Authenticate",
}
"""Headers of all responses: scripts of other sites may read the response and these headers."""
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, If-Match, If-None-Match",
    "Access-Control-Max-Age": "86400",
}
"""Headers that tell browsers what scripts of other sites may send."""

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def is_for_programs(request: HttpRequest) -> bool:
    """Return whether a request's address is one that programs use."""
    return bool(ADDRESSES.fullmatch(request.path_info))


def program_middleware(get_response: GetResponse) -> GetResponse:
    """Ignore cookies at addresses for programs, answer HEAD like GET, and allow other sites."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not is_for_programs(request):
            return get_response(request)
        if request.method == "OPTIONS":
            return HttpResponse(status=204, headers=CORS | PREFLIGHT)
        # Without cookies, no form of another site can act for the person.
        request.COOKIES, request.csrf_processing_done = {}, True  # type: ignore[attr-defined]
        asked = request.method
        if asked == "HEAD":
            request.method = "GET"
        response = get_response(request)
        request.method = asked
        for name, value in CORS.items():
            response[name] = value
        return response

    return middleware

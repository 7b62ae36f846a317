"""The Content-Security-Policy and Permissions-Policy: they allow only the site's own content."""

from typing import Any
from wsgiref.headers import Headers

from csp.constants import NONE, SELF


def content(form_targets: list[str]) -> dict[str, Any]:
    """Return the Content-Security-Policy.

    Forms may lead to `form_targets`, too: the log-in with a provider redirects there.
    """
    directives = CONTENT["DIRECTIVES"]
    more = {"form-action": [*directives["form-action"], *form_targets]}
    return {"DIRECTIVES": directives | more}


CONTENT: dict[str, dict[str, list[str]]] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    }
}
PERMISSIONS: dict[str, list[str]] = {
    name: [] for name in ("camera", "geolocation", "microphone", "payment", "usb")
}
FILE = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy of static files, which people may open as pages."""


def protect_file(headers: Headers, _path: str, _url: str) -> None:
    """Add the policy of a static file."""
    headers["Content-Security-Policy"] = FILE

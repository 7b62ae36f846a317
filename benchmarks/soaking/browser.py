"""A simple browser for one person: sends forms over HTTP with cookies, and never retries."""

import re
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from urllib.parse import urlencode

PATIENCE = 30.0
"""Seconds to wait for a response."""
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class NoAnswer(Exception):
    """The connection ended without a response, so the action may have happened or not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of the site."""

    status: int
    location: str
    text: str

    @property
    def token(self) -> str:
        """The CSRF token of the page's forms; empty if the page has no token."""
        found = TOKEN.search(self.text)
        return found[1] if found else ""


class Browser:
    """A browser with cookies. All requests come from the IP address `address`."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self._port = port
        self._address = address
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> Answer:
        """Request a page and return the response. Raises NoAnswer if no response arrives."""
        return self._ask("GET", path, None, {})

    def post(self, path: str, form: dict[str, str], **headers: str) -> Answer:
        """Send a form and return the response. Raises NoAnswer if no response arrives."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named["Content-Type"] = "application/x-www-form-urlencoded"
        return self._ask("POST", path, urlencode(form), named)

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        """Send a request over a new connection, because the server may close idle connections."""
        if self._cookies:
            headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in self._cookies.items())
        connection = HTTPConnection(
            "127.0.0.1", self._port, timeout=PATIENCE, source_address=(self._address, 0)
        )
        try:
            connection.request(method, path, body, headers | {"Connection": "close"})
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
        except (OSError, HTTPException) as error:
            raise NoAnswer(repr(error)) from error
        finally:
            connection.close()
        for line in response.headers.get_all("Set-Cookie", []):
            self._cookies |= {key: morsel.value for key, morsel in SimpleCookie(line).items()}
        return Answer(response.status, response.headers.get("Location", ""), text)

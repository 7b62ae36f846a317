"""Visitors of a site, who log in, read pages and send forms as a browser does."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from benchmarks.sites import Site

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
OPEN_POST = re.compile(r'formaction="(/p/\d+/vote)" name="vote" value="up"')
THREAD = re.compile(r'href="(/p/\d+/[\w-]+)#comments"><b>([\d,]+)')
API_TOKEN = re.compile(r'<input id="token" readonly value="([^"]+)"')
GROUP = re.compile(r'href="(/g/[\w-]+/)"')


class Visitor:
    """A person with a browser's cookies."""

    def __init__(self, connection: HTTPConnection) -> None:
        self._connection = connection
        self._cookies: dict[str, str] = {}
        self._bearer = ""

    def get(self, path: str) -> str:
        """Request a page and return its HTML. Raises SystemExit if the status isn't 200."""
        return self._ask("GET", path, 200)

    def post(self, path: str, fields: Mapping[str, str], expected: int) -> str:
        """Send a form and return the text of the response. Raises SystemExit if the status isn't
        `expected`.
        """
        return self._ask("POST", path, expected, urlencode(fields))

    def log_in(self, name: str, password: str) -> None:
        """Log in with the site's log-in form."""
        form = {"login": name, "password": password, "csrfmiddlewaretoken": self.token()}
        self.post("/accounts/login/", form, 302)

    def token(self) -> str:
        """Return the CSRF token for this visitor's forms."""
        return _first(TOKEN, self.get("/accounts/login/" if not self._cookies else "/"))

    def open_post(self) -> str:
        """Return the URL for votes on the front page's first post that has an "up" button."""
        return _first(OPEN_POST, self.get("/"))

    def thread(self) -> str:
        """Return the URL of the thread on the front page that has the most comments."""
        threads = THREAD.findall(self.get("/"))
        address, _ = max(threads, key=lambda found: int(found[1].replace(",", "")))
        return str(address)

    def group(self) -> str:
        """Return the URL of a group's page."""
        return _first(GROUP, self.get("/g/"))

    def program(self, password: str) -> "Visitor":
        """Create an API token, and return a visitor who sends the token instead of cookies."""
        again = {"password": password, "csrfmiddlewaretoken": self.token()}
        self.post("/accounts/reauthenticate/", again, 302)
        form = {"name": "benchmark", "scopes": "read", "csrfmiddlewaretoken": self.token()}
        program = Visitor(self._connection)
        program._bearer = _first(API_TOKEN, self.post("/preferences/tokens", form, 200))
        return program

    def request(self, path: str, fields: Mapping[str, str] | None = None) -> bytes:
        """Return the bytes of the HTTP request for a page, or for a form with `fields`."""
        body = urlencode(fields or {}).encode()
        lines = [
            f"{'POST' if body else 'GET'} {path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Content-Length: {len(body)}",
            *(f"{name}: {value}" for name, value in self._headers(bool(body)).items()),
        ]
        return "\r\n".join((*lines, "", "")).encode() + body

    def _headers(self, form: bool) -> dict[str, str]:
        headers = {}
        if self._cookies:
            headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in self._cookies.items())
        if self._bearer:
            headers["Authorization"] = f"Bearer {self._bearer}"
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        return headers

    def _ask(self, method: str, path: str, expected: int, body: str | None = None) -> str:
        self._connection.request(method, path, body, self._headers(body is not None))
        response = self._connection.getresponse()
        text = response.read().decode()
        for line in response.headers.get_all("Set-Cookie", []):
            self._cookies |= {key: morsel.value for key, morsel in SimpleCookie(line).items()}
        if response.status != expected:
            raise SystemExit(f"{method} {path} was answered with {response.status}.")
        return text


@contextmanager
def visiting(site: Site) -> Iterator[Visitor]:
    """Yield a new visitor with a connection to a site."""
    connection = HTTPConnection("127.0.0.1", site.port, timeout=30)
    try:
        yield Visitor(connection)
    finally:
        connection.close()


def _first(pattern: re.Pattern[str], page: str) -> str:
    found = pattern.search(page)
    if not found:
        raise SystemExit(f"A page of the site has no {pattern.pattern}")
    return found[1]

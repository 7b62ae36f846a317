"""Fetches the title of a page that somebody is about to post.

The URL comes from a person, so it may point into the server's own network. Therefore pages are only
fetched from public IP addresses. Each host name is resolved once, and the connection goes to the
address that was checked. Redirects are checked in the same way. All failures look the same, so that
they reveal nothing about the server's network.
"""

import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import ip_address
from threading import Timer
from time import monotonic
from urllib.parse import SplitResult, urljoin, urlsplit

from django.core.exceptions import ValidationError

from forum.config.title_rules import DEFAULT_PORTS, Address, TitleRules
from forum.text import links, titles

HEADERS = {
    "User-Agent": "Rostra",
    "Accept": "text/html",
    "Accept-Encoding": "identity",
    "Connection": "close",
}

REDIRECTS = {301, 302, 303, 307, 308}
REDIRECTS_MOST = 3
CHUNK = 16_384
"""The number of bytes of a page to read at once."""
DECLARED = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([a-z0-9_:-]{2,40})""", re.IGNORECASE
)
WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "us-ascii": "cp1252"}
"""Maps each of these encodings to the larger encoding that browsers use in its place."""
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

_resolving = ThreadPoolExecutor(max_workers=4, thread_name_prefix="resolve")
"""Threads that resolve host names, because the system's resolver has no timeout of its own."""


class TitleUnavailable(Exception):
    """The URL isn't allowed, the page can't be fetched in time, or the page has no title."""


class _Connection(HTTPConnection):
    """A connection to an IP address that was checked. Doesn't look up the host name again."""

    def __init__(self, parts: SplitResult, port: int, address: Address, seconds: float) -> None:
        self.default_port = DEFAULT_PORTS[parts.scheme]
        super().__init__(parts.hostname or "", port, timeout=seconds)
        self._address = str(address)
        self._is_secure = parts.scheme == "https"
        self._open: socket.socket | None = None

    def connect(self) -> None:
        opened = socket.create_connection((self._address, self.port), self.timeout)
        if self._is_secure:
            opened = ssl.create_default_context().wrap_socket(
                opened, server_hostname=self.host, do_handshake_on_connect=False
            )
        self.sock = self._open = opened
        if isinstance(opened, ssl.SSLSocket):
            opened.do_handshake()

    def stop(self) -> None:
        """Close the connection, even while another thread waits for a slow server."""
        if self._open:
            with suppress(OSError):
                self._open.shutdown(socket.SHUT_RDWR)


class _TitleParser(HTMLParser):
    """Finds the first `<title>` of a page. Later titles belong to SVG images."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self._state = "before"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and self._state == "before":
            self._state = "within"

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._state = "after"

    def handle_data(self, data: str) -> None:
        if self._state == "within":
            self.title += data


def fetch_title(url: str, rules: TitleRules) -> str:
    """Return a page's title, on one line and cut to the length limit of a post's title.

    Takes seconds if the page's server is slow. Raises TitleUnavailable.
    """
    ends = monotonic() + rules.seconds
    try:
        target = links.normalise(url)
    except ValidationError as error:
        raise TitleUnavailable from error
    for _hop in range(REDIRECTS_MOST + 1):
        try:
            target, page, charset = _get(target, rules, ends)
        except (OSError, HTTPException, ValueError, ValidationError) as error:
            raise TitleUnavailable from error
        if page is not None:
            return _title(page, charset)
    raise TitleUnavailable


def _get(url: str, rules: TitleRules, ends: float) -> tuple[str, bytes | None, str]:
    """Fetch a page. Return its content and encoding, or the URL to which it redirects.

    Returns (URL, None, "") for a redirect, and (URL, content, encoding) for a page.
    """
    parts = urlsplit(url)
    port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    if parts.scheme not in DEFAULT_PORTS or port not in rules.ports or "@" in parts.netloc:
        raise TitleUnavailable
    address = _resolve(parts.hostname or "", port, rules, ends)
    with closing(_Connection(parts, port, address, _left(ends))) as connection:
        timer = Timer(_left(ends), connection.stop)
        timer.start()
        try:
            connection.request("GET", _path(parts), headers=HEADERS)
            return _read(connection.getresponse(), url, rules)
        finally:
            timer.cancel()


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _left(ends: float) -> float:
    """Return the seconds left until `ends`. Raises TimeoutError if that time has passed."""
    left = ends - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _resolve(host: str, port: int, rules: TitleRules, ends: float) -> Address:
    """Return a host's first IP address. Raises TitleUnavailable if any address isn't allowed."""
    lookup = _resolving.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    found = [ip_address(info[4][0]) for info in lookup.result(timeout=_left(ends))]
    if not found or not all(map(rules.is_allowed, found)):
        raise TitleUnavailable
    return found[0]


def _read(response: HTTPResponse, url: str, rules: TitleRules) -> tuple[str, bytes | None, str]:
    if response.status in REDIRECTS:
        return links.normalise(urljoin(url, response.getheader("Location", ""))), None, ""
    kind = response.headers.get_content_type()
    if response.status != 200 or kind not in {"text/html", "application/xhtml+xml"}:
        raise TitleUnavailable
    page = b""
    while len(page) < rules.size and (read := response.read(CHUNK)):
        page += read
    return url, page[: rules.size], response.headers.get_content_charset("")


def _title(page: bytes, charset: str) -> str:
    parser = _TitleParser()
    parser.feed(_decoded(page, charset))
    title = titles.fold(parser.title)[: titles.LONGEST]
    if not title:
        raise TitleUnavailable
    return title


def _decoded(page: bytes, charset: str) -> str:
    """Return a page as text, decoded by its byte order mark, HTTP header or `<meta>`."""
    marked = next((name for mark, name in MARKS.items() if page.startswith(mark)), "")
    declared = DECLARED.search(page[:4_096])
    name = marked or charset or (declared[1].decode("ascii") if declared else "")
    try:
        return page.decode(WIDER.get(name.lower(), name or "utf-8"), "replace")
    except LookupError:
        return page.decode("utf-8", "replace")

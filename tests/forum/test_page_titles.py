"""The site fetches the title of a linked page, but never from the server's own network."""

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import ClassVar

import pytest

from forum.actions.page_titles import TitleUnavailable, fetch_title
from forum.config.title_rules import Address, TitleRules, is_public

HTML = "text/html; charset=utf-8"


class Pages(BaseHTTPRequestHandler):
    """A web server that serves the pages that a test has set, and counts requests."""

    found: ClassVar[dict[str, tuple[int, dict[str, str], bytes]]] = {}
    requests: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.requests.append(self.path)
        status, headers, body = self.found.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_message: object) -> None:
        """Don't log requests."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    Pages.found, Pages.requests = {}, []
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def site(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def rules(site: str, *, allowed: Callable[[Address], bool] = lambda _address: True) -> TitleRules:
    """Return rules that allow fetching titles from the test's own web server."""
    return TitleRules(
        is_allowed=allowed, ports=frozenset({int(site.rpartition(":")[2])}), seconds=2
    )


def serve(path: str, body: str | bytes, kind: str = HTML) -> None:
    content = body if isinstance(body, bytes) else body.encode()
    Pages.found[path] = (200, {"Content-Type": kind}, content)


def redirect(path: str, to: str) -> None:
    Pages.found[path] = (302, {"Location": to}, b"")


@pytest.mark.parametrize(
    ("page", "kind", "title"),
    [
        ("<title>Knots &amp; ropes</title>", HTML, "Knots & ropes"),
        ("<TITLE lang=en>\n Two\n  lines </TITLE>", HTML, "Two lines"),
        ("<title>First</title><svg><title>Drawing</title></svg>", HTML, "First"),
        ("<title>绳结</title>".encode("gb18030"), "text/html; charset=gb2312", "绳结"),
        (b'<meta charset="gbk">' + "<title>绳结</title>".encode("gbk"), "text/html", "绳结"),
        ("<title>Узлы</title>".encode("utf-16"), "text/html", "Узлы"),
        ("<title>Café</title>".encode("latin-1"), "text/html; charset=iso-8859-1", "Café"),
        ("<title>Knots</title>", "text/html; charset=no-such-thing", "Knots"),
        ("<title>No end", "application/xhtml+xml", "No end"),
        (f"<title>{'a' * 500}</title>", HTML, "a" * 200),
    ],
)
def test_title_is_decoded_as_the_page_declares(
    site: str, page: str | bytes, kind: str, title: str
) -> None:
    serve("/a?b=c", page, kind)
    assert fetch_title(f"{site}/a?b=c", rules(site)) == title


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("<p>None</p>", HTML),
        ("<title> </title>", HTML),
        ("<title>A text</title>", "text/plain"),
        pytest.param(" " * 256_000 + "<title>Too far</title>", HTML, id="too far"),
    ],
)
def test_a_page_without_a_title_has_none(site: str, page: str, kind: str) -> None:
    serve("/", page, kind)
    with pytest.raises(TitleUnavailable):
        fetch_title(site, rules(site))


def test_three_redirects_are_followed_and_a_fourth_is_not(site: str) -> None:
    for number in range(4):
        redirect(f"/{number}", f"/{number + 1}")
    serve("/4", "<title>The end</title>")
    assert fetch_title(f"{site}/1", rules(site)) == "The end"
    with pytest.raises(TitleUnavailable):
        fetch_title(f"{site}/0", rules(site))


@pytest.mark.parametrize(
    "to",
    ["file:///etc/passwd", "http://127.0.0.1/", "http://u:p@127.0.0.1/", "http://", "//\u0000"],
)
def test_redirect_is_checked_like_the_first_address(site: str, to: str) -> None:
    redirect("/", to)
    with pytest.raises(TitleUnavailable):
        fetch_title(site, rules(site))


def test_redirect_to_a_private_address_is_not_followed(site: str) -> None:
    seen: list[Address] = []

    def only_the_first(address: Address) -> bool:
        seen.append(address)
        return len(seen) == 1

    redirect("/", f"{site}/inside")
    serve("/inside", "<title>Secret</title>")
    with pytest.raises(TitleUnavailable):
        fetch_title(site, rules(site, allowed=only_the_first))
    assert Pages.requests == ["/"]


def test_private_address_is_not_fetched(site: str) -> None:
    serve("/", "<title>Secret</title>")
    with pytest.raises(TitleUnavailable):
        fetch_title(site, rules(site, allowed=is_public))
    with pytest.raises(TitleUnavailable):
        (
            fetch_title(site, TitleRules(is_allowed=lambda _address: True)),
            "another port than 80 and 443",
        )
    assert not Pages.requests


@pytest.mark.parametrize("url", ["ftp://example.org/", "http://localhost/", "http://a:b@c.org/"])
def test_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(TitleUnavailable):
        fetch_title(url, TitleRules())


@pytest.mark.parametrize("begins", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"])
@pytest.mark.long
def test_slow_server_is_given_up_in_time(begins: bytes) -> None:
    """The web server keeps sending a few bytes, so no single read times out."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_drip, args=(listener, begins, over), daemon=True).start()
        site = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(TitleUnavailable):
            fetch_title(site, rules(site))
        assert over.wait(20), "the connection has ended"


def _drip(listener: socket.socket, begins: bytes, over: threading.Event) -> None:
    connection, _address = listener.accept()
    with connection:
        try:
            connection.sendall(begins)
            while not over.wait(0.05):
                connection.sendall(b"x")
        except OSError:
            over.set()


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:4700:4700::1111", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("198.18.0.1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("::127.0.0.1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("2001::1", False),
        ("fc00::1", False),
        ("fe80::1", False),
        ("fec0::1", False),
        ("ff0e::1", False),
    ],
)
def test_only_public_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public

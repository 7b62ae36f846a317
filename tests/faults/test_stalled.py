"""If browsers stop sending in the middle of a request, other visitors are still served."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse

import pytest

from tests.start.site import Site

pytestmark = pytest.mark.faults
MANY = 12
"""Number of connections to open. The web server has fewer threads."""
PATIENCE = 60.0
"""Seconds to wait for a response. The server closes stalled connections after ten seconds."""
BEGUN = b"""POST /language HTTP/1.1\r
Host: localhost\r
Content-Type: application/x-www-form-urlencoded\r
Content-Length: 50\r
\r
language="""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    one = Site(tmp_path_factory.mktemp("stalled") / "data")
    with one.up():
        yield one


@contextmanager
def stalling(site: Site, begun: bytes) -> Iterator[socket.socket]:
    """Open `MANY` connections, and yield the first."""
    with ExitStack() as open_ones:
        crowd = [open_ones.enter_context(connected(site)) for _one in range(MANY)]
        for one in crowd:
            one.sendall(begun)
        yield crowd[0]


def connected(site: Site) -> socket.socket:
    return socket.create_connection(("localhost", site.port), timeout=PATIENCE)


def asked(site: Site, path: str, *lines: str) -> int:
    """Request a page with these additional header lines, and return the response's status."""
    with connected(site) as connection:
        head = (f"GET {path} HTTP/1.1", "Host: localhost", *lines, "", "")
        connection.sendall("\r\n".join(head).encode())
        return status(connection)


def status(connection: socket.socket) -> int:
    answer = HTTPResponse(connection)
    answer.begin()
    return answer.status


def test_unfinished_forms_block_nobody_for_long(site: Site) -> None:
    with stalling(site, BEGUN) as first:
        assert asked(site, "/") == 200
        assert status(first) == 408


def test_unfinished_requests_block_nobody_for_long(site: Site) -> None:
    with stalling(site, b"GET / HTTP/1.1\r\nHo"):
        assert asked(site, "/") == 200
    assert "Traceback" not in site.output()


def test_clients_can_not_set_the_script_name(site: Site) -> None:
    assert asked(site, "/evil/new", "SCRIPT_NAME: /evil") == 404

"""Browsers that stop in the middle of what they send."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse

import pytest

from tests.start.site import Site

pytestmark = pytest.mark.faults
MANY = 12
"""More than there are threads to serve them."""
PATIENCE = 60.0
"""Seconds; a stalled one is given up after ten."""
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
    """Let many begin so and send no more, until the block ends; give the first of them."""
    with ExitStack() as open_ones:
        crowd = [open_ones.enter_context(connected(site)) for _one in range(MANY)]
        for one in crowd:
            one.sendall(begun)
        yield crowd[0]


def connected(site: Site) -> socket.socket:
    return socket.create_connection(("localhost", site.port), timeout=PATIENCE)


def asked(site: Site, path: str, *lines: str) -> int:
    """Return the status of the answer to who asks for a page, with more lines in the head."""
    with connected(site) as connection:
        head = (f"GET {path} HTTP/1.1", "Host: localhost", *lines, "", "")
        connection.sendall("\r\n".join(head).encode())
        return status(connection)


def status(connection: socket.socket) -> int:
    answer = HTTPResponse(connection)
    answer.begin()
    return answer.status


def test_those_who_never_finish_a_form_hold_up_nobody_for_long(site: Site) -> None:
    with stalling(site, BEGUN) as first:
        assert asked(site, "/") == 200
        assert status(first) == 408


def test_those_who_never_finish_what_they_ask_for_hold_up_nobody_for_long(site: Site) -> None:
    with stalling(site, b"GET / HTTP/1.1\r\nHo"):
        assert asked(site, "/") == 200
    assert "Traceback" not in site.said()


def test_nobody_tells_the_site_that_it_is_mounted_elsewhere(site: Site) -> None:
    assert asked(site, "/evil/new", "SCRIPT_NAME: /evil") == 404

"""Browsers that stop in the middle of what they send."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse

import pytest

from tests.start.test_up import Site

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


def test_those_who_never_finish_a_form_hold_up_nobody_for_long(site: Site) -> None:
    with ExitStack() as open_ones:
        stalled = []
        for _one in range(MANY):
            one = socket.create_connection(("localhost", site.port), timeout=PATIENCE)
            open_ones.enter_context(one).sendall(BEGUN)
            stalled.append(one)
        asked = open_ones.enter_context(socket.create_connection(("localhost", site.port)))
        asked.settimeout(PATIENCE)
        asked.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status(asked) == 200
        assert status(stalled[0]) == 408


def test_those_who_never_finish_what_they_ask_for_hold_up_nobody_for_long(site: Site) -> None:
    with ExitStack() as open_ones:
        for _one in range(MANY):
            one = socket.create_connection(("localhost", site.port), timeout=PATIENCE)
            open_ones.enter_context(one).sendall(b"GET / HTTP/1.1\r\nHo")
        asked = open_ones.enter_context(socket.create_connection(("localhost", site.port)))
        asked.settimeout(PATIENCE)
        asked.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status(asked) == 200
    assert "Traceback" not in site.said()


def test_nobody_tells_the_site_that_it_is_mounted_elsewhere(site: Site) -> None:
    with socket.create_connection(("localhost", site.port), timeout=PATIENCE) as asked:
        asked.sendall(b"GET /evil/new HTTP/1.1\r\nHost: localhost\r\nSCRIPT_NAME: /evil\r\n\r\n")
        assert status(asked) == 404


def status(connection: socket.socket) -> int:
    answer = HTTPResponse(connection)
    answer.begin()
    return answer.status

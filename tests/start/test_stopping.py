"""Whom a web server waits for when it is stopped, and whom not; and a worker that has not begun."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest

from forum.starting.bootstrap import BASE
from tests.start.test_up import Site, eventually

SLOW = 40
"""Visitors who do not hang up; each once kept all others waiting for two seconds."""
PATIENCE = 60
"""Seconds of a test for what takes a second or two, or else for ever: a stop waits that long."""
PAGE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
TOKEN = "a" * 32


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with all but a web server."""
    own = Site(tmp_path_factory.mktemp("site"))
    services = own.command("services")
    eventually(lambda: "Valkey runs at" in own.said(), "Valkey runs")
    yield own
    services.terminate()
    services.wait(timeout=PATIENCE)


@pytest.fixture
def server(site: Site) -> Iterator[subprocess.Popen[bytes]]:
    """Its web server, with one process."""
    patient = {"GUNICORN_CMD_ARGS": "--graceful-timeout=600", "WEB_CONCURRENCY": "1"}
    settings = ["-c", "python:forum.starting.webserver", "--bind", f"127.0.0.1:{site.port}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", *settings],
        cwd=BASE,
        env=os.environ | patient | {"FORUM_DATA": str(site.data)},
    )
    eventually(site.answers, "it answers")
    yield process
    process.terminate()
    process.wait(timeout=PATIENCE)


def visitor(site: Site, sends: bytes = b"") -> socket.socket:
    """Come, and send something."""
    own = socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE)
    own.sendall(sends)
    return own


def done(site: Site) -> list[socket.socket]:
    """Visitors who ask for one page, and stay."""
    return [visitor(site, PAGE + b"Connection: close\r\n\r\n") for _ in range(SLOW)]


def answered(site: Site) -> socket.socket:
    """Come, ask for a page and read it, and stay for another."""
    own = visitor(site, PAGE + b"\r\n")
    page = b""
    while b"\r\n\r\nok" not in page:
        page += (more := own.recv(4096))
        assert more, "the page comes"
    return own


def leave(visitors: list[socket.socket]) -> None:
    """Hang up at last."""
    for one in visitors:
        one.close()


@pytest.mark.usefixtures("server")
def test_nobody_waits_for_visitors_who_were_answered_and_do_not_hang_up(site: Site) -> None:
    slow = done(site)
    assert site.answers()
    leave(slow)


def test_a_stop_waits_for_nobody_who_asks_nothing(
    site: Site, server: subprocess.Popen[bytes]
) -> None:
    slow = done(site)
    quiet = [visitor(site), visitor(site, PAGE), answered(site)]  # the last to be let in
    server.terminate()
    assert server.wait(timeout=PATIENCE) == 0
    assert [one.recv(1) for one in quiet] == [b"", b"", b""]
    leave(slow + quiet)


def test_a_stop_waits_for_a_request_that_has_begun(
    site: Site, server: subprocess.Popen[bytes]
) -> None:
    form = urlencode({"csrfmiddlewaretoken": TOKEN, "login": "nobody", "password": "-"}).encode()
    head = (
        f"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken={TOKEN}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(form)}\r\n\r\n"
    )
    busy = visitor(site, head.encode() + form[:20])
    quiet = answered(site)
    server.terminate()
    assert quiet.recv(1) == b"", "nobody is heard any more who asks nothing"
    busy.sendall(form[20:])
    assert busy.recv(4096).startswith(b"HTTP/1.1 200"), "the form again, and why"
    while busy.recv(4096):
        pass
    assert server.wait(timeout=PATIENCE) == 0
    leave([quiet, busy])


def test_a_worker_that_is_stopped_before_it_works_ends_as_one_that_works(tmp_path: Path) -> None:
    """It waits for its secret key here, which is a pipe that nobody writes to."""
    own = Site(tmp_path)
    key = own.data / "secret-key"
    os.mkfifo(key)
    worker = own.command("worker")
    waits: list[int] = []

    def reads() -> bool:
        with suppress(OSError):
            waits.append(os.open(key, os.O_WRONLY | os.O_NONBLOCK))
        return bool(waits)

    eventually(reads, "it reads its settings")
    worker.terminate()
    assert worker.wait(timeout=PATIENCE) == 0
    os.close(waits[0])

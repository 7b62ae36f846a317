"""With SENTRY_DSN, exceptions are reported to Sentry, without personal data."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from forum.operations.supervision.bootstrap import BASE
from tests.start.reading import refusal
from tests.start.site import SAFE, manage

FAILING = """
import sys, types
import django
from django.conf import settings
from django.http import HttpResponse
from django.urls import path

def fail(request):
    typed = request.POST["body"]
    raise RuntimeError("the first line\\nDETAIL: Key (email)=(ada@example.org)")

urls = types.ModuleType("failing_urls")
urls.urlpatterns = [path("fail", fail)]
urls.handler500 = lambda request: HttpResponse("Sorry", status=500)
sys.modules["failing_urls"] = urls
settings.ROOT_URLCONF = "failing_urls"
settings.ALLOWED_HOSTS = ["testserver"]
django.setup()
settings.MIDDLEWARE = ["forum.config.request_log.observed"]  # others need SQL

from django.test import Client
from structlog import get_logger

browser = Client(raise_request_exception=False, headers={"X-Request-ID": "made-by-the-proxy"})
browser.cookies["sessionid"] = "a secret session"
browser.post("/fail?q=a+secret+search", {"body": "a secret text"}, REMOTE_ADDR="192.0.2.7")
try:
    raise KeyError("job")
except KeyError:
    get_logger("forum").exception("a job of the worker failed")
get_logger("forum").error("a line without exception", address="bob@example.org")
if "sentry_sdk" in sys.modules:
    sys.modules["sentry_sdk"].flush(20)
"""
needs_package = pytest.mark.skipif(
    find_spec("sentry_sdk") is None, reason="requirements-sentry.txt is not installed"
)


class Sentry(ThreadingHTTPServer):
    """A server on this machine that receives events as Sentry does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.received: Queue[bytes] = Queue()

    def dsn(self) -> str:
        return f"http://key@127.0.0.1:{self.server_port}/1"

    def events(self) -> list[dict[str, Any]]:
        """Return the events so far. The last line of an envelope has the event."""
        envelopes = [self.received.get() for _ in range(self.received.qsize())]
        return [json.loads(envelope.strip().splitlines()[-1]) for envelope in envelopes]


class Receiver(BaseHTTPRequestHandler):
    """Saves what is sent."""

    server: Sentry

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        packed = self.headers.get("Content-Encoding") == "gzip"
        self.server.received.put(gzip.decompress(body) if packed else body)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_request(self, *_args: Any) -> None: ...


@pytest.fixture
def sentry() -> Iterator[Sentry]:
    with Sentry() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def run_failing_site(data: Path, **given: str) -> str:
    """Run a site whose page and job fail, and return its log."""
    environment = {"FORUM_DATA": str(data), "DJANGO_SETTINGS_MODULE": "forum.settings"}
    run = subprocess.run(
        [sys.executable, "-c", FAILING],
        env=os.environ | environment | given,
        cwd=BASE,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return run.stderr


@needs_package
def test_exceptions_of_pages_and_jobs_arrive_without_personal_data(
    sentry: Sentry, tmp_path: Path
) -> None:
    log = run_failing_site(tmp_path, SENTRY_DSN=sentry.dsn())
    assert log.count("Traceback") == 2, "the log has them, too"
    page, job = sentry.events()
    (error,) = page["exception"]["values"]
    assert (error["type"], error["value"]) == ("RuntimeError", "the first line")
    assert error["stacktrace"]["frames"][-1]["function"] == "fail"
    assert page["tags"]["request_id"] == "made-by-the-proxy"
    assert job["exception"]["values"][0]["type"] == "KeyError"
    sent = json.dumps([page, job])
    for secret in ("secret", "example.org", "192.0.2.7", "sessionid"):
        assert secret not in sent


def test_site_without_dsn_reports_nothing(sentry: Sentry, tmp_path: Path) -> None:
    run_failing_site(tmp_path)
    assert sentry.events() == []


def test_check_says_that_the_package_is_missing(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text('import sys; sys.modules["sentry_sdk"] = None')
    given = SAFE | {"SENTRY_DSN": "https://key@sentry.example.org/1", "PYTHONPATH": str(tmp_path)}
    run = manage(tmp_path / "data", "check", **given)
    assert run.returncode == 0
    assert run.stderr == (
        "SENTRY_DSN has no effect, because sentry-sdk isn't installed. Install it with"
        " `.venv/bin/pip install -r requirements-sentry.txt`.\n"
    )


@needs_package
def test_check_is_content_with_dsn_and_package(tmp_path: Path) -> None:
    run = manage(tmp_path, "check", **SAFE, SENTRY_DSN="https://key@sentry.example.org/1")
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("wrong", ["wrong", "https://wrong.example.org/1", "https://wrong@host/"])
def test_address_that_is_no_dsn_is_refused_without_printing_it(tmp_path: Path, wrong: str) -> None:
    sentence = refusal(tmp_path, SENTRY_DSN=wrong)
    assert sentence.startswith("SENTRY_DSN: give the DSN")
    assert "wrong" not in sentence

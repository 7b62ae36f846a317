"""Request ids: all log lines about a request have the same id."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
import structlog
from django.core.wsgi import get_wsgi_application
from django.db import OperationalError, connection
from django.test import Client, RequestFactory

from forum.config import logs, request_log
from forum.operations.supervision.bootstrap import BASE
from tests.forum.factories import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """The site's log lines in the JSON format of PRODUCTION=1, as dictionaries."""
    written, stream = list[dict[str, Any]](), StringIO()
    formatters = logs.config(json=True)["formatters"]["line"]
    handler = logging.StreamHandler(stream)
    chain, ending = formatters["foreign_pre_chain"], formatters["processors"]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=chain, processors=ending)
    )
    really = handler.emit

    def emit(record: logging.LogRecord) -> None:
        really(record)
        written[:] = [json.loads(line) for line in stream.getvalue().splitlines()]

    with patch.object(handler, "emit", emit):
        logging.getLogger().addHandler(handler)
        yield written
        logging.getLogger().removeHandler(handler)


def failing(*args: Any) -> None:
    raise OperationalError("database is locked")


def test_every_response_has_its_own_id() -> None:
    ids = {reader().get("/about")["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in ids)


def test_id_from_the_proxy_is_kept() -> None:
    given = "3f2a-proxy.made_it"
    assert reader().get("/about", headers={"X-Request-ID": given})["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "two words", "x" * 65, "a\nb", "<script>", "née"])
def test_id_that_could_confuse_a_log_reader_is_replaced(given: str) -> None:
    answer = reader().get("/about", headers={"X-Request-ID": given})
    assert re.fullmatch("[0-9a-f]{16}", answer["X-Request-ID"])


def test_error_page_shows_the_request_id(lines: list[dict[str, Any]]) -> None:
    window = reader(raise_request_exception=False)
    with patch("django.template.loader.get_template", side_effect=ZeroDivisionError):
        answer = window.get("/about", {"q": "secret"}, headers={"X-Request-ID": "asked-1"})
    assert answer.status_code == 500
    assert "asked-1" in answer.content.decode()
    assert {line["request_id"] for line in lines} == {"asked-1"}
    assert any("ZeroDivisionError" in line.get("exception", "") for line in lines)
    (own,) = [line for line in lines if line["event"] == "request"]
    assert (own["level"], own["view"], own["status"]) == ("error", "about", 500)
    assert own["path"] == "/about", "searches are not logged"


def test_fast_success_is_not_logged(lines: list[dict[str, Any]]) -> None:
    reader().get("/about")
    reader().get("/nowhere")
    assert not lines


def test_slow_response_is_logged(
    lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_log, "SLOW", 0.0)
    reader().get("/about")
    assert [(line["event"], line["level"]) for line in lines] == [("request", "warning")]
    assert lines[0]["ms"] > 0


def test_log_requests_logs_every_response(lines: list[dict[str, Any]], settings: Any) -> None:
    settings.LOG_REQUESTS = True
    reader().get("/about")
    reader().get("/nowhere")
    assert [(line["view"], line["status"]) for line in lines] == [("about", 200), ("none", 404)]


@pytest.mark.parametrize("path", ["/unsubscribe/{}", "/accounts/password/reset/key/1-{}/"])
def test_credentials_in_urls_are_not_logged(
    lines: list[dict[str, Any]], settings: Any, path: str
) -> None:
    settings.LOG_REQUESTS = True
    reader().get(path.format("c0ffee"))
    assert [line["event"] for line in lines] == ["request"]
    assert "c0ffee" not in lines[0]["path"]


def test_credentials_are_not_logged_by_django_while_sql_is_down(
    lines: list[dict[str, Any]],
) -> None:
    with connection.execute_wrapper(failing):
        reader().get("/accounts/password/reset/key/1-c0ffee/")
    logged = [line for line in lines if line["logger"] == "django.request"]
    assert len(logged) == 1
    assert "c0ffee" not in json.dumps(lines)


def test_credentials_are_not_logged_for_an_expired_form(lines: list[dict[str, Any]]) -> None:
    Client(enforce_csrf_checks=True).post("/accounts/confirm-email/c0ffee/")
    assert [line["logger"] for line in lines] == ["django.security.csrf"]
    assert "c0ffee" not in json.dumps(lines)


@pytest.mark.parametrize("wrong", ["host", "fields", "files", "lookup"])
def test_request_refused_by_django_is_one_warning(lines: list[dict[str, Any]], wrong: str) -> None:
    window = reader(person("stella", is_staff=True, is_superuser=True))
    if wrong == "host":
        answer = window.get("/about", headers={"Host": "evil.example"})
    elif wrong == "fields":
        answer = window.post("/submit", {f"field{number}": "" for number in range(1_200)})
    elif wrong == "files":
        files = {f"file{number}": StringIO("x") for number in range(150)}
        answer = window.post("/submit", files)
    else:
        answer = window.get("/admin/forum/post/?author__password__startswith=a")
    assert answer.status_code == 400
    (line,) = lines
    assert line["level"] == "warning"
    assert line["logger"].startswith("django.security.")
    assert not {"exception", "exc_info"} & line.keys()


def test_request_id_is_not_in_the_lines_of_the_next_request(lines: list[dict[str, Any]]) -> None:
    written = post(person("ada"), "Knots")
    with connection.execute_wrapper(failing):
        for given in ("first", "second"):
            reader().get(written.get_absolute_url(), headers={"X-Request-ID": given})
    own = [line["request_id"] for line in lines if line["event"] == "request"]
    assert own == ["first", "second"]


@pytest.mark.parametrize("json_lines", [True, False])
def test_own_and_library_log_lines_look_alike(json_lines: bool) -> None:
    program = (
        "import logging, structlog; from forum.config import logs, request_ids;"
        f"logs.configure(logs.config(json={json_lines}));"
        "request_ids.begin('asked-2');"
        "structlog.get_logger('forum.x').info('ours', posts=3);"
        "logging.getLogger('library').warning('theirs %s', 4)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=BASE, capture_output=True, text=True, check=True
    )
    ours, theirs = run.stderr.splitlines()
    assert "asked-2" in ours
    assert "asked-2" in theirs
    if json_lines:
        assert json.loads(ours)["posts"] == 3
        assert json.loads(theirs)["event"] == "theirs 4"
    else:
        assert "posts=3" in ours
        assert "theirs 4" in theirs


@pytest.mark.parametrize("path", ["/", "/about", "/nowhere"])
def test_head_request_gets_the_length_without_the_page(path: str) -> None:
    """Call the WSGI application directly: the test client drops the body of a HEAD response."""
    site = get_wsgi_application()

    def answered(method: str) -> tuple[int, str]:
        sent_headers: dict[str, str] = {}

        def begin(_status: str, headers: list[tuple[str, str]], _error: Any = None, /) -> Any:
            sent_headers.update(headers)

        page = b"".join(site(RequestFactory().generic(method, path).environ, begin))
        return len(page), sent_headers["Content-Length"]

    length = len(Client().get(path).content)
    assert answered("HEAD") == (0, str(length))
    assert answered("GET") == (length, str(length))

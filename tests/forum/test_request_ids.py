"""Request ids: whoever has one finds every line that the site wrote about the request."""

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

from forum.observability import logs, requests
from forum.operations.supervision.bootstrap import BASE
from tests.forum.cast import person, post, reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """What the site writes, as it would with PRODUCTION=1; read at the end of each request."""
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


def test_every_answer_has_an_id_of_its_own() -> None:
    ids = {reader().get("/about")["X-Request-ID"] for _ in range(3)}
    assert len(ids) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in ids)


def test_an_id_that_the_proxy_made_is_kept() -> None:
    given = "3f2a-proxy.made_it"
    assert reader().get("/about", headers={"X-Request-ID": given})["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "two words", "x" * 65, "a\nb", "<script>", "née"])
def test_an_id_that_might_mean_something_else_to_a_reader_of_logs_is_replaced(given: str) -> None:
    answer = reader().get("/about", headers={"X-Request-ID": given})
    assert re.fullmatch("[0-9a-f]{16}", answer["X-Request-ID"])


def test_a_mistake_of_ours_shows_the_id_by_which_its_lines_are_found(
    lines: list[dict[str, Any]],
) -> None:
    window = reader(raise_request_exception=False)
    with patch("django.template.loader.get_template", side_effect=ZeroDivisionError):
        answer = window.get("/about", {"q": "secret"}, headers={"X-Request-ID": "asked-1"})
    assert answer.status_code == 500
    assert "asked-1" in answer.content.decode()
    assert {line["request_id"] for line in lines} == {"asked-1"}
    assert any("ZeroDivisionError" in line.get("exception", "") for line in lines)
    (own,) = [line for line in lines if line["event"] == "request"]
    assert (own["level"], own["view"], own["status"]) == ("error", "about", 500)
    assert own["path"] == "/about", "what people search for is not written down"


def test_an_answer_that_went_well_is_not_worth_a_line(lines: list[dict[str, Any]]) -> None:
    reader().get("/about")
    reader().get("/nowhere")
    assert not lines


def test_a_slow_answer_is_worth_a_line(
    lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "SLOW", 0.0)
    reader().get("/about")
    assert [(line["event"], line["level"]) for line in lines] == [("request", "warning")]
    assert lines[0]["ms"] > 0


def test_on_request_every_answer_gets_a_line(lines: list[dict[str, Any]], settings: Any) -> None:
    settings.LOG_REQUESTS = True
    reader().get("/about")
    reader().get("/nowhere")
    assert [(line["view"], line["status"]) for line in lines] == [("about", 200), ("none", 404)]


@pytest.mark.parametrize("path", ["/unsubscribe/{}", "/accounts/password/reset/key/1-{}/"])
def test_what_proves_who_comes_is_not_written_down(
    lines: list[dict[str, Any]], settings: Any, path: str
) -> None:
    settings.LOG_REQUESTS = True
    reader().get(path.format("c0ffee"))
    assert [line["event"] for line in lines] == ["request"]
    assert "c0ffee" not in lines[0]["path"]


def test_nor_does_django_write_it_down_where_sql_is_away(lines: list[dict[str, Any]]) -> None:
    with connection.execute_wrapper(failing):
        reader().get("/accounts/password/reset/key/1-c0ffee/")
    told = [line for line in lines if line["logger"] == "django.request"]
    assert len(told) == 1
    assert "c0ffee" not in json.dumps(lines)


def test_nor_where_a_form_has_grown_old(lines: list[dict[str, Any]]) -> None:
    Client(enforce_csrf_checks=True).post("/accounts/confirm-email/c0ffee/")
    assert [line["logger"] for line in lines] == ["django.security.csrf"]
    assert "c0ffee" not in json.dumps(lines)


@pytest.mark.parametrize("wrong", ["host", "fields", "files", "lookup"])
def test_who_is_refused_by_django_leaves_one_line_of_warning(
    lines: list[dict[str, Any]], wrong: str
) -> None:
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


def test_one_requests_id_is_not_found_in_the_next_ones_lines(lines: list[dict[str, Any]]) -> None:
    written = post(person("ada"), "Knots")
    with connection.execute_wrapper(failing):
        for given in ("first", "second"):
            reader().get(written.get_absolute_url(), headers={"X-Request-ID": given})
    own = [line["request_id"] for line in lines if line["event"] == "request"]
    assert own == ["first", "second"]


@pytest.mark.parametrize("json_lines", [True, False])
def test_a_line_of_ours_and_one_of_a_library_come_out_alike(json_lines: bool) -> None:
    program = (
        "import logging, structlog; from forum.observability import logs, request_ids;"
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
def test_who_asks_for_the_head_of_a_page_gets_its_length_and_no_page(path: str) -> None:
    """Else the web server drops the page, and warns of it each time. Asked behind the test client,
    which drops pages too.
    """
    site = get_wsgi_application()

    def answered(method: str) -> tuple[int, str]:
        told: dict[str, str] = {}

        def begin(_status: str, headers: list[tuple[str, str]], _error: Any = None, /) -> Any:
            told.update(headers)

        page = b"".join(site(RequestFactory().generic(method, path).environ, begin))
        return len(page), told["Content-Length"]

    length = len(Client().get(path).content)
    assert answered("HEAD") == (0, str(length))
    assert answered("GET") == (length, str(length))

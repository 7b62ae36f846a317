"""Web server and worker log a line when they start and when they stop."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from forum import __version__
from forum.operations.supervision.bootstrap import BASE
from tests.ports import free_port
from tests.start.site import SAFE, Site, child
from tests.waiting import until


def lines(output: str, event: str) -> list[dict[str, Any]]:
    """Return the lines of JSON in a log that are about `event`."""
    complete = output.rpartition("\n")[0].splitlines()
    parsed = (json.loads(line) for line in complete if line.startswith("{"))
    return [line for line in parsed if line["event"] == event]


def test_starts_and_stops_are_in_the_log_once_with_version_servers_and_signal(
    tmp_path: Path,
) -> None:
    site = Site(tmp_path / "data")
    with site.up("--no-demo", **SAFE) as up:
        until(lambda: lines(site.output(), "worker started"), "the worker starts")
        (web,) = lines(site.output(), "web server started")
        (worker,) = lines(site.output(), "worker started")
        assert web["listens"] == [f"http://127.0.0.1:{site.port}"]
        assert web["processes"] == 1
        for line in (web, worker):
            assert line["version"] == __version__
            assert (line["database"], line["redis"]) == ("sqlite", "embedded")
            assert line["production"] is True
            assert line["level"] == "info"
        os.kill(child(up, "gunicorn"), signal.SIGINT)
        until(lambda: lines(site.output(), "web server stopped"), "the web server stops")
        until(lambda: len(lines(site.output(), "web server started")) == 2, "up starts it again")
        until(site.answers, "the site answers again")
    web_reasons = [line["reason"] for line in lines(site.output(), "web server stopped")]
    assert web_reasons == ["SIGINT", "SIGTERM"]
    assert [line["reason"] for line in lines(site.output(), "worker stopped")] == ["SIGTERM"]


def test_start_line_never_has_an_address_or_a_password(tmp_path: Path) -> None:
    given = SAFE | {
        "DATABASE_URL": f"postgres://rostra:hidden@127.0.0.1:{free_port()}/rostra",
        "REDIS_URL": f"rediss://:hidden@127.0.0.1:{free_port()}/0",
        "FORUM_DATA": str(tmp_path),
    }
    process = subprocess.Popen(
        [sys.executable, str(BASE / "manage.py"), "worker"],
        env=os.environ | given,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    first = process.stderr.readline()
    process.terminate()
    output = first + process.communicate(timeout=60)[1]
    (started,) = lines(output, "worker started")
    assert (started["database"], started["redis"]) == ("postgres", "rediss")
    assert "hidden" not in output
    assert [line["reason"] for line in lines(output, "worker stopped")] == ["SIGTERM"]


def test_web_server_whose_processes_can_not_start_stops_with_an_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gunicorn", "-c"]
    command += ["python:forum.operations.supervision.webserver"]
    command += ["--bind", f"127.0.0.1:{free_port()}"]
    run = subprocess.run(
        command,
        env=os.environ
        | SAFE
        | {"FORUM_DATA": str(tmp_path), "PAGE_SIZE": "none", "WEB_CONCURRENCY": "1"},
        cwd=BASE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode
    assert [line["reason"] for line in lines(run.stderr, "web server stopped")] == ["error"]

"""What a stranger's first page weighs, on the site as `up` serves it with its demo content."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from playwright.sync_api import Browser

from forum.demo.loading import load_demo
from forum.starting.bootstrap import BASE
from tests.ports import free_port
from tests.start.reading import settings_of
from tests.start.test_up import answers, eventually

KILOBYTES = 30
REQUESTS = 5


@pytest.fixture
def running_site(tmp_path: Path, settings: Any) -> Iterator[str]:
    """Serve the demo content by the web server that `up` starts; return the address."""
    load_demo()
    own = settings_of(tmp_path)
    for name in ("STATIC_ROOT", "STATICFILES_DIRS", "STORAGES"):
        setattr(settings, name, own[name])
    call_command("collectstatic", interactive=False, verbosity=0)
    port = free_port()
    given = {
        "FORUM_DATA": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "REDIS_URL": settings.REDIS_URL,
        "CACHE_URL": settings.CACHE_URL,
        "WEB_CONCURRENCY": "1",
    }
    command = ["-m", "gunicorn", "-c", "python:forum.starting.webserver"]
    with subprocess.Popen(
        [sys.executable, *command, "--bind", f"localhost:{port}"], cwd=BASE, env=os.environ | given
    ) as server:
        eventually(lambda: answers(port), "the site answers")
        yield f"http://localhost:{port}/"
        server.terminate()


def test_the_front_page_of_a_guest_is_light(browser: Browser, running_site: str) -> None:
    with browser.new_context() as stranger:
        page = stranger.new_page()
        weights: dict[str, float] = {}
        kinds: dict[str, str] = {}

        def name(event: dict[str, Any]) -> None:
            kinds[event["requestId"]] = f"{event['type']} {event['request']['url']}"

        def weigh(event: dict[str, Any]) -> None:
            weights[event["requestId"]] = event["encodedDataLength"]

        wire = stranger.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.requestWillBeSent", name)
        wire.on("Network.loadingFinished", weigh)
        page.goto(running_site, wait_until="networkidle")
        rows = page.locator("article").count()
    list_of = {kinds[key]: round(weight) for key, weight in weights.items()}
    assert rows == settings.PAGE_SIZE
    assert sum(weights.values()) < KILOBYTES * 1_000, list_of
    assert len(kinds) <= REQUESTS, kinds
    scripts = [kind for kind in kinds.values() if kind.startswith("Script")]
    assert len(scripts) == 1, scripts
    assert "/clicks." in scripts[0], "only what counts clicks where browsers ignore `ping`"

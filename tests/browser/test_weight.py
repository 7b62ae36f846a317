"""What a stranger's first page weighs, on the site as `up` serves it with its demo content."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from django.conf import settings
from playwright.sync_api import Browser

KILOBYTES = 30
REQUESTS = 5
START_SECONDS = 60


@pytest.fixture
def running_site(tmp_path: Path) -> Iterator[str]:
    """Start the site with `up` on data of its own, as a stranger does; return its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {"PATH": os.environ["PATH"], "FORUM_DATA": str(tmp_path), "PORT": str(port)}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "up"]
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as up:
        try:
            address = f"http://localhost:{port}/"
            _wait_for(address)
            yield address
        finally:
            up.terminate()


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"{address} did not answer within {START_SECONDS} seconds")


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
    assert not [kind for kind in kinds.values() if kind.startswith("Script")]

"""What a stranger's first page weighs, on the site as `up` serves it with its demo content."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser

from tests.start.test_up import Site

KILOBYTES = 30
REQUESTS = 5


@pytest.fixture
def running_site(tmp_path: Path) -> Iterator[str]:
    """Start the site with `up` on data of its own, as a stranger does; return its address."""
    site = Site(tmp_path)
    with site.up():
        yield f"http://localhost:{site.port}/"


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

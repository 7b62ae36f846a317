"""Fixtures for tests that use the site in a real Chromium, as a person would.

Opening a window is slow, so the tests of a pytest worker share two windows: one with JavaScript and
one without. If no Chromium is found, the tests are skipped, or fail if `REQUIRE_BROWSER=1` is set.
`CHROMIUM` can name the Chromium program. It sees only the fonts of `fonts.conf`, if they are there.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from django.conf import settings
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    WebError,
    expect,
)
from pytest_django.live_server_helper import LiveServer

from forum.models import User
from forum.queries.groups import directory
from tests.browser.pages import SCREEN

HERE = Path(__file__).parent
NAMES = (
    *("chromium-headless-shell", "chrome-headless-shell"),
    *("chromium", "chromium-browser", "google-chrome", "chrome"),
)
"""Names of Chromium programs to look for. Headless builds come first, because they need half the
CPU.
"""
MISSING = (
    "There is no Chromium here, so no browser test ran: "
    "install the package `chromium`, or name a program in CHROMIUM."
)
DRIVERLESS = (
    "Playwright does not start here, so no browser test ran "
    "(on a bare Debian install the package `libatomic1`)."
)
DEJAVU = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
REFUSAL = re.compile(r"Failed to load resource: .* status of (403|404|405|409|410|422|429|503) ")
"""Matches console messages about error responses that tests expect, such as 404."""
PATIENCE = 30_000
"""Milliseconds that a test waits for an element to appear."""

expect.set_options(timeout=PATIENCE)
settings.STATICFILES_DIRS.append(AXE_FILE_PATH.parent)
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
"""Allow tests to query the database in the thread that runs Playwright's event loop."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests in this folder as browser tests that commit their data to the database.

    Without a commit, the site's server wouldn't see the data.
    """
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session")
def driver() -> None:
    """Check that Playwright starts.

    If it doesn't, skip the browser tests, or fail if `REQUIRE_BROWSER=1` is set.
    """
    command = [sys.executable, "-m", "playwright", "--version"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        _skip_or_fail(f"{DRIVERLESS} It said: {run.stderr.strip()}")


@pytest.fixture(scope="session")
def playwright(driver: None, playwright: Playwright) -> Playwright:
    """The `playwright` fixture of pytest-playwright, but the fixture `driver` runs before it."""
    return playwright


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], playwright: Playwright
) -> dict[str, Any]:
    """Return the arguments to start the installed Chromium.

    If the tests run as root, Chromium starts without a sandbox, because root can't use one.
    """
    program = _find(playwright)
    if not program:
        _skip_or_fail(MISSING)
    box = ["--no-sandbox"] if os.geteuid() == 0 else []
    fonts = {"FONTCONFIG_FILE": str(HERE / "fonts.conf")} if DEJAVU.exists() else {}
    more = {"executable_path": program, "args": box, "env": os.environ | fonts}
    return browser_type_launch_args | more


def _skip_or_fail(reason: str) -> NoReturn:
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(f"REQUIRE_BROWSER=1. {reason}", pytrace=False)
    pytest.skip(reason)


def _find(playwright: Playwright) -> str | None:
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    downloaded = playwright.chromium.executable_path
    return next(filter(None, map(shutil.which, (*NAMES, downloaded))), None)


@pytest.fixture(scope="session")
def base_url(live_server: LiveServer) -> str:
    """The URL of the running site. Playwright adds it to each path that a test opens."""
    return str(live_server.url)


Windows = Callable[[bool], Page]


@pytest.fixture(scope="session")
def windows(browser: Browser, base_url: str) -> Windows:
    """Return a function that opens a browser window, with JavaScript (True) or without (False)."""
    opened: dict[bool, Page] = {}

    def window(runs: bool) -> Page:
        if runs not in opened or opened[runs].is_closed():
            context = browser.new_context(
                base_url=base_url,
                java_script_enabled=runs,
                viewport=SCREEN,
                locale="en-GB",
                reduced_motion="reduce",
            )
            context.set_default_timeout(PATIENCE)
            opened[runs] = context.new_page()
        return opened[runs]

    return window


@pytest.fixture(
    params=[
        pytest.param(True, id="script"),
        pytest.param(False, id="no-script", marks=pytest.mark.long),
    ]
)
def script(request: pytest.FixtureRequest) -> bool:
    """Whether JavaScript is on. A test with this argument runs twice: with JavaScript and without.

    The run without JavaScript is marked `long` and left out by default.
    """
    return bool(request.param)


@pytest.fixture
def page(windows: Windows, request: pytest.FixtureRequest, complaints: list[str]) -> Iterator[Page]:
    """A guest's browser window. A warning or error in the browser console fails the test."""
    runs = "script" not in request.fixturenames or request.getfixturevalue("script")
    window = windows(runs)

    def hear(message: ConsoleMessage) -> None:
        refused = REFUSAL.match(message.text) and "/static/" not in message.location["url"]
        if message.type in {"error", "warning"} and not refused:
            complaints.append(f"{message.location['url']}: {message.text}")

    def fall(error: WebError) -> None:
        complaints.append(str(error.error))

    window.context.on("console", hear)
    window.context.on("weberror", fall)
    yield window
    window.goto("about:blank")
    window.context.remove_listener("console", hear)
    window.context.remove_listener("weberror", fall)
    _forget_the_guest(window)
    assert not complaints, "the browser complained:\n" + "\n".join(complaints)


def _forget_the_guest(window: Page) -> None:
    window.unroute_all()
    window.context.clear_cookies()
    window.context.set_offline(False)
    window.set_viewport_size(SCREEN)
    window.emulate_media(media="screen", color_scheme="light", forced_colors="none")
    window.goto("/healthz")  # only a page of the site can clear the storage
    window.evaluate("localStorage.clear(), sessionStorage.clear()")
    window.goto("about:blank")


@pytest.fixture
def context(page: Page) -> BrowserContext:
    """The browser context of `page`. It has the cookies and network settings."""
    return page.context


@pytest.fixture
def complaints() -> list[str]:
    """Errors and warnings in the browser console. If any are left at the end, the test fails.

    A test that causes errors on purpose clears this list.
    """
    return []


@pytest.fixture
def log_in(context: BrowserContext, base_url: str) -> Callable[[User], None]:
    """Return a function that logs a person in without the log-in form."""

    def as_(user: User) -> None:
        client = Client()
        client.force_login(user)
        session = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": session, "url": base_url}])

    return as_


@pytest.fixture
def as_bob(page: Page, bob: User, log_in: Callable[[User], None]) -> Page:
    log_in(bob)
    return page


@pytest.fixture
def as_ada(page: Page, ada: User, log_in: Callable[[User], None]) -> Page:
    log_in(ada)
    return page


@pytest.fixture(autouse=True)
def _clear_cached_groups() -> None:
    directory.forget()

"""On the first visit to a page, a browser downloads no more bytes than the limit."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.models import Count
from playwright.sync_api import Browser

from forum.actions import comments as comment_actions
from forum.models import Post, User
from forum.operations.demo.loading import load_demo
from forum.operations.supervision.bootstrap import BASE
from tests.forum.factories import session_of
from tests.ports import free_port
from tests.start.reading import settings_of
from tests.start.site import answers
from tests.waiting import until

COMMENTS = 32
SCRIPT = re.compile(r"Script /static/(\w+)\.")


@pytest.fixture
def running_site(tmp_path: Path, settings: Any) -> Iterator[str]:
    """Run the demo site with its real web server, and yield the URL."""
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
        "SECRET_KEY": settings.SECRET_KEY,
        "WEB_CONCURRENCY": "1",
    }
    command = ["-m", "gunicorn", "-c", "python:forum.operations.supervision.webserver"]
    with subprocess.Popen(
        [sys.executable, *command, "--bind", f"localhost:{port}"], cwd=BASE, env=os.environ | given
    ) as server:
        until(lambda: answers(port), "the site answers")
        yield f"http://localhost:{port}/"
        server.terminate()


@dataclass(frozen=True, slots=True)
class Load:
    """The files that a browser with an empty cache downloaded for one page."""

    bytes_of: dict[str, int]
    """Bytes downloaded for each file, by the file's type and path. Headers are included."""
    rows: int
    comments: int

    @property
    def total(self) -> int:
        return sum(self.bytes_of.values())

    @property
    def scripts(self) -> list[str]:
        return sorted(SCRIPT.findall(" ".join(self.bytes_of)))


def load(browser: Browser, address: str, session: str = "") -> Load:
    """Open a page in a browser with an empty cache, and return what the browser downloaded."""
    with browser.new_context() as stranger:
        if session:
            cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": address}
            stranger.add_cookies([cookie])  # type: ignore[list-item]
        page = stranger.new_page()
        weights: dict[str, int] = {}
        kinds: dict[str, str] = {}

        def name(event: dict[str, Any]) -> None:
            path = urlsplit(event["request"]["url"]).path
            kinds[event["requestId"]] = f"{event['type']} {path}"

        def weigh(event: dict[str, Any]) -> None:
            weights[event["requestId"]] = round(event["encodedDataLength"])

        wire = stranger.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.requestWillBeSent", name)
        wire.on("Network.loadingFinished", weigh)
        page.goto(address, wait_until="networkidle")
        rows, comments = page.locator("article.row").count(), page.locator(".comment").count()
    return Load({kinds[key]: weight for key, weight in weights.items()}, rows, comments)


def thread_of(comments: int) -> str:
    """Fill the longest thread with comments until it has `comments` of them. Return its URL."""
    threads = Post.objects.annotate(many=Count("comments")).filter(many__lte=comments)
    longest = threads.latest("many", "-pk")
    for number in range(comments - longest.many):
        body = f"Comment number {number}, which says something that nobody said before."
        comment_actions.write(author=longest.author, post=longest, parent=None, body=body)
    return longest.get_absolute_url().removeprefix("/")


def test_first_pages_are_light(browser: Browser, running_site: str) -> None:
    member = session_of(User.objects.get(username="bram"))
    thread = running_site + thread_of(COMMENTS)
    guest, own = load(browser, running_site), load(browser, running_site, member)
    talk, own_talk = load(browser, thread), load(browser, thread, member)
    assert guest.rows == own.rows == settings.PAGE_SIZE
    assert talk.comments == own_talk.comments == COMMENTS
    assert guest.scripts == [], "guests get no script on lists"
    assert talk.scripts == ["read"], "the only script for guests"
    assert own.scripts == ["site"], "others are loaded when they are needed"
    limits = (guest, 18_000), (own, 22_000), (talk, 22_000), (own_talk, 26_000)
    for loaded, most in limits:
        assert loaded.total <= most, loaded.bytes_of

"""Commands for developers: `runserver` with `services`, and `up --reload`."""

import os
import re
import signal
from pathlib import Path
from urllib.request import urlopen

import pytest

from forum.operations.supervision.bootstrap import BASE
from tests.start.site import Site, serving
from tests.waiting import until

STYLE = re.compile(r'href="(/static/[^"]+\.css)"')


def page(site: Site, path: str) -> str:
    with urlopen(f"http://localhost:{site.port}{path}", timeout=60) as answer:
        return str(answer.read().decode())


@pytest.mark.long
def test_runserver_with_services_serves_pages_and_styles_and_up_is_refused(tmp_path: Path) -> None:
    site = Site(tmp_path / "data")
    services = site.command("services")
    try:
        until(lambda: "Valkey" in site.output(), "the embedded Valkey runs")
        assert site.command("migrate", "--verbosity=0").wait(timeout=120) == 0
        assert site.command("up").wait(timeout=120) == 1
        assert f"`manage.py services` is using the data in {site.data}: stop it" in site.output()
        server = site.command("runserver", "--noreload", str(site.port), DEBUG="1")
        try:
            until(site.answers, "the site answers")
            front = page(site, "/")
            assert "<title>Rostra</title>" in front
            assert ".row" in page(site, STYLE.findall(front)[0])
        finally:
            server.kill()
            server.wait()
    finally:
        services.send_signal(signal.SIGINT)
        assert services.wait(timeout=120) == 0


@pytest.mark.long
def test_runserver_alone_serves_pages_without_votes(tmp_path: Path) -> None:
    site = Site(tmp_path / "data")
    assert site.command("migrate", "--verbosity=0").wait(timeout=120) == 0
    server = site.command("runserver", "--noreload", str(site.port))
    try:
        until(site.answers, "the site answers")
        front = page(site, "/")
        assert "temporarily unavailable" in front, "there is no Redis"
        assert ".row" in page(site, STYLE.findall(front)[0])
    finally:
        server.kill()
        server.wait()


@pytest.mark.long
def test_up_reload_uses_changed_code(tmp_path: Path) -> None:
    site = Site(tmp_path / "data")
    with site.up("--reload", "--no-demo") as up:
        before = serving(up)

        def renewed() -> bool:
            os.utime(BASE / "forum" / "urls.py")
            return not before & serving(up)

        until(renewed, "all processes have reloaded the code")
        until(lambda: site.answers(""), "the site answers again")

"""During a reload, new processes replace the old processes, and no visitor's request fails."""

import os
import re
import signal
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic, perf_counter
from urllib.parse import urlencode

import pytest

from tests.start.site import Site, serving, started_by
from tests.waiting import set_at_end, until

pytestmark = pytest.mark.faults

BUSY, IDLE, VOTING = 4, 6, 2
"""Numbers of visitors: who read without pauses, who pause between pages, and who vote."""
LONGEST_PAUSE, RESTED = 1.0, 1.2
"""Seconds: a visitor's longest pause, and the idle time after which a visitor reconnects.

Both are below two seconds, the time for which an ending process keeps idle connections.
"""
KEPT = {"GUNICORN_CMD_ARGS": "--keep-alive 60"}
"""Environment variables: the web server keeps idle connections for longer than visitors pause."""
PATHS = ("/", "/new", "/about", "/healthz", "/static/site.css")
PEOPLE = ("bram", "ada")
GENEROUS = dict.fromkeys(("LIMIT_VOTE", "LIMIT_NEW_VOTE"), "1000000/1") | {"VOTES_A_DAY": "0"}


class Visitor:
    """A browser that keeps its connection open and never repeats a request."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._cookies: SimpleCookie = SimpleCookie()
        self._heard_at = monotonic()

    def ask(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str]:
        """Request a page or send a form. Return the status and text of the response."""
        if monotonic() - self._heard_at > RESTED:
            self._connection.close()
        headers = {"Cookie": "; ".join(f"{k}={m.value}" for k, m in self._cookies.items())}
        if form is None:
            self._connection.request("GET", path, headers=headers)
        else:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            self._connection.request("POST", path, urlencode(form), headers)
        answer = self._connection.getresponse()
        for given in answer.headers.get_all("Set-Cookie", []):
            self._cookies.load(given)
        text = answer.read().decode(errors="replace")
        self._heard_at = monotonic()
        return answer.status, text

    def log_in(self, name: str) -> None:
        """Log in as a member of the demo content."""
        form = {"login": name, "password": f"rostra-demo-{name}"}
        status, _text = self.ask("/accounts/login/", form | self.token("/accounts/login/"))
        assert status == 302, f"{name} can log in"

    def token(self, path: str) -> dict[str, str]:
        """Return the CSRF token of a page's form, as a form field."""
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.ask(path)[1])
        assert found, f"{path} has a form"
        return {"csrfmiddlewaretoken": found[1]}


class Load:
    """Simulated visitors in threads. Counts good responses, and each kind of failure."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.ended = Event()
        self.met: Counter[str] = Counter()
        self.longest = 0.0

    def read(self, number: int, longest_pause: float) -> None:
        """Open random pages, with random pauses, until the load ends."""
        visitor, chance = Visitor(self.port), Random(number)
        while not self.ended.wait(chance.uniform(0, longest_pause)):
            self._note(visitor, chance.choice(PATHS), None, 200)

    def vote(self, name: str) -> None:
        """Vote the first post up and withdraw the vote, again and again."""
        visitor = Visitor(self.port)
        visitor.log_in(name)
        page = visitor.ask("/")[1]
        post = re.search(r'id="post-(\d+)"', page)
        assert post, "the front page has posts"
        token, wanted = visitor.token("/"), "up"
        while not self.ended.wait(0.02):
            form = token | {"vote": wanted, "next": "/"}
            self._note(visitor, f"/p/{post[1]}/vote", form, 303)
            wanted = "none" if wanted == "up" else "up"

    def _note(self, visitor: Visitor, path: str, form: dict[str, str] | None, status: int) -> None:
        began = perf_counter()
        try:
            met = visitor.ask(path, form)[0]
            self.met["well" if met == status else f"{path}: {met}"] += 1
        except (OSError, HTTPException) as error:
            self.met[f"{path}: {error!r}"] += 1
        self.longest = max(self.longest, perf_counter() - began)


def busy(up: subprocess.Popen[bytes]) -> set[int]:
    """Return the pids of the processes that a reload replaces: web processes and worker."""
    own = started_by(up.pid).items()
    return serving(up) | {pid for pid, args in own if args.endswith("manage.py worker")}


def test_reload_under_load_fails_no_request(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with site.up(WEB_CONCURRENCY="2", **GENEROUS, **KEPT) as up:
        crowd = Load(site.port)
        with ThreadPoolExecutor(BUSY + IDLE + VOTING) as pool, set_at_end(crowd.ended):
            running = [pool.submit(crowd.read, n, 0.01) for n in range(BUSY)]
            running += [pool.submit(crowd.read, n, LONGEST_PAUSE) for n in range(IDLE)]
            running += [pool.submit(crowd.vote, name) for name in PEOPLE]
            for _ in range(3):
                _reload_once(up, crowd)
        for one in running:
            one.result()
    assert crowd.met.keys() == {"well"}, f"{crowd.met}; the longest took {crowd.longest:.2f} s"


def _reload_once(up: subprocess.Popen[bytes], crowd: Load) -> None:
    """Reload the site while visitors use it, and wait until all old processes are gone."""
    enough = crowd.met.total() + 200
    until(lambda: crowd.met.total() > enough, "visitors come and go")
    before = busy(up)
    assert len(before) == 3
    os.kill(up.pid, signal.SIGHUP)
    until(lambda: len(now := busy(up)) == 3 and not now & before, "other processes took over")

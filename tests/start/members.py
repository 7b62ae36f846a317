"""Bram of the demo, who votes on a running site; and the site's commands, run to their end."""

import re
from collections.abc import Mapping

from benchmarks.soaking.browser import Browser
from tests.start.test_up import Site

POST = re.compile(r'formaction="(/p/\d+)/vote" name="vote" value="up"')
NOTHING: Mapping[str, str] = {}
SHOWN = re.compile(r'<article [^>]*>|href="/[gpu]/[^"]*"')
"""Posts and comments with their votes, and where links lead."""
PAGES = (
    *(
        "/",
        "/new",
        "/top?t=all",
        "/active",
        "/g/python/",
        "/comments",
        "/leaders",
        "/leaders?t=week",
    ),
    *("/u/bram/", "/u/bram/liked", "/u/bram/saved", "/u/bram/follows", "/inbox", "/following"),
)


class Member:
    """Bram, logged in."""

    def __init__(self, site: Site) -> None:
        self._browser = Browser(site.port)
        form = {"login": "bram", "password": "rostra-demo-bram"}
        token = self._browser.get("/accounts/login/").token
        sent = self._browser.post("/accounts/login/", form | {"csrfmiddlewaretoken": token})
        assert sent.status == 302
        page = self._browser.get("/new")
        self._token, self.posts = page.token, POST.findall(page.text)

    def moves_to(self, site: Site) -> None:
        """Keep the browser, with the log-in it has, and look at another address."""
        self._browser._port = site.port

    def vote(self, post: str, word: str) -> None:
        """Vote, and be told that it counts."""
        form = {"csrfmiddlewaretoken": self._token, "vote": word}
        assert self._browser.post(f"{post}/vote", form).status == 303

    def own_vote(self, post: str) -> str:
        """Return the vote that Bram sees as his."""
        found = re.search(
            rf'id="post-{post[3:]}"[^>]*data-vote="(\w+)"', self._browser.get("/new").text
        )
        assert found
        return found[1]

    def sees(self) -> dict[str, list[str]]:
        """Return what some pages show in order, with all votes and Bram's own."""
        return {path: SHOWN.findall(self._browser.get(path).text) for path in PAGES}


def run(site: Site, *arguments: str, code: int = 0, given: Mapping[str, str] = NOTHING) -> str:
    """Run a command of manage.py to its end and return all that the site has said so far."""
    assert site.command(*arguments, **given).wait(timeout=120) == code, site.said()
    return site.said()

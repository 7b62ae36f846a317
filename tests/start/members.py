"""Bram of the demo, or another, on a running site; and the site's commands, run to their end."""

import re
from collections.abc import Mapping
from time import sleep

from benchmarks.soaking.browser import Browser
from tests.start.site import Site
from tests.waiting import until

POST = re.compile(r'formaction="(/p/\d+)/vote" name="vote" value="up"')
VOTED = re.compile(r'id="post-(\d+)"[^>]*data-vote="(\w+)"')
ARCHIVED = re.compile(r"^rostra_ledger_waiting 0(\.0)?$", re.MULTILINE)
NOTHING: Mapping[str, str] = {}
FORGED = """
    INSERT INTO forum_ledgerentry (generation, shard, entry, user_id, post_id, comment_id, vote, at)
    VALUES ('forged', 0, '1-0', 999999, 1, 0, 1, '2026-01-01 00:00:00+00:00')
"""
"""Puts a vote into the ledger that nobody cast."""
FOUND = "post 1: person 999999: the ledger makes up, SQL has nothing"
"""What is said of it where the ledger is replayed."""
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
    """Bram, logged in, or somebody else of the demo."""

    def __init__(self, site: Site, name: str = "bram") -> None:
        self._browser = Browser(site.port)
        form = {"login": name, "password": f"rostra-demo-{name}"}
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
        assert self.send(f"{post}/vote", vote=word) == 303

    def send(self, path: str, **form: str) -> int:
        """Send a form, and return what status the answer has. Raises NoAnswer."""
        form["csrfmiddlewaretoken"] = self._token
        return self._browser.post(path, form).status

    def own_vote(self, post: str) -> str:
        """Return the vote that they see as theirs."""
        return self.own_votes()[post]

    def own_votes(self) -> dict[str, str]:
        """Return the votes that they see as theirs on the newest posts."""
        page = self.read("/new")
        return {f"/p/{post_id}": word for post_id, word in VOTED.findall(page)}

    def read(self, path: str) -> str:
        """Return a page, or the one that it leads to."""
        page = self._browser.get(path)
        if page.location:
            page = self._browser.get(page.location)
        assert page.status == 200
        return page.text

    def sees_in_the_end(self) -> dict[str, list[str]]:
        """Return what `sees` does, once the boards, which are seconds behind, follow every vote."""
        until(lambda: ARCHIVED.search(self.read("/metrics")), "every vote is archived")

        def rests() -> bool:
            before = SHOWN.findall(self.read("/leaders"))
            sleep(1)
            return SHOWN.findall(self.read("/leaders")) == before

        until(rests, "the boards rest")
        return self.sees()

    def sees(self) -> dict[str, list[str]]:
        """Return what some pages show in order, with all votes and their own."""
        return {path: SHOWN.findall(self._browser.get(path).text) for path in PAGES}


def run(site: Site, *arguments: str, code: int = 0, given: Mapping[str, str] = NOTHING) -> str:
    """Run a command of manage.py to its end and return all that the site has said so far."""
    assert site.command(*arguments, **given).wait(timeout=120) == code, site.said()
    return site.said()

"""Members of the demo site, and a function that runs the site's commands."""

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
"""SQL that adds a forged vote to the ledger."""
FOUND = "post 1: person 999999: the ledger has up, SQL has nothing"
"""The error that commands report for the vote in `FORGED`, after replaying the ledger."""
SHOWN = re.compile(r'<article [^>]*>|href="/[gpu]/[^"]*"')
"""Matches the parts of a page to compare: posts and comments with votes, and links."""
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
    """A member of the demo site, by default Bram, who is logged in and sends HTTP requests."""

    def __init__(self, site: Site, name: str = "bram") -> None:
        self._browser = Browser(site.port)
        form = {"login": name, "password": f"rostra-demo-{name}"}
        token = self._browser.get("/accounts/login/").token
        sent = self._browser.post("/accounts/login/", form | {"csrfmiddlewaretoken": token})
        assert sent.status == 302
        page = self._browser.get("/new")
        self._token, self.posts = page.token, POST.findall(page.text)

    def moves_to(self, site: Site) -> None:
        """Make this member send all further requests to another site, with the same session."""
        self._browser._port = site.port

    def vote(self, post: str, word: str) -> None:
        """Vote on the post with this path: up, down or none. Fail if the site refuses the vote."""
        assert self.send(f"{post}/vote", vote=word) == 303

    def send(self, path: str, **form: str) -> int:
        """Send a form and return the response's status. Raises NoAnswer if there is no response."""
        form["csrfmiddlewaretoken"] = self._token
        return self._browser.post(path, form).status

    def cast(self, post: str, word: str) -> bool:
        """Vote on a post, and return whether the site acknowledged the vote.

        A redirect to the log-in page isn't an acknowledgement. Raises NoAnswer if no response
        arrives.
        """
        form = {"vote": word, "csrfmiddlewaretoken": self._token}
        answer = self._browser.post(f"{post}/vote", form)
        return answer.status == 303 and not answer.location.startswith("/accounts/")

    def own_vote(self, post: str) -> str:
        """Return this member's vote on a post, as `/new` shows it."""
        return self.own_votes()[post]

    def own_votes(self) -> dict[str, str]:
        """Return this member's votes on the newest posts, as a dict from path to vote."""
        page = self.read("/new")
        return {f"/p/{post_id}": word for post_id, word in VOTED.findall(page)}

    def read(self, path: str) -> str:
        """Return the HTML of a page, after at most one redirect."""
        page = self._browser.get(path)
        if page.location:
            page = self._browser.get(page.location)
        assert page.status == 200
        return page.text

    def sees_in_the_end(self) -> dict[str, list[str]]:
        """Wait until all votes are in SQL and the leaderboards, then return what `sees` finds."""
        until(lambda: ARCHIVED.search(self.read("/metrics")), "every vote to be archived")

        def rests() -> bool:
            before = SHOWN.findall(self.read("/leaders"))
            sleep(1)
            return SHOWN.findall(self.read("/leaders")) == before

        until(rests, "the leaderboards are up to date")
        return self.sees()

    def sees(self) -> dict[str, list[str]]:
        """Map the path of each page in `PAGES` to the posts, comments and links on the page."""
        return {path: SHOWN.findall(self._browser.get(path).text) for path in PAGES}


def run(site: Site, *arguments: str, code: int = 0, given: Mapping[str, str] = NOTHING) -> str:
    """Run a command of manage.py, and fail unless it ends with the exit code `code`."""
    assert site.command(*arguments, **given).wait(timeout=120) == code, site.output()
    return site.output()

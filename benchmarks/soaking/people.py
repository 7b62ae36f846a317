"""Simulated people who vote, write and read at random, and record the site's responses."""

import re
from random import Random
from threading import Event
from urllib.parse import urlsplit

from benchmarks.soaking.browser import Answer, Browser, NoAnswer
from benchmarks.soaking.record import WORDS, Fate, Place, Record, Written

PASSWORD = "the tide comes in twice a day"  # noqa: S105 - of people who live for minutes
PAGES = ("/", "/new", "/active", "/top?t=day", "/g/", "/comments", "/leaders", "/about", "/submit")
POST = re.compile(r"^/p/(\d+)/")
COMMENT = re.compile(r"#comment-(\d+)$")
CERTAIN = frozenset({404, 409, 422, 429})
"""HTTP statuses which show that the site refused the action and changed nothing."""
ATTEMPTS = 20


class Person:
    """A simulated person with an account, logged in over HTTP."""

    def __init__(self, port: int, number: int, run: str, group: str, record: Record) -> None:
        self.name = f"s{run}{number}"
        self._port = port
        self._run = run
        self._group = group
        self._record = record
        self._chance = Random(f"{run} {number}")
        self._address = f"127.0.{1 + number // 250}.{1 + number % 250}"
        self._browser = self._new_browser()
        self._token = ""
        self._written = 0

    def join(self) -> None:
        """Sign up and log in, with retries. Raises SystemExit if no attempt succeeds."""
        form = {"username": self.name, "password1": PASSWORD}
        for _ in range(ATTEMPTS):
            signed_up = self._enter("/accounts/signup/", form)
            if self._log_in():
                return
            Event().wait(self._chance.uniform(0.2, 1))
        raise SystemExit(f"{self.name} could not log in (signing up was answered {signed_up}).")

    def live(self, ended: Event, pause: float) -> None:
        """Do random actions, `pause` seconds apart on average, until `ended` is set."""
        while not ended.wait(self._chance.uniform(0, 2 * pause)):
            deed = self._chance.choices(
                (self._vote, self._read, self._comment, self._post, self._log_in),
                (60, 25, 9, 4, 0.5),
            )[0]
            deed()

    def begin(self) -> None:
        """Write a post before the run starts, so that there is something to vote on."""
        self._post()

    def _enter(self, path: str, form: dict[str, str]) -> int:
        """Send a log-in or sign-up form from a new browser. Keep the browser if this succeeds.

        Return the response's status, or 0 if there was no response.
        """
        browser = self._new_browser()
        try:
            token = browser.get(path).token
            answer = browser.post(path, form | {"csrfmiddlewaretoken": token})
            page = browser.get("/about")
        except NoAnswer:
            return 0
        if answer.status in {302, 303}:
            self._browser, self._token = browser, page.token
        return answer.status

    def _new_browser(self) -> Browser:
        """Return a browser with this person's own IP address. Log-ins are limited by address."""
        return Browser(self._port, self._address)

    def _log_in(self) -> bool:
        form = {"login": self.name, "password": PASSWORD}
        return self._enter("/accounts/login/", form) in {302, 303}

    def _read(self) -> None:
        places = self._record.places
        choice = [*PAGES, f"/u/{self.name}/"]
        if places:
            choice += [f"/p/{self._chance.choice(places).post_id}"] * 4
        path = self._chance.choice(choice)
        try:
            answer = self._browser.get(path)
            if answer.status in {301, 302}:
                answer = self._browser.get(urlsplit(answer.location).path)
        except NoAnswer:
            self._record.page("no answer")
            return
        self._record.page(str(answer.status))
        if answer.status not in {200, 503}:
            self._surprise("GET", path, answer)

    def _vote(self) -> None:
        if not self._record.places:
            return
        place = self._chance.choice(self._record.places[-60:])
        word = self._chance.choice(tuple(WORDS))
        headers = {"X_Fragment": "list"} if self._chance.random() < 0.5 else {}
        answer = self._send(place.path, {"vote": word, "next": "/"}, **headers)
        fate = self._fate(place.path, answer, 200 if headers else 303)
        self._record.vote(self.name, place, word, fate)

    def _post(self) -> None:
        title = self._sentence("post")
        form = {"kind": "text", "title": title, "body": title, "groups": self._group}
        if self._chance.random() < 0.3:
            form |= {"kind": "link", "url": f"https://example.org/{self.name}/{self._written}"}
        answer = self._send("/submit", form)
        fate = self._fate("/submit", answer, 303)
        found = POST.match(urlsplit(answer.location).path) if answer else None
        place = Place(int(found[1])) if found and fate is Fate.ACKNOWLEDGED else None
        self._record.post(title, Written(self.name, fate, place))

    def _comment(self) -> None:
        posts = [place for place in self._record.places[-60:] if not place.comment_id]
        if not posts:
            return
        on = self._chance.choice(posts).post_id
        body = self._sentence("comment")
        path = f"/p/{on}/comment"
        answer = self._send(path, {"body": body, "parent": ""})
        fate = self._fate(path, answer, 303)
        found = COMMENT.search(answer.location) if answer else None
        place = Place(on, int(found[1])) if found and fate is Fate.ACKNOWLEDGED else None
        self._record.comment(body, Written(self.name, fate, place))

    def _sentence(self, what: str) -> str:
        self._written += 1
        return f"{self._run} {what} {self._written} of {self.name}"

    def _send(self, path: str, form: dict[str, str], **headers: str) -> Answer | None:
        """Send a form; return the response, or None if no response came."""
        try:
            return self._browser.post(path, form | {"csrfmiddlewaretoken": self._token}, **headers)
        except NoAnswer:
            return None

    def _fate(self, path: str, answer: Answer | None, good: int) -> Fate:
        if answer is None:
            return Fate.UNKNOWN
        if answer.status == good and "/accounts/login/" not in answer.location:
            return Fate.ACKNOWLEDGED
        if answer.status in CERTAIN:
            return Fate.TURNED_AWAY
        if answer.status != 503:
            self._surprise("POST", path, answer)
        return Fate.REFUSED

    def _surprise(self, method: str, path: str, answer: Answer) -> None:
        shape = re.sub(r"\d+", "N", path)
        self._record.surprise(f"{method} {shape}: {answer.status} {answer.location}".strip())

"""A member who keeps voting, and a record of the votes that the site acknowledged."""

from threading import Event, Thread
from typing import Self

from benchmarks.soaking.browser import NoAnswer
from tests.start.members import Member

PAUSE = 0.1
"""Seconds between two votes."""


class Voter:
    """Makes a member vote on posts in a background thread until the `with` block ends."""

    def __init__(self, member: Member) -> None:
        self._member = member
        self._stopping = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self.acknowledged = 0
        """Number of votes that the site acknowledged."""
        self.possible: dict[str, set[str]] = {}
        """For each post, the votes that are right: several if the last request failed."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def lost(self, member: Member) -> dict[str, set[str]]:
        """Return the posts on which the site doesn't show `member` the vote that they cast last."""
        seen = member.own_votes()
        return {post: may for post, may in self.possible.items() if seen[post] not in may}

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._stopping.wait(PAUSE):
            number += 1
            post = self._member.posts[number % len(self._member.posts)]
            word = ("up", "down", "none")[number // len(self._member.posts) % 3]
            before = self.possible.get(post, {word})
            self.possible[post] = {word, *before}
            try:
                acknowledged = self._member.cast(post, word)
            except NoAnswer:
                continue
            if acknowledged:
                self.acknowledged += 1
                self.possible[post] = {word}

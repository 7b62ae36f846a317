"""The soak's record of every action and its response, for the comparison at the end."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock
from time import monotonic

WORDS = {"up": 1, "none": 0, "down": -1}
"""The words of a vote in a form, and what they mean."""


class Fate(Enum):
    """What a person knows about something they sent."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    """By a site that could not do it, and may not know whether it did."""
    TURNED_AWAY = "turned away"
    """By a rule: a rate limit, or voting has closed."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Place:
    """A post (`comment_id` 0) or a comment."""

    post_id: int
    comment_id: int = 0

    @property
    def path(self) -> str:
        """The URL to vote on it."""
        comment = f"/c/{self.comment_id}" if self.comment_id else ""
        return f"/p/{self.post_id}{comment}/vote"

    def __str__(self) -> str:
        return f"comment {self.comment_id}" if self.comment_id else f"post {self.post_id}"


@dataclass(frozen=True, slots=True)
class Pressed:
    """A vote that was sent; unless it is `sure`, it may count or not."""

    vote: int
    sure: bool


@dataclass(frozen=True, slots=True)
class Written:
    """A post or comment that was sent, with its author's name."""

    author: str
    fate: Fate
    place: Place | None = None
    """Its URL, from the response."""


@dataclass
class Record:
    """All responses; shared by threads."""

    votes: dict[tuple[str, Place], list[Pressed]] = field(default_factory=lambda: defaultdict(list))
    posts: dict[str, Written] = field(default_factory=dict)
    """By title, which is unique."""
    comments: dict[str, Written] = field(default_factory=dict)
    """By body, also unique."""
    places: list[Place] = field(default_factory=list)
    """Targets that can be voted on."""
    fates: Counter[Fate] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    surprises: Counter[str] = field(default_factory=Counter)
    """Unexpected responses."""
    longest_outage: float = 0.0
    """Seconds without an acknowledged action although someone tried."""
    _lock: Lock = field(default_factory=Lock)
    _last: float = field(default_factory=monotonic)
    _failing: bool = False

    def vote(self, name: str, place: Place, word: str, fate: Fate) -> None:
        """Record a vote."""
        with self._lock:
            self._note(fate)
            if fate is not Fate.TURNED_AWAY:
                pressed = Pressed(WORDS[word], sure=fate is Fate.ACKNOWLEDGED)
                self.votes[name, place].append(pressed)

    def post(self, title: str, written: Written) -> None:
        """Record a post."""
        with self._lock:
            self.posts[title] = written
            self._wrote(written)

    def comment(self, body: str, written: Written) -> None:
        """Record a comment."""
        with self._lock:
            self.comments[body] = written
            self._wrote(written)

    def page(self, what: str) -> None:
        """Record the result of reading a page."""
        with self._lock:
            self.pages[what] += 1

    def surprise(self, what: str) -> None:
        """Record an unexpected response."""
        with self._lock:
            self.surprises[what] += 1

    def _wrote(self, written: Written) -> None:
        self._note(written.fate)
        if written.place:
            self.places.append(written.place)
            self.votes[written.author, written.place].append(Pressed(1, sure=True))

    def _note(self, fate: Fate) -> None:
        """Count an action. An outage lasts from the last acknowledged action before a failure to
        the first one after it.
        """
        now = monotonic()
        self.fates[fate] += 1
        if fate is Fate.TURNED_AWAY:
            return
        if fate is not Fate.ACKNOWLEDGED:
            self._failing = True
            return
        if self._failing:
            self.longest_outage = max(self.longest_outage, now - self._last)
        self._failing, self._last = False, now

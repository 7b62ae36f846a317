"""A record of all actions in a run of `benchmarks.soak`, and of the site's responses."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import Enum
from threading import Lock
from time import monotonic

WORDS = {"up": 1, "none": 0, "down": -1}
"""Maps each value of the form field `vote` to the number that is stored for it."""


class Fate(Enum):
    """The outcome of an action, according to the site's response."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    """The site reported an error, so the action may have been done or not."""
    TURNED_AWAY = "turned away"
    """A rule forbade the action, for example a rate limit. The action was not done."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Place:
    """The target of a vote: a post (`comment_id` 0) or a comment."""

    post_id: int
    comment_id: int = 0

    @property
    def path(self) -> str:
        """The URL of the form to vote on this post or comment."""
        comment = f"/c/{self.comment_id}" if self.comment_id else ""
        return f"/p/{self.post_id}{comment}/vote"

    def __str__(self) -> str:
        return f"comment {self.comment_id}" if self.comment_id else f"post {self.post_id}"


@dataclass(frozen=True, slots=True)
class Pressed:
    """A vote that a person sent. If `sure` is false, the site didn't acknowledge the vote."""

    vote: int
    sure: bool


@dataclass(frozen=True, slots=True)
class Written:
    """A post or comment that a person sent."""

    author: str
    fate: Fate
    place: Place | None = None
    """The new post or comment, if the response said where it is."""


@dataclass
class Record:
    """All actions of a run, and the responses to them. Safe to use from several threads."""

    votes: dict[tuple[str, Place], list[Pressed]] = field(default_factory=lambda: defaultdict(list))
    posts: dict[str, Written] = field(default_factory=dict)
    """The posts that people sent, by title. Titles are unique."""
    comments: dict[str, Written] = field(default_factory=dict)
    """The comments that people sent, by text. Texts are unique."""
    places: list[Place] = field(default_factory=list)
    """The posts and comments that people can vote on."""
    fates: Counter[Fate] = field(default_factory=Counter)
    pages: Counter[str] = field(default_factory=Counter)
    surprises: Counter[str] = field(default_factory=Counter)
    """How often the site sent each response that it should never send."""
    longest_outage: float = 0.0
    """The longest time in seconds in which people tried actions and the site acknowledged none."""
    _lock: Lock = field(default_factory=Lock)
    _last: float = field(default_factory=monotonic)
    _failing: bool = False

    def vote(self, name: str, place: Place, word: str, fate: Fate) -> None:
        """Record a vote that a person sent, and how the site responded."""
        with self._lock:
            self._note(fate)
            if fate is not Fate.TURNED_AWAY:
                pressed = Pressed(WORDS[word], sure=fate is Fate.ACKNOWLEDGED)
                self.votes[name, place].append(pressed)

    def post(self, title: str, written: Written) -> None:
        """Record a post that a person sent."""
        with self._lock:
            self.posts[title] = written
            self._wrote(written)

    def comment(self, body: str, written: Written) -> None:
        """Record a comment that a person sent."""
        with self._lock:
            self.comments[body] = written
            self._wrote(written)

    def page(self, what: str) -> None:
        """Count a page request. `what` is the response's status, or "no answer"."""
        with self._lock:
            self.pages[what] += 1

    def surprise(self, what: str) -> None:
        with self._lock:
            self.surprises[what] += 1

    def _wrote(self, written: Written) -> None:
        self._note(written.fate)
        if written.place:
            self.places.append(written.place)
            self.votes[written.author, written.place].append(Pressed(1, sure=True))

    def _note(self, fate: Fate) -> None:
        """Count an action by its outcome, and update the longest outage."""
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

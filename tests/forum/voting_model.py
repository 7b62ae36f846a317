"""A plain model of voting: what votes, voids, merges and deletions of accounts must lead to.

It knows neither SQL nor Redis, and computes all numbers again from the votes. Times are in seconds
since 1970, and people are their ids.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import NamedTuple

DAY, WEEK = 86_400, 604_800
POINT, SUNKEN_POINT = DAY / 20, DAY / 3
"""The seconds that a point adds to a hot score, or takes from it if a post has less than none."""
PLACES = 3
"""How many votes of new accounts count on a post or comment at a time."""
Line = tuple[date, str, str, int]
"""A line on a leaderboard: day, group ("" for the site), "post" or "person", and an id."""


class Cast(NamedTuple):
    """A vote (1, 0 or -1), when it was cast, and until when it waits (0: it never waited)."""

    vote: int
    at: int
    waits_until: int = 0

    @property
    def since(self) -> int:
        return max(self.at, self.waits_until)


class Place(NamedTuple):
    """A new account, whose vote counts although others wait, and when it stops being new."""

    person: int
    ends_at: int


@dataclass(eq=False)
class Text:
    """A post, or a comment on the post `on`."""

    id: int
    author: int
    posted_at: int
    groups: tuple[str, ...] = ()
    on: "Text | None" = None
    merged_into: "Text | None" = None
    is_removed: bool = False
    places: dict[str, Place] = field(default_factory=dict)
    """The votes of new accounts that count, by network."""
    votes: dict[int, list[Cast]] = field(default_factory=dict)
    """All that each person cast, in order. Merges leave it as it is."""
    void: dict[int, Cast] = field(default_factory=dict)
    """The void votes, as their voters see them."""

    @property
    def post(self) -> "Text":
        return self.on or self

    @property
    def is_visible(self) -> bool:
        return not (self.is_removed or self.merged_into or (self.on and not self.on.is_visible))

    @property
    def closes_at(self) -> int:
        return self.posted_at + WEEK


Key = tuple[Text, int]
"""A post or comment, and a voter."""


def day_of(at: int) -> date:
    return datetime.fromtimestamp(at, UTC).date()


class Model:
    """All texts and votes of a site."""

    def __init__(self) -> None:
        self.now = 0
        self.texts: list[Text] = []
        self.new_until: dict[int, int] = {}

    @property
    def posts(self) -> list[Text]:
        return [one for one in self.texts if one.on is None]

    # Changes

    def publish(self, text: Text) -> None:
        self.texts.append(text)
        text.votes[text.author] = [Cast(1, text.posted_at)]

    def cast(self, text: Text, who: int, vote: int, network: str) -> None:
        """Cast a vote on a text that is open to votes."""
        row = self.row(text, who) or Cast(0, 0)
        if vote == row.vote:
            return
        if who in text.void:
            text.void[who] = cast = Cast(vote, self.now, row.waits_until)
        elif row.vote:
            cast = self._changed(text, who, row, vote)
        else:
            cast = self._first(text, who, vote, network)
        text.votes.setdefault(who, []).append(cast)

    def _changed(self, text: Text, who: int, row: Cast, vote: int) -> Cast:
        if row.waits_until > self.now:
            return Cast(vote, self.now, row.waits_until if vote else 0)
        if not vote:
            text.places = {key: one for key, one in text.places.items() if one.person != who}
        return Cast(vote, self.now)

    def _first(self, text: Text, who: int, vote: int, network: str) -> Cast:
        if not self.is_new(who) or who == text.author:
            return Cast(vote, self.now)
        places = self._free_old_places(text)
        if network in places or len(places) >= PLACES:
            return Cast(vote, self.now, self.new_until[who])
        places[network] = Place(who, self.new_until[who])
        return Cast(vote, self.now)

    def is_new(self, who: int) -> bool:
        return self.new_until.get(who, 0) > self.now

    def _free_old_places(self, text: Text) -> dict[str, Place]:
        text.places = {key: one for key, one in text.places.items() if one.ends_at > self.now}
        return text.places

    def load(self, text: Text) -> None:
        """Give places to new accounts whose votes count, if a text has none when it is loaded."""
        if not text.is_visible:
            text.places = {}
        if self._free_old_places(text) or not text.is_visible or self.now >= text.closes_at:
            return
        for who, cast in self.counted(text).items():
            if cast.vote and self.is_new(who) and who != text.author:
                text.places[f"u{who}"] = Place(who, self.new_until[who])

    def voidable(
        self, people: Collection[int], since: int, until: int, group: str | None
    ) -> list[Key]:
        """Return which votes a moderator of `group` (None: of the site) can void."""
        found = []
        for text in self.texts:
            own = {text.author, *(one.author for one in self.merged(text))}
            if group is None or group in text.post.groups:
                for who in sorted(set(people) - own - text.void.keys()):
                    row = self.row(text, who)
                    if row and row.vote and since <= row.at <= until:
                        found.append((text, who))
        return found

    def void_votes(self, keys: Collection[Key]) -> None:
        rows = [(text, who, self.row(text, who)) for text, who in keys]
        for text, who, row in rows:
            if row:
                text.void[who] = row
        self.load_with_posts(keys)

    def restore_votes(self, keys: Collection[Key]) -> None:
        for text, who in keys:
            text.void.pop(who, None)
        self.load_with_posts(keys)

    def load_with_posts(self, keys: Collection[Key]) -> None:
        """Load the texts of some votes again, with their posts, as the worker does."""
        texts = {text for text, _who in keys} | {text.post for text, _who in keys}
        for text in texts | {one.merged_into for one in texts if one.merged_into}:
            self.load(text)

    def merge(self, source: Text, into: Text) -> None:
        """Merge a post into another one. Its comments move."""
        source.merged_into = into
        self._move([one for one in self.texts if one.on is source], into)
        self.load(into)

    def separate(self, source: Text, into: Text, comments: Collection[Text]) -> None:
        """Undo a merge. These comments move back."""
        source.merged_into = None
        self._move(comments, source)
        for post in (source, into):
            self.load(post)

    def _move(self, comments: Collection[Text], to: Text) -> None:
        for comment in comments:
            comment.on, comment.places = to, {}
            self.load(comment)

    # Results

    def merged(self, text: Text) -> list[Text]:
        return [one for one in self.texts if one.merged_into is text]

    def row(self, text: Text, who: int) -> Cast | None:
        """Return the vote that a person sees as their own; None if they never voted."""
        if who in text.void:
            return text.void[who]
        own = text.votes.get(who)
        return self.counted(text).get(who, own[-1] if own else None)

    def counted(self, text: Text) -> dict[int, Cast]:
        """Return the votes that count. On a merged post, a person's latest vote counts."""
        last = {who: cast[-1] for who, cast in text.votes.items()}
        waits = {who for who, cast in last.items() if not self._is_due(text, cast)}
        no_more = waits | text.void.keys()
        found = {who: cast for who, cast in last.items() if who not in no_more}
        for source in self.merged(text):
            for who, cast in self.counted(source).items():
                if who not in no_more and who != text.author:
                    before = found.get(who)
                    if before is None or cast.since > before.since:
                        found[who] = Cast(cast.vote, cast.since)
        return found

    def _is_due(self, text: Text, cast: Cast) -> bool:
        if not cast.waits_until:
            return True
        return cast.waits_until <= self.now and cast.waits_until < text.closes_at

    def tally(self, text: Text) -> tuple[int, int]:
        votes = [cast.vote for cast in self.counted(text).values()]
        return votes.count(1), votes.count(-1)

    def points(self, text: Text) -> int:
        up, down = self.tally(text)
        return up - down

    def hot(self, post: Text) -> float:
        points = self.points(post)
        return post.posted_at + points * (POINT if points >= 0 else SUNKEN_POINT)

    def _given(self) -> Iterator[tuple[Text, int, Cast]]:
        """Yield the votes that count for their authors: not their own, and each only once."""
        for text in self.texts:
            own = {text.author, *(one.author for one in self.merged(text))}
            if not text.merged_into:
                for who, cast in self.counted(text).items():
                    if who != text.author if text.on else who not in own:
                        yield text, who, cast

    def karma(self) -> Counter[int]:
        """Return each person's points for what they wrote."""
        sums = Counter[int]()
        for text, _who, cast in self._given():
            sums[text.author] += cast.vote
        return sums

    def likes_given(self) -> Counter[int]:
        return Counter(who for _text, who, cast in self._given() if cast.vote == 1)

    def boards(self) -> dict[Line, int]:
        """Return the points of all lines on leaderboards that aren't 0."""
        sums = Counter[Line]()
        for text, _who, cast in self._given():
            for scope in ("", *text.post.groups):
                sums[day_of(cast.since), scope, "person", text.author] += cast.vote
                if not text.on:
                    sums[day_of(cast.since), scope, "post", text.id] += cast.vote
        return {line: points for line, points in sums.items() if points}

    def best_of(self, day: date) -> list[tuple[int, int]]:
        """Return id and points of a finished day's best posts, as they were at its end."""
        end = int(datetime.combine(day, datetime.min.time(), UTC).timestamp()) + DAY
        found = [
            (self._points_at(end, post), post.id)
            for post in self.posts
            if post.is_visible and day_of(post.posted_at) == day
        ]
        return [(pk, points) for points, pk in sorted(found, reverse=True) if points > 0]

    def _points_at(self, end: int, post: Text) -> int:
        points = 0
        for who in post.votes.keys() - post.void.keys():
            before = [cast for cast in post.votes[who] if cast.at < end]
            if before and before[-1].since < end:
                points += before[-1].vote
        return points

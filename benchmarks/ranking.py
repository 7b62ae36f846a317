"""Simulate communities of six sizes: does `hot` differ from `new`, and is `hot` stable?

    .venv/bin/python -m benchmarks.ranking [--seed N]

Hot scores, and the seconds that a vote adds to a hot score, are computed by the site's own
functions. How people behave is an assumption; see `People` and `_written`.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp
from pathlib import Path
from random import Random
from statistics import mean, median
from time import monotonic

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from forum.config.environment import FIRST_VOTES_PER_DAY
from forum.ledger.votes_per_day import chosen
from voting.scores import hot_score
from voting.types import Rules

RULES = Rules()
DAY, HOUR, STEP = 86_400, 3_600, 900
"""Seconds in a day, in an hour, and in one step of the simulation."""
DAYS, SETTLED, FORTNIGHT = 42, 21, 14
"""Days of the simulation, days before measuring starts, and days of posts behind the vote value.

The last number means that the simulated site computes the vote value from the posts of 14 days.
"""
PAGE, READ = 25, 100
"""Rows on a page, and the most rows that a visitor reads in one visit."""
SPANS = (2, 7)
"""The last two days and the last seven days, for which `hot` and `new` are compared.

The front page of a busy site shows posts of two days. Voting is open for seven days.
"""
SAMPLED = 2_000
"""How many pairs of posts are compared on each simulated day, to see if their order differs."""
RANKED = 300
"""Number of older posts that visitors still read: those with the highest hot scores.

A post is older if it is more than a day old.
"""
HEAD = (
    *("people", "posts a day", "votes a day", "differ, 2 days", "differ, 7 days"),
    *("best reach page 1", "good on page 1", "any on page 1", "new post's rank"),
)
GOOD = 0.1
"""The share of posts that count as good or best.

Good posts have the most points on their first day. The best posts are those that the largest share
of readers would vote up, whether or not anybody reads them.
"""


@dataclass(frozen=True, slots=True)
class People:
    """A community: how many people are active, and how many posts these people write a day."""

    active: int
    posts: float
    visits: float = 3.0
    """Visits of each active person per day."""
    newest: float = 0.15
    """The share of visits that go to `new`. All other visits go to the first page of `hot`."""
    depth: float = 25.0
    """Number of rows after which only 1/e (37 %) of the visitors still read on."""


SIZES = (
    *(People(10, 3), People(100, 12), People(1_000, 50)),
    *(People(2_000, 80), People(4_000, 120), People(10_000, 200)),
)


@dataclass(slots=True)
class Simulated:
    """A simulated post.

    `liked` and `disliked` are the shares of readers who would vote it up or down.
    """

    posted_at: int
    liked: float
    disliked: float
    up: int = 1
    down: int = 0
    readers: float = 0.0
    first_day: int = 1
    first_rank: int = 0
    on_page: int = 0
    """Seconds that the post was on the first page of `hot`."""

    @property
    def points(self) -> int:
        return self.up - self.down


@dataclass(slots=True)
class Site:
    """A simulated site: one community and its posts."""

    people: People
    chance: Random
    votes_per_day: int = FIRST_VOTES_PER_DAY
    rules: Rules = field(default_factory=lambda: Rules(weight=DAY / FIRST_VOTES_PER_DAY))
    posts: list[Simulated] = field(default_factory=list)
    alive: list[Simulated] = field(default_factory=list)
    """Posts that visitors may still read, oldest first."""
    differing: dict[int, list[float]] = field(default_factory=lambda: {span: [] for span in SPANS})
    chose: list[int] = field(default_factory=list)

    def run(self) -> None:
        """Simulate all days."""
        for now in range(0, DAYS * DAY, STEP):
            if now % DAY == 0:
                self._begin_day(now)
            self._step(now)

    def score(self, post: Simulated) -> float:
        """Return a post's score in `hot`."""
        return hot_score(self.rules, post.posted_at, post.points)

    def _begin_day(self, now: int) -> None:
        """Set the vote value (seconds per vote) for the day, as the worker of a site does.

        Then record how much the orders `hot` and `new` differ.
        """
        oldest = now - (FORTNIGHT + 1) * DAY
        ended = [post.first_day for post in self.posts if oldest < post.posted_at <= now - DAY]
        self.votes_per_day = chosen(self.votes_per_day, ended)
        self.rules = Rules(weight=DAY / self.votes_per_day)
        best = {id(post) for post in sorted(self.alive, key=self.score, reverse=True)[:RANKED]}
        self.alive = [one for one in self.alive if one.posted_at > now - DAY or id(one) in best]
        if now >= SETTLED * DAY:
            self.chose.append(self.votes_per_day)
            for span, shares in self.differing.items():
                shares.append(self._share_differing(now - span * DAY))

    def _share_differing(self, since: int) -> float:
        """Return the share of random pairs of posts that `hot` and `new` order differently.

        Compares only posts published after the time `since`.
        """
        scored = [(one.posted_at, self.score(one)) for one in self.posts if one.posted_at > since]
        if len(scored) < 2:
            return 0.0
        pairs = [self.chance.sample(scored, 2) for _ in range(SAMPLED)]
        return mean((a[0] < b[0]) != (a[1] < b[1]) for a, b in pairs)

    def _step(self, now: int) -> None:
        ranked = sorted(((self.score(one), n) for n, one in enumerate(self.alive)), reverse=True)
        for post in self._written(now):
            score = self.score(post)
            post.first_rank = 1 + sum(other > score for other, _n in ranked)
            self.alive.append(post)
            self.posts.append(post)
        hot = [self.alive[n] for _score, n in ranked[:READ]]
        for post in hot[:PAGE]:
            post.on_page += STEP
        visits = self.people.active * self.people.visits * STEP / DAY
        self._read(hot, visits * (1 - self.people.newest), now)
        self._read(self.alive[: -READ - 1 : -1], visits * self.people.newest, now)

    def _written(self, now: int) -> Iterator[Simulated]:
        """Yield the posts written in one time step of the simulation.

        Half of the posts are liked by at most 10 % of their readers, and one post in ten by over 30
        %. One post in twenty is disliked by 30 % of its readers.
        """
        for _ in range(poisson(self.chance, self.people.posts * STEP / DAY)):
            liked = min(self.chance.lognormvariate(-2.3, 0.9), 0.6)
            disliked = 0.3 if self.chance.random() < 0.05 else 0.01
            yield Simulated(now, liked, disliked)

    def _read(self, listed: Sequence[Simulated], visits: float, now: int) -> None:
        """Simulate visitors who read a list from the top and vote.

        Each visitor votes at most once on a post.
        """
        active = self.people.active - 1
        for row, post in enumerate(listed):
            if now >= post.posted_at + RULES.window:
                continue
            fresh = visits * exp(-row / self.people.depth) * max(0.0, 1 - post.readers / active)
            post.readers += fresh
            room = active - post.up + 1 - post.down
            post.up += min(poisson(self.chance, fresh * post.liked), room)
            post.down += min(poisson(self.chance, fresh * post.disliked), active - post.up + 1)
            if now < post.posted_at + DAY:
                post.first_day = post.points


def seeds_kept() -> float:
    """Return the share of good posts that are in the top hundred at the age of 18 to 24 hours.

    As in the book Redis in Action, a vote adds 1/200 of a day to a post's score. The simulation has
    1,000 posts a day. Of these, 50 good posts get 200 votes in 18 hours, and all others get one
    vote.
    """
    rules, spread = Rules(weight=DAY / 200), 18 * HOUR
    posts = [Simulated(n * DAY // 1_000, 0, 0) for n in range(2_000)]
    good = posts[::20]

    def score(post: Simulated, now: int) -> float:
        got = 200 * min(now - post.posted_at, spread) // spread
        return hot_score(rules, post.posted_at, 1 + (got if post.posted_at in liked else 0))

    liked = {post.posted_at for post in good}
    kept = {post.posted_at for post in good if post.posted_at < DAY}
    for now in range(HOUR, 2 * DAY, HOUR):
        published = [one for one in posts if one.posted_at <= now]
        best = sorted(published, key=lambda one: score(one, now), reverse=True)[:100]
        seen = {one.posted_at for one in best}
        kept -= {at for at in kept if spread <= now - at <= DAY and at not in seen}
    return len(kept) / 50


def line(site: Site) -> tuple[str, ...]:
    """Return a row of the table, with the results of one simulated community."""
    ended = (DAYS - 7) * DAY
    posts = [one for one in site.posts if SETTLED * DAY <= one.posted_at < ended]
    most = max(1, round(GOOD * len(posts)))
    good = sorted(posts, key=lambda one: one.first_day)[-most:]
    best = sorted(posts, key=lambda post: post.liked - post.disliked)[-most:]
    return (
        f"{site.people.active:,}",
        f"{site.people.posts:.0f}",
        f"{median(site.chose):.0f}",
        *(f"{100 * mean(site.differing[span]):.0f} %" for span in SPANS),
        f"{100 * mean(post.on_page > 0 for post in best):.0f} %",
        f"{median(one.on_page for one in good) / HOUR:.0f} h",
        f"{median(one.on_page for one in posts) / HOUR:.0f} h",
        f"{median(one.first_rank for one in posts):.0f}",
    )


def main() -> None:
    """Simulate communities of several sizes and print the table."""
    parser = ArgumentParser(description="Simulate how communities of several sizes rank.")
    parser.add_argument("--seed", type=int, default=1, help="of the chance that people follow")
    seed, began = parser.parse_args().seed, monotonic()
    lines: list[tuple[str, ...]] = [HEAD]
    for people in SIZES:
        site = Site(people, Random(seed))
        site.run()
        lines.append(line(site))
    widths = [max(len(one[column]) for one in lines) for column in range(len(HEAD))]
    for one in lines:
        print("  ".join(cell.rjust(width) for cell, width in zip(one, widths, strict=True)))
    kept = 100 * seeds_kept()
    print(f"at 200, of 50 good posts a day that stay a day in the best hundred: {kept:.0f} %")
    print(f"{monotonic() - began:.0f} s")


def poisson(chance: Random, expected: float) -> int:
    """Return a random number with a Poisson distribution of mean `expected`.

    Uses Knuth's method up to a mean of 50, and a normal distribution above.
    """
    if expected > 50:
        return max(0, round(chance.gauss(expected, expected**0.5)))
    limit, count, product = exp(-expected), 0, chance.random()
    while product > limit:
        count, product = count + 1, product * chance.random()
    return count


if __name__ == "__main__":
    main()

"""A simulated front page: a post with 200 up votes stays in the best hundred for a day."""

from dataclasses import dataclass
from random import Random

import pytest
from django.conf import settings

from tests.voting.sites import DAY, HOUR, Clock, publish, site_at
from voting.redis.queries import Query, fetch_all
from voting.service import VotingService
from voting.topics.votes import vote_query
from voting.types import Ballot, Rules, Target, Vote

GOOD = range(1, 51)
"""Posts of the first day that get 200 up votes each."""
OTHERS = range(1_001, 3_001)
"""Posts that few people vote on: a thousand posts on each of two days."""
LIKES = 199
"""How many readers vote up each good post. With the author's own vote, the post has 200."""
BEST = 100
READERS = 10_000


@dataclass(frozen=True, order=True, slots=True)
class Event:
    """A reader's vote on a post at the time `at`, or (if `reader` is 0) the post's publication."""

    at: int
    post_id: int
    reader: int = 0


def two_days(chance: Random) -> list[Event]:
    """Return the posts and votes of the two simulated days, earliest first."""
    events = []
    published = {post_id: chance.randrange(DAY) for post_id in GOOD}
    published |= {post_id: chance.randrange(2 * DAY) for post_id in OTHERS}
    for post_id, at in published.items():
        votes, hours = (LIKES, 6) if post_id in GOOD else (chance.randint(0, 5), 24)
        events.append(Event(at, post_id))
        events += [
            Event(at + 1 + chance.randrange(hours * HOUR - 1), post_id, reader)
            for reader in range(READERS, READERS + votes)
        ]
    return sorted(events)


class TwoDays:
    """Simulates two days on a site, and checks which good posts are among the best hundred."""

    def __init__(self, site: VotingService, clock: Clock) -> None:
        self.site, self.clock = site, clock
        self.begins = clock.now
        self.likes = dict.fromkeys(GOOD, 0)
        self.published: dict[int, int] = {}
        self.waiting: list[Query[Ballot]] = []
        self.liked: set[int] = set()
        self.looks = 0
        self.missed: set[int] = set()

    def play(self) -> None:
        """Play all events. Check `hot` every hour, and after the last vote on each good post."""
        next_look = HOUR
        for event in two_days(Random(50)):
            while event.at >= next_look:
                self._look(next_look)
                next_look += HOUR
            self._happen(event)
        self._cast()

    def _happen(self, event: Event) -> None:
        self.clock.now = self.begins + event.at
        if not event.reader:
            publish(self.site, event.post_id, groups=())
            self.published[event.post_id] = event.at
            return
        target, now = Target(event.post_id), self.site.now()
        ballot = vote_query(self.site.store, self.site.rules, now, event.reader, target, Vote.UP)
        self.waiting.append(ballot)
        if event.post_id in self.likes:
            self.likes[event.post_id] += 1
            if self.likes[event.post_id] == LIKES:
                self.liked.add(event.post_id)
                self._look(event.at)

    def _cast(self) -> None:
        assert all(ballot.changed for ballot in fetch_all(self.site.store, *self.waiting))
        self.waiting.clear()

    def _look(self, at: int) -> None:
        self.clock.now = self.begins + at
        self._cast()
        due = [post_id for post_id in self.liked if at <= self.published[post_id] + DAY]
        standings = self.site.posts.standings(due)
        self.looks += len(due)
        self.missed |= {n for n in due if (standings[n].rank or BEST + 1) > BEST}


@pytest.fixture
def days(clock: Clock, request: pytest.FixtureRequest) -> TwoDays:
    """A simulation of two days. The parameter is how many seconds a vote adds to a hot score."""
    site = site_at(settings.REDIS_URL, Rules(weight=request.param), clock=clock)
    site.maintenance.generations.set_vote_seconds()
    days = TwoDays(site, clock)
    days.play()
    assert days.liked == set(GOOD), "each of the fifty gets its 200 votes"
    assert days.looks > 50 * 18, "each is checked for at least 18 hours"
    return days


@pytest.mark.parametrize("days", [432.0], indirect=True)
def test_fifty_good_posts_of_a_day_stay_a_day_among_the_best_hundred(days: TwoDays) -> None:
    assert days.missed == set()


@pytest.mark.parametrize("days", [43.0], indirect=True)
def test_with_a_tenth_of_the_weight_good_posts_would_be_swept_away_within_hours(
    days: TwoDays,
) -> None:
    assert days.missed == set(GOOD), "so the promise depends on the vote value"

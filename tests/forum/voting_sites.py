"""A site older than a week, with a clock that tests turn, for tests of votes that don't count."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

from django.utils import timezone

from forum.actions import votes
from forum.identity.viewers import viewer_of
from forum.ledger import vote_states
from forum.ledger.archiver import archive_waiting
from forum.models import Comment, Post, User
from forum.store.service import get_voting_service
from tests.forum.factories import person
from tests.forum.worker_runs import deliver_outbox, run_worker
from voting.types import Ballot, Target, Vote

DAY = 86_400


@contextmanager
def turned_clock(seconds: int) -> Iterator[None]:
    """Set the clock of voting ahead, or back if `seconds` is negative."""
    service = get_voting_service()
    before = service.clock
    service.clock = lambda: before() + seconds
    try:
        yield
    finally:
        service.clock = before


@contextmanager
def clock_at(now: Callable[[], int]) -> Iterator[None]:
    """Set the clocks of voting and of Django to other times (s since 1970)."""
    service = get_voting_service()
    before, service.clock = service.clock, now
    try:
        with patch("django.utils.timezone.now", lambda: datetime.fromtimestamp(now(), UTC)):
            yield
    finally:
        service.clock = before


def target_of(text: Post | Comment) -> Target:
    return Target(text.post_id, text.pk) if isinstance(text, Comment) else Target(text.pk)


def older_person(name: str, **more: Any) -> User:
    """Create a person whose account is older than a week. The first one ends the site's launch."""
    return person(name, date_joined=timezone.now() - timedelta(days=10), **more)


def newcomers(many: int) -> list[User]:
    """Create people whose accounts are new."""
    return [person(f"new{number}") for number in range(many)]


def cast(voter: User, text: Post | Comment, vote: Vote = Vote.UP, network: str = "") -> Ballot:
    """Cast a vote as a page does, from the voter's own network unless one is named."""
    known = network or f"net{voter.pk}"
    return votes.cast(viewer_of(voter.pk), target_of(text), vote, network=lambda: known)


def work() -> None:
    """Do what the worker does: archive votes, count those that are due, deliver the outbox."""
    archive_waiting()
    while vote_states.count_due():
        pass
    deliver_outbox()
    run_worker()
    deliver_outbox()

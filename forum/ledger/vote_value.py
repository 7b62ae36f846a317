"""Measures once a day how many votes good posts get, and chooses a vote value that fits.

The vote value is the time that one vote adds to a post's hot score. SQL is the source of truth. The
worker syncs a new value to Redis and re-scores all posts
(`forum.operations.repair.rebuild.ensure_scored`).
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import connection

from forum.config.environment import FIRST_VOTES_PER_DAY
from forum.ledger import bulk_sql
from forum.ledger.votes_per_day import ENOUGH, chosen, good_post
from forum.models import ArchivedVote, Post, VoteValue
from forum.queries.batches import batches, each
from forum.store.service import get_voting_service

DAY = timedelta(days=1)
MEASURED = timedelta(days=14)
"""A measurement includes posts whose first day ended at most this long ago."""
NET_VOTES = """
    SELECT given.post_id, sum(vote) FROM {rows} JOIN forum_archivedvote AS cast_vote
    ON cast_vote.post_id = given.post_id AND comment_id = 0 AND state = 0
        AND cast_vote.at < given.at AND coalesce(cast_vote.counts_at, cast_vote.at) < given.at
    GROUP BY given.post_id
"""


def is_fixed() -> bool:
    """Return whether VOTES_PER_DAY is a number, not `auto`."""
    return settings.VOTES_PER_DAY is not None


def votes_per_day() -> int:
    """Return how many more points a post needs in Hot to equal a post that is one day newer."""
    return round(86_400 / weight())


def weight() -> float:
    """Return by how many seconds a net vote moves a post up in Hot.

    In a transaction that writes scores, lock the posts before you call this. Otherwise, if the
    vote value changes meanwhile, a post could keep its old score.
    """
    if is_fixed():
        return settings.VOTING_RULES.weight
    latest = VoteValue.objects.values_list("votes_per_day", flat=True).first()
    return settings.VOTING_RULES.weight if latest is None else 86_400 / latest


def scoring() -> Callable[[int, int], float]:
    """Return a function that computes a hot score from a posting time and points.

    The posting time is in seconds since 1970.
    """
    return partial(get_voting_service().posts.hot_score, weight=weight())


def evaluate() -> VoteValue | None:
    """Measure how many votes good posts get, then save and return the new vote value.

    Returns None if VOTES_PER_DAY is a number, if today's measurement exists, or if there are too
    few posts.
    """
    now = datetime.fromtimestamp(get_voting_service().now(), UTC)
    latest = VoteValue.objects.first()
    if is_fixed() or (latest and latest.day >= now.date()):
        return None
    first_days = _first_days(now)
    if len(first_days) < ENOUGH:
        return None
    current = latest.votes_per_day if latest else FIRST_VOTES_PER_DAY
    value, _made = VoteValue.objects.get_or_create(
        day=now.date(),
        defaults={
            "at": now,
            "votes_per_day": chosen(current, first_days),
            "measured": good_post(first_days),
            "posts": len(first_days),
        },
    )
    return value


def _first_days(now: datetime) -> list[int]:
    """Return how many net votes (up minus down) each recent post had at the end of its first day.

    If a person changed a vote, the vote counts from the time of the change.
    """
    ended = {"created_at__gt": now - DAY - MEASURED, "created_at__lte": now - DAY}
    posts = Post.objects.visible().filter(**ended)
    moment = connection.ops.adapt_datetimefield_value
    found: list[int] = []
    for some in batches(each(posts, "created_at")):
        ends = [(pk, moment(created_at + DAY)) for pk, created_at in some]
        net: dict[int, int] = dict(bulk_sql.read(NET_VOTES, ArchivedVote, ("post_id", "at"), ends))
        found += (net.get(pk, 0) for pk, _end in ends)
    return found

"""The formulas that make a score of votes and time.

Both are additive in time: a score changes when a vote does and never by itself, so that stored
rankings need no re-ranking. `lua/score.lua` computes the same inside scripts.
"""

from bisect import bisect_left
from math import copysign, log10

from voting.types import Formula, Rules

LOG_SECONDS = 45_000
"""Seconds that ten times as many votes are worth under `log` (as in Reddit's published formula)."""

MOST_VOTES = 10**10
"""Votes beyond which nobody counts: there are not so many people."""


def vote_seconds(rules: Rules, points: int) -> float:
    """Return what `points` net votes are worth, in seconds of posting time.

    `linear`: points x weight (Redis in Action, section 1.3.1). `log`: sign x log10 of the points.
    """
    if rules.formula is Formula.LINEAR:
        return points * rules.weight
    return copysign(log10(max(abs(points), 1)) * LOG_SECONDS, points)


def hot_score(rules: Rules, posted_at: int, points: int) -> float:
    """Return the score in `hot`: seconds since 1970 plus what the votes are worth."""
    return posted_at + vote_seconds(rules, points)


def top_score(posted_at: int, points: int) -> float:
    """Return the score in `top`: points, and a fraction below 1 that ranks newer posts first."""
    return points + posted_at / 2**33


def votes_to_pass(
    rules: Rules, posted_at: int, points: int, other: float, *, wins_ties: bool
) -> int | None:
    """Return how many more up votes lift a post above one whose hot score is `other`.

    `wins_ties`: equal scores suffice, as they do for the newer post. None where it would take more
    votes than there are people. Tries scores in place of solving for one, so that what counts is
    rounded as in the rankings.
    """

    def passes(more: int) -> bool:
        score = hot_score(rules, posted_at, points + more)
        return score > other or (wins_ties and score == other)

    tried = range(1, MOST_VOTES)
    found = bisect_left(tried, True, key=passes)
    return tried[found] if found < len(tried) else None

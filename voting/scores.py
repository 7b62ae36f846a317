"""The formulas that make a score of votes and time.

Both are additive in time: a score changes when a vote does and never by itself, so that stored
rankings need no re-ranking. `lua/score.lua` computes the same inside scripts.
"""

from math import ceil, copysign, floor, log10

from voting.types import Formula, Rules

LOG_SECONDS = 45_000
"""Seconds that ten times as many votes are worth under `log` (as in Reddit's published formula)."""

MOST_MAGNITUDES = 10
"""Powers of ten of votes beyond which nobody counts."""


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


def votes_to_pass(rules: Rules, posted_at: int, points: int, other: float) -> int | None:
    """Return how many more up votes lift a post above the hot score `other`.

    None where it would take more votes than there are people (`log` only).
    """
    missing = other - posted_at
    if rules.formula is Formula.LINEAR:
        wanted = floor(missing / rules.weight) + 1
    elif abs(missing) > MOST_MAGNITUDES * LOG_SECONDS:
        return None
    elif missing < 0:
        wanted = 1 - ceil(10 ** (-missing / LOG_SECONDS))
    else:
        wanted = floor(10 ** (missing / LOG_SECONDS)) + 1
    return max(1, wanted - points)

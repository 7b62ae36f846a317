"""The formulas that compute scores from votes and time.

A hot score is the posting time plus f(points). It changes only with votes, never with time, so
stored rankings stay valid.

    linear    points >= 0:  points x weight (Redis in Action, section 1.3.1)
              points <  0:  points x the larger of weight and a third of a day
    log       points >= 1:  log10(points) x 45,000 s
              points == 0:  0
              points <  0:  -log3(-points) days

So with both, a post at -3 points loses a day or more: it ranks below every post above zero that is
less than a day older, whatever the vote value is. `weight` is 86,400 s divided by VOTES_PER_DAY.

`lua/shared/rank_points.lua` computes the same inside scripts.
"""

from bisect import bisect_left
from math import log10, sqrt

from voting.types import Formula, Rules
from voting.types.comments import Sort

LOG_SECONDS = 45_000
"""Seconds that ten times as many votes add under `log` (as in Reddit's published formula)."""

DAY = 86_400
SUNK = 3
"""Points below zero that lower a post by at least a day."""
SINK_SECONDS = DAY / SUNK
"""Seconds that one net down vote subtracts at least from a post below zero (`linear`)."""
LOG_SINK_SECONDS = DAY / log10(SUNK)
"""The same as `LOG_SECONDS` for posts below zero."""

CONFIDENCE = 1.2816
"""Standard deviations that include 80 % of a normal distribution, for `wilson`."""

MOST_VOTES = 10**10
"""More votes than there are people."""


def one_vote(rules: Rules, points: int) -> float:
    """Return the seconds that each net vote adds to a post with `points`; 0 under `log`."""
    if rules.formula is not Formula.LINEAR:
        return 0.0
    return rules.weight if points >= 0 else max(rules.weight, SINK_SECONDS)


def vote_seconds(rules: Rules, points: int) -> float:
    """Return the seconds that `points` add to the posting time."""
    if rules.formula is Formula.LINEAR:
        return points * one_vote(rules, points)
    if points < 0:
        return -log10(-points) * LOG_SINK_SECONDS
    return log10(max(points, 1)) * LOG_SECONDS


def hot_score(rules: Rules, posted_at: int, points: int) -> float:
    """Return the hot score: the posting time in seconds since 1970 plus the worth of the votes."""
    return posted_at + vote_seconds(rules, points)


def top_score(posted_at: int, points: int) -> float:
    """Return the score in `top`: points, then the posting time, so that newer posts win ties.

    A whole number, because Redis formats and parses it faster than a fraction. Beyond a million
    points, times a few seconds apart count as equal.
    """
    return float(points * 2**33 + posted_at)


def votes_to_pass(
    rules: Rules, posted_at: int, points: int, other: float, *, wins_ties: bool
) -> int | None:
    """Return how many more up votes raise a post above one whose hot score is `other`.

    With `wins_ties` equal scores suffice, as they do for the newer post. None if it would take more
    votes than there are people. Searches by score instead of solving the formula, so that scores
    are rounded as in the rankings.
    """

    def passes(more: int) -> bool:
        score = hot_score(rules, posted_at, points + more)
        return score > other or (wins_ties and score == other)

    tried = range(1, MOST_VOTES)
    found = bisect_left(tried, True, key=passes)
    return tried[found] if found < len(tried) else None


def wilson(up: int, down: int) -> float:
    """Return a lower bound on a comment's share of up votes, from 0 to 1; 0 without votes.

    The lower bound of E. B. Wilson's interval (Journal of the American Statistical Association 22,
    1927): few votes prove little, so 1 of 1 ranks below 95 of 100.
    """
    votes = up + down
    if not votes:
        return 0.0
    share, square = up / votes, CONFIDENCE**2
    spread = CONFIDENCE * sqrt((share * (1 - share) + square / (4 * votes)) / votes)
    return (share + square / (2 * votes) - spread) / (1 + square / votes)


def controversy(up: int, down: int) -> float:
    """Return how divided opinions are: the number of votes to the power of minority / majority.

    Reddit's published formula; 0 if all votes are of one kind.
    """
    return float((up + down) ** (min(up, down) / max(up, down))) if up and down else 0.0


def answer_weight(rules: Rules, up: int, down: int) -> int:
    """Return an answer's weight: by default up +2, down -1, so changing a vote moves it by 3."""
    return rules.answer_up * up - rules.answer_down * down


def comment_score(rules: Rules, sort: Sort, up: int, down: int, *, answer: bool = False) -> float:
    """Return the score by which a comment is sorted, highest first; 0 if only time counts.

    The `best` answers to a question are those with the highest weight.
    """
    if sort is Sort.BEST:
        return answer_weight(rules, up, down) if answer else wilson(up, down)
    if sort is Sort.TOP:
        return up - down
    return controversy(up, down) if sort is Sort.CONTROVERSIAL else 0.0

"""The formulas that compute scores from votes and time.

A hot score is the posting time plus f(points). It changes only with votes, never with time, so
stored rankings stay valid.

    linear    points >= 0:  points x weight (Redis in Action, section 1.3.1)
              points <  0:  points x the larger of weight and a third of a day
    log       points >= 1:  log10(points) x 45,000 s
              points == 0:  0
              points <  0:  -log3(-points) days

`weight` is the number of seconds that one vote adds: 86,400 s divided by VOTES_PER_DAY. With both
formulas, a post at -3 points loses a day or more, whatever `weight` is.

`lua/shared/rank_points.lua` has the same formulas for scripts.
"""

from bisect import bisect_left
from math import log10, sqrt

from voting.types import Formula, Rules
from voting.types.comments import Sort

LOG_SECONDS = 45_000
"""Seconds that a post gains under `log` when its points grow tenfold (Reddit's formula)."""

DAY = 86_400
SUNK = 3
"""A post with this many points below zero sinks by at least a day."""
SINK_SECONDS = DAY / SUNK
"""Under `linear`, each point below zero takes at least this many seconds from a hot score."""
LOG_SINK_SECONDS = DAY / log10(SUNK)
"""Seconds that a post loses under `log` when its points below zero grow tenfold."""

CONFIDENCE = 1.2816
"""For `wilson`: 80 % of a normal distribution are within this many standard deviations."""

MOST_VOTES = 10**10
"""An upper bound for the votes on a post: more than there are people on Earth."""


def one_vote(rules: Rules, points: int) -> float:
    """Return the seconds that each point adds to a hot score.

    Returns 0 for the formula `log`, in which points don't all add the same time.
    """
    if rules.formula is not Formula.LINEAR:
        return 0.0
    return rules.weight if points >= 0 else max(rules.weight, SINK_SECONDS)


def vote_seconds(rules: Rules, points: int) -> float:
    """Return the seconds that `points` add to the posting time in a hot score."""
    if rules.formula is Formula.LINEAR:
        return points * one_vote(rules, points)
    if points < 0:
        return -log10(-points) * LOG_SINK_SECONDS
    return log10(max(points, 1)) * LOG_SECONDS


def hot_score(rules: Rules, posted_at: int, points: int) -> float:
    """Return a hot score: the posting time (s since 1970) plus the seconds that the points add."""
    return posted_at + vote_seconds(rules, points)


def top_score(posted_at: int, points: int) -> float:
    """Return the score in `top`: points first, then posting time, so that newer posts win ties.

    The score is a whole number, because Redis formats and parses whole numbers faster than
    fractions. With over a million points, posting times a few seconds apart count as equal.
    """
    return float(points * 2**33 + posted_at)


def votes_to_pass(
    rules: Rules, posted_at: int, points: int, other: float, *, wins_ties: bool
) -> int | None:
    """Return how many more up votes a post needs to pass a post with the hot score `other`.

    Returns None if no number of votes is enough. Set `wins_ties` if the post is the newer one. An
    equal score is then enough, because the newer of two posts with equal scores comes first.
    """

    def passes(more: int) -> bool:
        score = hot_score(rules, posted_at, points + more)
        return score > other or (wins_ties and score == other)

    tried = range(1, MOST_VOTES)
    found = bisect_left(tried, True, key=passes)
    return tried[found] if found < len(tried) else None


def wilson(up: int, down: int) -> float:
    """Return a lower bound on a comment's share of up votes, from 0 to 1; 0 without votes.

    This is the lower bound of E. B. Wilson's interval (Journal of the American Statistical
    Association 22, 1927). The bound is low for few votes: a comment whose only vote is an up vote
    ranks below a comment with 95 up votes of 100.
    """
    votes = up + down
    if not votes:
        return 0.0
    share, square = up / votes, CONFIDENCE**2
    spread = CONFIDENCE * sqrt((share * (1 - share) + square / (4 * votes)) / votes)
    return (share + square / (2 * votes) - spread) / (1 + square / votes)


def controversy(up: int, down: int) -> float:
    """Return how divided the voters are, by Reddit's published formula: n ** (a / b).

    n is the number of votes. Of the up votes and the down votes, a is the smaller number and b the
    larger. The result is 0 if all votes are up or all are down.
    """
    return float((up + down) ** (min(up, down) / max(up, down))) if up and down else 0.0


def answer_weight(rules: Rules, up: int, down: int) -> int:
    """Return the weight by which answers are sorted: by default 2 x up votes minus down votes."""
    return rules.answer_up * up - rules.answer_down * down


def comment_score(rules: Rules, sort: Sort, up: int, down: int, *, answer: bool = False) -> float:
    """Return the score by which `sort` orders comments, highest first; 0 if `sort` is by time only.

    For an answer to a question, `best` uses `answer_weight`.
    """
    if sort is Sort.BEST:
        return answer_weight(rules, up, down) if answer else wilson(up, down)
    if sort is Sort.TOP:
        return up - down
    return controversy(up, down) if sort is Sort.CONTROVERSIAL else 0.0

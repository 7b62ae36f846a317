"""The formulas that make a score of votes and time.

A score in `hot` is the posting time plus f(points). It changes when a vote does and never by
itself, so that stored rankings need no re-ranking.

    linear    points >= 0:  points x weight (Redis in Action, section 1.3.1)
              points <  0:  points x the larger of weight and a third of a day
    log       points >= 1:  log10(points) x 45,000 s
              points == 0:  0
              points <  0:  -log3(-points) days

So in both a post at -3 loses a day or more. It ranks below every post above zero that is less than
a day older, whatever a vote is worth. `weight` is 86,400 s divided by VOTES_PER_DAY.

`lua/shared/rank_points.lua` computes the same inside scripts.
"""

from bisect import bisect_left
from math import log10, sqrt

from voting.types import Formula, Rules
from voting.types.comments import Sort

LOG_SECONDS = 45_000
"""Seconds that ten times as many votes are worth under `log` (as in Reddit's published formula)."""

DAY = 86_400
SUNK = 3
"""Points below zero that cost a post at least a day."""
SINK_SECONDS = DAY / SUNK
"""Seconds that one net down vote takes from a post below zero at least (`linear`)."""
LOG_SINK_SECONDS = DAY / log10(SUNK)
"""The same as `LOG_SECONDS` for posts below zero."""

CONFIDENCE = 1.2816
"""Standard deviations that hold 80 % of a normal distribution: how careful `wilson` is."""

MOST_VOTES = 10**10
"""Votes beyond which nobody counts: there are not so many people."""


def one_vote(rules: Rules, points: int) -> float:
    """Return the seconds that each net vote is worth to a post with `points`; 0 under `log`."""
    if rules.formula is not Formula.LINEAR:
        return 0.0
    return rules.weight if points >= 0 else max(rules.weight, SINK_SECONDS)


def vote_seconds(rules: Rules, points: int) -> float:
    """Return what `points` net votes are worth, in seconds of posting time."""
    if rules.formula is Formula.LINEAR:
        return points * one_vote(rules, points)
    if points < 0:
        return -log10(-points) * LOG_SINK_SECONDS
    return log10(max(points, 1)) * LOG_SECONDS


def hot_score(rules: Rules, posted_at: int, points: int) -> float:
    """Return the score in `hot`: seconds since 1970 plus what the votes are worth."""
    return posted_at + vote_seconds(rules, points)


def top_score(posted_at: int, points: int) -> float:
    """Return the score in `top`: points, and beneath them the time, which ranks newer posts first.

    A whole number: Redis writes and reads one faster than a fraction of as many digits. Beyond a
    million points some seconds count as one.
    """
    return float(points * 2**33 + posted_at)


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


def wilson(up: int, down: int) -> float:
    """Return the share of up votes that a comment has at least, from 0 to 1; 0 without votes.

    The lower bound of E. B. Wilson's interval (Journal of the American Statistical Association 22,
    1927): few votes prove little, so 1 of 1 stands below 95 of 100.
    """
    votes = up + down
    if not votes:
        return 0.0
    share, square = up / votes, CONFIDENCE**2
    spread = CONFIDENCE * sqrt((share * (1 - share) + square / (4 * votes)) / votes)
    return (share + square / (2 * votes) - spread) / (1 + square / votes)


def controversy(up: int, down: int) -> float:
    """Return how divided people are: all votes to the power of the smaller part by the larger.

    Reddit's published formula; 0 where only one side has votes.
    """
    return float((up + down) ** (min(up, down) / max(up, down))) if up and down else 0.0


def answer_weight(rules: Rules, up: int, down: int) -> int:
    """Return what an answer's votes weigh (seed 004-11): up +2, down -1, so a switch moves 3."""
    return rules.answer_up * up - rules.answer_down * down


def comment_score(rules: Rules, sort: Sort, up: int, down: int, *, answer: bool = False) -> float:
    """Return what ranks a comment by its votes, the highest first; 0 where only time counts.

    The `best` answers to a question are those of most weight.
    """
    if sort is Sort.BEST:
        return answer_weight(rules, up, down) if answer else wilson(up, down)
    if sort is Sort.TOP:
        return up - down
    return controversy(up, down) if sort is Sort.CONTROVERSIAL else 0.0

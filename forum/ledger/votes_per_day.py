"""Computes VOTES_PER_DAY if it is `auto`.

In Hot, a post with VOTES_PER_DAY net votes (up minus down) ranks as high as a post without votes
that was posted a day later.

On a busy site, a good post gets hundreds of votes in a day. On a small site no post gets that many,
and with the value 200, Hot would look like New. So the value follows the votes that good posts
really get.

If the value is far below them, old posts stay on top for days, and new posts don't reach page 1. So
the highest value allows for sites with 10,000 active people (`benchmarks.ranking`).
"""

from collections.abc import Sequence

FEWEST, MOST = 4, 4_000
ENOUGH = 30
"""How many posts a measurement needs."""
GOOD = 90
"""A good post has more votes than this percentage of posts."""
MOST_GOOD = 6 * 14
"""The most good posts in a measurement of 14 days: six a day.

Page 1 has room for few posts a day. On a large site that starts with a low value, old posts fill
it, hardly one new post in ten is read, and the value would stay low.
"""
TOLERANCE = 20
"""A new value must differ from the current value by more than this percentage.

A new value re-scores all posts, so small changes aren't worth the work.
"""


def good_post(first_days: Sequence[int]) -> int:
    """Return the 90th percentile (nearest rank) of posts' net votes on their first day.

    With over 840 posts, return what the best 84 have at least.
    """
    rank = max(-(-GOOD * len(first_days) // 100), len(first_days) - MOST_GOOD)
    return sorted(first_days)[rank - 1]


def chosen(current: int, first_days: Sequence[int]) -> int:
    """Return how many votes a good post gets on its first day: at least 4, and at most 4,000.

    Returns `current`, the number so far, if there are fewer than 30 posts. Also returns `current`
    if the new number differs from it by at most 20%, unless the new number is 4,000.
    """
    if len(first_days) < ENOUGH:
        return current
    proposed = min(max(good_post(first_days), FEWEST), MOST)
    differs = 100 * abs(proposed - current) > TOLERANCE * current
    return proposed if differs or proposed == MOST else current

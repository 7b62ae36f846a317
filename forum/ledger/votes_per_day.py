"""Computes VOTES_PER_DAY if it is `auto`.

In Hot, a post with VOTES_PER_DAY net votes (up minus down) ranks as high as a post without votes
that was posted a day later.

On a busy site, a good post gets 200 votes in a day. On a small site no post gets that many, and
with the value 200, Hot would look like New. So the value follows the votes that good posts really
get.
"""

from collections.abc import Sequence

FEWEST, MOST = 4, 200
ENOUGH = 30
"""How many posts a measurement needs."""
GOOD = 90
"""A good post has more votes than this percentage of posts."""
TOLERANCE = 20
"""A new value must differ from the current value by more than this percentage.

A new value re-scores all posts, so small changes aren't worth the work.
"""


def good_post(first_days: Sequence[int]) -> int:
    """Return the 90th percentile (nearest rank) of posts' net votes on their first day."""
    rank = -(-GOOD * len(first_days) // 100)
    return sorted(first_days)[rank - 1]


def chosen(current: int, first_days: Sequence[int]) -> int:
    """Return how many votes a good post gets on its first day: at least 4, and at most 200.

    Returns `current`, the number so far, if there are fewer than 30 posts. Also returns `current`
    if the new number differs from it by at most 20%, unless the new number is 200.
    """
    if len(first_days) < ENOUGH:
        return current
    proposed = min(max(good_post(first_days), FEWEST), MOST)
    differs = 100 * abs(proposed - current) > TOLERANCE * current
    return proposed if differs or proposed == MOST else current

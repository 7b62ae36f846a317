"""Compute how many net votes are worth a day in Hot if VOTES_PER_DAY is `auto`.

A good post gets 200 votes in a day on a busy site. On a small site no post gets that many. With the
value 200, Hot would then look like New. So the value follows the votes that good posts really get.
"""

from collections.abc import Sequence

FEWEST, MOST = 4, 200
AT_FIRST = 20
"""The votes per day until there are `ENOUGH` posts to measure."""
ENOUGH = 30
"""The number of posts that a measurement needs."""
GOOD = 90
"""The percentile that defines a good post: it has more votes than this percentage of posts."""
TOLERANCE = 20
"""A new value replaces the current value only if they differ by more than this percentage, because
a replacement re-scores all posts.
"""


def good_post(first_days: Sequence[int]) -> int:
    """Return the 90th percentile (nearest rank) of posts' net votes on their first day."""
    rank = -(-GOOD * len(first_days) // 100)
    return sorted(first_days)[rank - 1]


def chosen(current: int, first_days: Sequence[int]) -> int:
    """Return the votes per day from now on: the votes that a good post gets, from 4 to 200.

    The value stays the same if there are fewer than 30 posts, or if the new value differs by at
    most 20%. As an exception, if good posts get 200 votes or more, the value becomes exactly 200,
    even if it was 170.
    """
    if len(first_days) < ENOUGH:
        return current
    proposed = min(max(good_post(first_days), FEWEST), MOST)
    differs = 100 * abs(proposed - current) > TOLERANCE * current
    return proposed if differs or proposed == MOST else current

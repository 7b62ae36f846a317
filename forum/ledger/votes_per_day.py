"""How many net votes are worth a day in `hot` where VOTES_PER_DAY is `auto`. Plain arithmetic.

The seeds' number, 200, is what a good post gets in a day on a busy site. On a small site no post
gets that many, and `hot` would look like `new`. So the number follows what good posts really get.
"""

from collections.abc import Sequence

FEWEST, MOST = 4, 200
AT_FIRST = 20
"""Until there are `ENOUGH` posts to measure."""
ENOUGH = 30
"""Posts without which nothing is measured."""
GOOD = 90
"""A good post has more votes than so many per cent of the others."""
TOLERANCE = 20
"""Per cent by which the number must be wrong before it changes: each change re-scores all posts."""


def good_post(first_days: Sequence[int]) -> int:
    """Return the 90th percentile (nearest rank) of the net votes of posts in their first day."""
    rank = -(-GOOD * len(first_days) // 100)
    return sorted(first_days)[rank - 1]


def chosen(current: int, first_days: Sequence[int]) -> int:
    """Return the votes per day from now on: what a good post gets, from 4 to 200.

    Stays as it is with fewer than 30 posts, and where the two differ by 20 % or less. But a site
    whose good posts get 200 votes or more gets exactly 200, also from 170.
    """
    if len(first_days) < ENOUGH:
        return current
    wanted = min(max(good_post(first_days), FEWEST), MOST)
    differs = 100 * abs(wanted - current) > TOLERANCE * current
    return wanted if differs or wanted == MOST else current

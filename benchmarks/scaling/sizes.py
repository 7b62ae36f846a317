"""Compute the memory, disk space and CPU that a site needs for a number of votes a week.

`docs/scale.md` explains the assumptions and the formulas.
"""

from collections.abc import Mapping
from dataclasses import dataclass

WEEK, WEEKS = 604_800, 52
PEAK = 4
"""Votes per second at the peak, as a multiple of the average."""
VOTES = 20
"""Votes per post: 14 on the post and 6 on its comments, including the authors' own votes."""
CAST = 13
"""Votes on a post by other people than its author."""
COMMENTS = 3
"""Comments per post. Each comment has its author's vote and one other vote."""
SCOPES = 3
"""Number of rankings of each order that a post is in: the site's, and those of two groups."""
PAGES = 20
"""Pages that people read per vote.

Half of the pages are listings. The other half are threads, and each opened thread counts as a view.
"""
MEMBERS = 0.25
"""The share of pages that members read. Guests read the other pages."""
GROUPS = 1_000
RANKED = 100_000
VOTES_A_PERSON = 10
"""Votes a week by each person who votes."""
ACCOUNTS = 4
"""Number of accounts for each person who votes."""
DAYS = 2
"""Number of days on which people view a post, and on which leaderboards list the post."""
LINES = DAYS * SCOPES * 2
BOARD_DAYS, NEWEST_DAYS, ACTIVE_DAYS, VISITOR_DAYS = 41, 30, 400, 3
VOTERS_OF_AN_HOUR = 3_600

Measured = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Needs:
    """The memory, disk space and CPU that a site needs after a year.

    CPU is in cores: the mean for the worker, and at the peak for all others.
    """

    rate: float
    posts: float
    pages: float
    voters: float
    kept: float
    people: float
    rankings: float
    journal: float
    sql: float
    redis_cores: float
    rank_cores: float
    web_cores: float
    worker_cores: tuple[float, float]


def needs(votes: float, found: Measured) -> Needs:
    """Return the memory, disk space and CPU that a site with this many votes a week needs."""
    posts, rate = votes / VOTES, votes / WEEK
    comments, people = COMMENTS * posts, votes / VOTES_A_PERSON
    sets = found["comment"] - found["comment_kept"] - found["newest"] + found["comment_vote"]
    texts = found["newest"] * NEWEST_DAYS / 7
    voters = posts * (found["unlisted"] - found["kept"] + CAST * found["vote"]) + comments * sets
    post = found["kept"] - found["kept_rank"]
    kept = WEEKS * (posts * post + comments * found["comment_kept"]) + comments * texts
    visitors = posts / 7 * DAYS * VISITOR_DAYS * found["visitors"]
    lists = found["viewed"] + found["liked"] + found["follows"] + found["counts"]
    return Needs(
        rate=rate,
        posts=posts,
        pages=rate * PAGES * PEAK,
        voters=voters + visitors + rate * VOTERS_OF_AN_HOUR * found["window"],
        kept=kept,
        people=people * (lists + found["session"] + ACCOUNTS * ACTIVE_DAYS * found["here"]),
        rankings=_rankings(posts, found),
        journal=votes / 7 * _journal(found),
        sql=_sql(votes, posts, found) + people * (found["sql_person"] * ACCOUNTS),
        redis_cores=PEAK * rate * redis_cpu(found) / 1e6,
        rank_cores=PEAK * rate * rank_cpu(found) / 1e6,
        web_cores=PEAK * rate * _web_cpu(found) / 1e3,
        worker_cores=(rate * found["late"] / 1e6, rate * found["archive"] / 1e6),
    )


def _rankings(posts: float, found: Measured) -> float:
    """Return the size in bytes of all rankings, leaderboards and lists of posts in Redis.

    Each group and each author has a list of posts.
    """
    place = (found["post3"] - found["post1"]) / 2
    everywhere = posts * WEEKS
    listed = min(everywhere, RANKED) + GROUPS * min(everywhere * (SCOPES - 1) / GROUPS, RANKED)
    boards = posts * LINES * found["board"] * BOARD_DAYS / 7
    return listed * place + boards + everywhere * found["kept_rank"]


def _journal(found: Measured) -> float:
    """Return how many bytes Redis's append-only file grows for each vote.

    Posts, comments and views make the file grow too: their bytes are spread over the votes.
    """
    cast = CAST * (found["aof_vote1"] + found["aof_vote3"]) / 2
    said = COMMENTS * (found["aof_comment"] + found["aof_comment_vote"]) + found["aof_post"]
    return (cast + said) / VOTES + PAGES / 2 * found["aof_view"]


def _sql(votes: float, posts: float, found: Measured) -> float:
    """Return how many bytes SQL grows in a year, not counting accounts."""
    said = posts * (found["sql_post"] + COMMENTS * found["sql_comment"])
    counted = posts * (LINES * found["sql_board"] + DAYS * found["sql_views"])
    return WEEKS * (votes * found["sql_vote"] + said + counted)


def redis_cpu(found: Measured) -> float:
    """Return the CPU time that Redis on a single server takes per vote, in microseconds.

    This includes the CPU time of posts, comments, views and pages, divided by the number of votes.
    """
    cast = CAST * (found["cpu_vote1"] + found["cpu_vote3"]) / 2
    said = COMMENTS * (found["cpu_comment"] + found["cpu_comment_vote"]) + found["cpu_post"]
    views = PAGES / 2 * found["cpu_view"]
    return (cast + said) / VOTES + _pages(found, "redis_") + views + found["archive_redis"]


def rank_cpu(found: Measured) -> float:
    """Return the CPU per vote, in microseconds, on the master that stores a cluster's rankings.

    This includes the CPU for posts and pages, divided by the number of votes. Listings for guests
    add nothing, because the site caches them.
    """
    cast = CAST * ((found["rank_vote1"] + found["rank_vote3"]) / 2 + found["rank_again"])
    threads = PAGES / 2 * (found["rank_view"] + found["rank_thread"])
    listings = PAGES / 2 * MEMBERS * found["rank_page"]
    return (cast + found["rank_vote3"]) / VOTES + threads + listings


def _web_cpu(found: Measured) -> float:
    """Return the CPU time that the web processes use for each vote, in milliseconds.

    The CPU time for posts, comments and pages is included: it is spread over the votes.
    """
    said = found["web_post"] + COMMENTS * found["web_comment"]
    return found["web_vote"] + said / VOTES + _pages(found, "web_")


def _pages(found: Measured, where: str) -> float:
    guests = found[f"{where}guest"] + found[f"{where}guest_thread"]
    members = found[f"{where}member"] + found[f"{where}member_thread"]
    return PAGES / 2 * ((1 - MEMBERS) * guests + MEMBERS * members)


def most(cpu: float) -> float:
    """Return how many votes a week one core can handle, if each vote takes `cpu` microseconds."""
    return 1e6 / cpu / PEAK * WEEK

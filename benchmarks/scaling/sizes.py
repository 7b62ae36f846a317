"""What a site of a given number of votes needs, by what was measured and by what is assumed here.

Nothing in this module is measured. `docs/scale.md` says the assumptions and formulas in words.
"""

from collections.abc import Mapping
from dataclasses import dataclass

WEEK, WEEKS = 604_800, 52
PEAK = 4
"""The busiest seconds to the mean."""
VOTES = 20
"""Votes that come with one post: 14 on it, 6 on its comments, authors' own among them."""
CAST = 13
"""Votes on a post beside its author's."""
COMMENTS = 3
"""Comments of a post, each with one vote beside its author's."""
SCOPES = 3
"""The site and two groups."""
PAGES = 20
"""Pages looked at for each vote: half are listings, half threads, and each thread is a view that
counts.
"""
MEMBERS = 0.25
"""Share of pages that members look at."""
GROUPS = 1_000
RANKED = 100_000
VOTES_A_PERSON = 10
"""Votes a week of each person who votes at all."""
ACCOUNTS = 4
"""Accounts for each such person."""
DAYS = 2
"""Days on which a post and its author are on boards, and on which it is viewed."""
LINES = DAYS * SCOPES * 2
BOARD_DAYS, NEWEST_DAYS, ACTIVE_DAYS, VISITOR_DAYS = 41, 30, 400, 3
VOTERS_OF_AN_HOUR = 3_600

Measured = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a site needs after a year of so many votes a week; CPU in cores at the busiest."""

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
    """Return the needs of a site with so many votes a week."""
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
    """Return the bytes under {rank}, those of groups' and authors' lists for ever included."""
    place = (found["post3"] - found["post1"]) / 2
    everywhere = posts * WEEKS
    listed = min(everywhere, RANKED) + GROUPS * min(everywhere * (SCOPES - 1) / GROUPS, RANKED)
    boards = posts * LINES * found["board"] * BOARD_DAYS / 7
    return listed * place + boards + everywhere * found["kept_rank"]


def _journal(found: Measured) -> float:
    """Return the bytes of the append-only file for each vote, with all that comes with it."""
    cast = CAST * (found["aof_vote1"] + found["aof_vote3"]) / 2
    said = COMMENTS * (found["aof_comment"] + found["aof_comment_vote"]) + found["aof_post"]
    return (cast + said) / VOTES + PAGES / 2 * found["aof_view"]


def _sql(votes: float, posts: float, found: Measured) -> float:
    """Return the bytes of a year."""
    said = posts * (found["sql_post"] + COMMENTS * found["sql_comment"])
    counted = posts * (LINES * found["sql_board"] + DAYS * found["sql_views"])
    return WEEKS * (votes * found["sql_vote"] + said + counted)


def redis_cpu(found: Measured) -> float:
    """Return the microseconds of one server for each vote, with all that comes with it."""
    cast = CAST * (found["cpu_vote1"] + found["cpu_vote3"]) / 2
    said = COMMENTS * (found["cpu_comment"] + found["cpu_comment_vote"]) + found["cpu_post"]
    views = PAGES / 2 * found["cpu_view"]
    return (cast + said) / VOTES + _pages(found, "redis_") + views + found["archive_redis"]


def rank_cpu(found: Measured) -> float:
    """Return the microseconds of the rankings' master for each vote, with all that comes with it.

    Guests' listings are remembered for a second, and so cost next to nothing.
    """
    cast = CAST * ((found["rank_vote1"] + found["rank_vote3"]) / 2 + found["rank_again"])
    threads = PAGES / 2 * (found["rank_view"] + found["rank_thread"])
    listings = PAGES / 2 * MEMBERS * found["rank_page"]
    return (cast + found["rank_vote3"]) / VOTES + threads + listings


def _web_cpu(found: Measured) -> float:
    """Return the milliseconds of web processes for each vote, with all that comes with it."""
    said = found["web_post"] + COMMENTS * found["web_comment"]
    return found["web_vote"] + said / VOTES + _pages(found, "web_")


def _pages(found: Measured, where: str) -> float:
    guests = found[f"{where}guest"] + found[f"{where}guest_thread"]
    members = found[f"{where}member"] + found[f"{where}member_thread"]
    return PAGES / 2 * ((1 - MEMBERS) * guests + MEMBERS * members)


def most(cpu: float) -> float:
    """Return the votes a week at which one core is full at the busiest, by µs a vote."""
    return 1e6 / cpu / PEAK * WEEK

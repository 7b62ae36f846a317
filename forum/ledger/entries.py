"""Writes ledger entries, people's current votes and vote counts to SQL."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import connection

from forum.ledger import bulk_sql, vote_value
from forum.ledger.cast_votes import CastVote, Key, cast_in
from forum.models import ArchivedVote, Comment, LedgerEntry, Post
from voting.types import Target
from voting.types.maintenance import VoteEntry

CHANGE = ("user_id", "post_id", "comment_id", "vote", "at", "state", "counts_at")
LOGGED = ("generation", "shard", "entry", *CHANGE)
ADD_ENTRIES = f"""
    INSERT INTO forum_ledgerentry ({", ".join(LOGGED)}) SELECT * FROM {{rows}} WHERE true
    ON CONFLICT (generation, shard, entry) DO NOTHING RETURNING shard, entry
"""  # noqa: S608 - our own names
NOW_IT_IS = """
    ON CONFLICT (post_id, comment_id, user_id) DO UPDATE SET vote = excluded.vote, at = excluded.at,
        state = excluded.state, counts_at = excluded.counts_at
"""
TALLY_POSTS = """
    UPDATE forum_post SET up = given.up, down = given.down, score = given.score
    FROM {rows} WHERE forum_post.id = given.id
"""
TALLY_COMMENTS = """
    UPDATE forum_comment SET up = given.up, down = given.down
    FROM {rows} WHERE forum_comment.id = given.id
"""


def log(generation: str, entries: Sequence[VoteEntry]) -> list[VoteEntry]:
    """Add entries to SQL's copy of the ledger, in order; return those that SQL didn't have."""
    found = [
        (generation, one.shard, one.id, *_columns(one.target, one.user_id, cast_in(one)))
        for one in entries
    ]
    new = set(bulk_sql.read(ADD_ENTRIES, LedgerEntry, LOGGED, found))
    return [one for one in entries if (one.shard, one.id) in new]


def archive(votes: Mapping[Key, CastVote]) -> None:
    """Write people's current votes to SQL."""
    rows = [_columns(target, who, vote) for (target, who), vote in votes.items()]
    bulk_sql.insert(ArchivedVote, CHANGE, rows, NOW_IT_IS)


def _columns(target: Target, user_id: int, vote: CastVote) -> tuple[Any, ...]:
    moment = connection.ops.adapt_datetimefield_value
    counts_at = vote.counts_at and moment(vote.counts_at)
    place = (user_id, target.post_id, target.comment_id)
    return (*place, int(vote.vote), moment(vote.at), int(vote.state), counts_at)


def tally(entries: Sequence[VoteEntry]) -> None:
    """Write vote counts of posts and comments, and scores of posts, to SQL.

    Takes the counts from the last ledger entry of each post or comment. The caller must have locked
    the posts.
    """
    of_posts = {one.target.post_id: one for one in entries if not one.target.comment_id}
    of_comments = {one.target.comment_id: one for one in entries if one.target.comment_id}
    _tally_posts(of_posts)
    write_comments([(pk, one.up, one.down) for pk, one in sorted(of_comments.items())])


def _tally_posts(latest: dict[int, VoteEntry]) -> None:
    if not latest:
        return
    posts = Post.objects.filter(pk__in=latest).order_by("pk")
    columns = posts.values_list("pk", "created_at", "starting_points")
    score = vote_value.scoring()
    write_posts(
        [(pk, *_standing(latest[pk], int(at.timestamp()), more, score)) for pk, at, more in columns]
    )


def write_posts(rows: Sequence[tuple[int, int, int, float]]) -> None:
    """Update the vote counts and scores of posts in SQL.

    Each row has a post's id, number of up votes, number of down votes, and score.
    """
    bulk_sql.write(TALLY_POSTS, Post, ("id", "up", "down", "score"), rows)


def write_comments(rows: Sequence[tuple[int, int, int]]) -> None:
    """Save comments' numbers of up votes and down votes in SQL.

    Each row has a comment's id and these two numbers.
    """
    bulk_sql.write(TALLY_COMMENTS, Comment, ("id", "up", "down"), rows)


def _standing(
    entry: VoteEntry, posted_at: int, starting_points: int, score: Callable[[int, int], float]
) -> tuple[int, int, float]:
    points = entry.up - entry.down + starting_points
    return entry.up, entry.down, score(posted_at, points)

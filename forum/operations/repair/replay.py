"""Checks that votes and starting points in SQL agree with the archived ledger of their changes."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from django.db.models import Max, Model, QuerySet

from forum.ledger import starting_points
from forum.models import ArchivedVote, Comment, LedgerEntry, Post, UnitedVote
from forum.operations.repair.reconcile import stable_differences
from forum.operations.repair.scope import Scope
from forum.queries.batches import batches, each, each_pk
from voting.types import Target, Vote

Votes = dict[int, int]
"""The votes on a post or comment: 1, 0 or -1 by user id."""


class Counts(NamedTuple):
    """The author's id and the counts of a post or comment in SQL."""

    author_id: int
    up: int
    down: int
    starting_points: int = 0


class Replayed(NamedTuple):
    """The votes and points of a post or comment according to the ledger."""

    votes: Votes
    starting_points: int = 0


def differences(scope: Scope) -> Iterator[str]:
    """Yield a sentence for each difference between SQL and the ledger."""
    for _target, sentence in targets_that_differ(scope):
        yield sentence


def targets_that_differ(scope: Scope) -> Iterator[tuple[Target, str]]:
    """Yield each post or comment that differs between SQL and the ledger, and how it differs.

    Ignores imported votes, which have no ledger entries.
    """
    for post_ids in batches(each_pk(scope.posts())):
        targets = [Target(pk) for pk in post_ids]
        yield from stable_differences(targets, _replayed, _compare)
    for comments in batches(each(scope.comments(), "post_id")):
        targets = [Target(post_id, pk) for pk, post_id in comments]
        yield from stable_differences(targets, _replayed, _compare)


def _replayed(targets: list[Target]) -> dict[Target, Replayed]:
    """Return the votes and starting points of posts and comments according to the ledger.

    A vote on a merged post also counts for the post that remained. If a person voted on both posts,
    only the later vote counts there.
    """
    logged = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.VOTE)
    votes = _votes(logged, targets)
    post_ids = [target.post_id for target in targets if not target.comment_id]
    united = list(UnitedVote.objects.filter(post_id__in=post_ids))
    logged = logged.filter(post_id__in={one.post_id for one in united}, comment_id=0)
    last = logged.values_list("post_id", "user_id").annotate(last=Max("at"))
    voted_at = {(post_id, user_id): at for post_id, user_id, at in last}
    for one in united:
        own = voted_at.get((one.post_id, one.user_id))
        if own is None or own < one.at:
            votes[Target(one.post_id)][one.user_id] = one.vote
    sums = starting_points.sums(post_ids)
    return {
        target: Replayed(cast, 0 if target.comment_id else sums.get(target.post_id, 0))
        for target, cast in votes.items()
    }


def _votes(rows: QuerySet[Model], targets: list[Target]) -> dict[Target, Votes]:
    included, votes = set(targets), {target: Votes() for target in targets}
    rows = rows.filter(
        post_id__in={target.post_id for target in targets},
        comment_id__in={target.comment_id for target in targets},
    ).order_by("pk")
    columns = rows.values_list("post_id", "comment_id", "user_id", "vote")
    for post_id, comment_id, user_id, vote in columns.iterator(chunk_size=10_000):
        target = Target(post_id, comment_id)
        if target in included:
            votes[target][user_id] = vote
    return votes


def _compare(
    targets: list[Target], replayed: Mapping[Target, Replayed]
) -> Iterator[tuple[Target, str]]:
    archived, counted = _votes(ArchivedVote.objects.all(), targets), _counts(targets)
    for target in targets:
        if target in counted:
            for sentence in _sentences(replayed[target], archived[target], counted[target]):
                yield target, f"{_name(target)}: {sentence}"


def _counts(targets: Collection[Target]) -> dict[Target, Counts]:
    counted: dict[Target, Counts] = {}
    ids = [target.post_id for target in targets if not target.comment_id]
    columns = ("author_id", "up", "down", "starting_points")
    for pk, *counts in Post.objects.filter(pk__in=ids).values_list("pk", *columns):
        counted[Target(pk)] = Counts(*counts)
    ids = [target.comment_id for target in targets if target.comment_id]
    comments = Comment.objects.filter(pk__in=ids)
    for post_id, pk, *counts in comments.values_list("post_id", "pk", "author_id", "up", "down"):
        counted[Target(post_id, pk)] = Counts(*counts)
    return counted


def _sentences(replayed: Replayed, archived: Votes, counts: Counts) -> Iterator[str]:
    """Yield a sentence for each vote that differs between the ledger and SQL.

    Then yield a sentence for each number of votes, or of starting points, that differs.
    """
    author_id, up, down, start = counts
    for user_id, vote in sorted(replayed.votes.items()):
        in_sql = archived.get(user_id)
        if in_sql != vote:
            word = "nothing" if in_sql is None else Vote(in_sql).name.lower()
            yield f"person {user_id}: the ledger has {Vote(vote).name.lower()}, SQL has {word}"
    votes = list(({author_id: 1} | archived | replayed.votes).values())
    for word, made, in_sql in (("up", votes.count(1), up), ("down", votes.count(-1), down)):
        if made != in_sql:
            yield f"the ledger has {made} {word} votes, SQL has {in_sql}"
    if replayed.starting_points != start:
        yield f"the ledger has {replayed.starting_points} starting points, SQL has {start}"


def _name(target: Target) -> str:
    return f"comment {target.comment_id}" if target.comment_id else f"post {target.post_id}"

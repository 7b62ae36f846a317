"""Checks that votes and starting points in SQL agree with the archived ledger of their changes."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, TypeVar

from django.db.models import Max, QuerySet

from forum.ledger import starting_points
from forum.ledger.cast_votes import CastVote, Key
from forum.models import ArchivedVote, Comment, LedgerEntry, Post, UnitedVote
from forum.operations.repair.reconcile import stable_differences
from forum.operations.repair.scope import Scope
from forum.queries.batches import batches, each, each_pk
from voting.types import Target, Vote

Kind = LedgerEntry.Kind
Row = TypeVar("Row", ArchivedVote, LedgerEntry)
Votes = dict[int, CastVote]
"""The votes on a post or comment, by user id."""


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
    votes, states = _logged(targets)
    post_ids = [target.post_id for target in targets if not target.comment_id]
    united = list(UnitedVote.objects.filter(post_id__in=post_ids))
    logged = LedgerEntry.objects.filter(
        kind=Kind.VOTE, post_id__in={one.post_id for one in united}, comment_id=0
    )
    last = logged.values_list("post_id", "user_id").annotate(last=Max("at"))
    voted_at = {(post_id, user_id): at for post_id, user_id, at in last}
    for one in united:
        own, target = voted_at.get((one.post_id, one.user_id)), Target(one.post_id)
        if own is None or own < one.at:
            vote = CastVote(Vote(one.vote), one.at)
            votes[target][one.user_id] = _in_state(vote, states.get((target, one.user_id)))
    sums = starting_points.sums(post_ids)
    return {
        target: Replayed(cast, 0 if target.comment_id else sums.get(target.post_id, 0))
        for target, cast in votes.items()
    }


def _logged(targets: list[Target]) -> tuple[dict[Target, Votes], dict[Key, CastVote]]:
    """Return the votes according to the ledger, and the last entries about their states alone."""
    votes, states = {target: Votes() for target in targets}, dict[Key, CastVote]()
    for row in _on(targets, LedgerEntry.objects.filter(kind__in=LedgerEntry.VOTES)):
        target, who, vote = Target(row.post_id, row.comment_id), row.user_id, CastVote.of(row)
        before = votes[target].get(who)
        if row.kind == Kind.VOTE:
            earlier = before or states.get((target, who))
            votes[target][who] = earlier.followed_by(vote) if earlier else vote
        else:
            states[target, who] = vote
            if before:
                votes[target][who] = _in_state(before, vote)
    return votes, states


def _in_state(vote: CastVote, state: CastVote | None) -> CastVote:
    return vote._replace(state=state.state, counts_at=state.counts_at) if state else vote


def _archived(targets: list[Target]) -> dict[Target, Votes]:
    votes = {target: Votes() for target in targets}
    for row in _on(targets, ArchivedVote.objects.all()):
        votes[Target(row.post_id, row.comment_id)][row.user_id] = CastVote.of(row)
    return votes


def _on(targets: list[Target], rows: QuerySet[Row]) -> Iterator[Row]:
    """Yield the votes or ledger entries on some targets, in order."""
    included = set(targets)
    rows = rows.filter(
        post_id__in={target.post_id for target in targets},
        comment_id__in={target.comment_id for target in targets},
    ).order_by("pk")
    for row in rows.iterator(chunk_size=10_000):
        if Target(row.post_id, row.comment_id) in included:
            yield row


def _compare(
    targets: list[Target], replayed: Mapping[Target, Replayed]
) -> Iterator[tuple[Target, str]]:
    archived, counted = _archived(targets), _counts(targets)
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
        if in_sql is None or (in_sql.vote, in_sql.counts) != (vote.vote, vote.counts):
            yield f"person {user_id}: the ledger has {_word(vote)}, SQL has {_word(in_sql)}"
    cast = archived | replayed.votes
    votes = [vote.vote for vote in cast.values() if vote.counts] + [1] * (author_id not in cast)
    for word, made, stored in (("up", votes.count(1), up), ("down", votes.count(-1), down)):
        if made != stored:
            yield f"the ledger has {made} {word} votes, SQL has {stored}"
    if replayed.starting_points != start:
        yield f"the ledger has {replayed.starting_points} starting points, SQL has {start}"


def _word(vote: CastVote | None) -> str:
    if vote is None:
        return "nothing"
    return vote.vote.name.lower() + ("" if vote.counts else ", which doesn't count")


def _name(target: Target) -> str:
    return f"comment {target.comment_id}" if target.comment_id else f"post {target.post_id}"

"""Changes which votes count: waiting votes that are due, votes that are void, restored votes.

SQL changes first: the votes, their ledger entries, karma, leaderboards and counts, in one
transaction. Then the worker loads the posts and comments into Redis again.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import transaction

from forum.ledger import entries, finished_days, leaderboards, merged_votes, reloading
from forum.ledger.cast_votes import CastVote, Key
from forum.ledger.counters import sync_votes
from forum.ledger.recount import recount_comments, recount_posts
from forum.models import ArchivedVote, Comment, LedgerEntry, Post, VoteState
from forum.store import outbox
from forum.store.service import get_voting_service
from voting.types import Target

VOTES = 500
"""How many votes one transaction changes."""
DUE = "due"
"""The `generation` of ledger entries about waiting votes that began to count."""
Kind = LedgerEntry.Kind


@dataclass(frozen=True)
class VoteStateSync(outbox.Sync):
    """Loads posts and comments into Redis again after it changed which votes on them count."""

    kind = "vote_states"
    in_background = True  # people may vote meanwhile; then it is done again
    targets: Sequence[tuple[int, int]]
    """Pairs of post id and comment id (0 for the post itself)."""

    @classmethod
    def deliver(cls, syncs: Sequence[Self]) -> None:
        """Reload the posts and comments, again later if people vote on some all the time."""
        for one in syncs:
            posts = [Target(pk) for pk, comment_id in one.targets if not comment_id]
            comments = _on_their_posts({comment_id for _pk, comment_id in one.targets} - {0})
            _, skipped_posts = reloading.reload_posts(posts)
            _, skipped_comments = reloading.reload_comments(comments)
            loading = get_voting_service().maintenance.loading
            loading.forget_votes(posts + comments)  # of deleted ones
            if skipped_posts or skipped_comments:
                outbox.write(one)


def _on_their_posts(comment_ids: Collection[int]) -> list[Target]:
    """Return comments with the posts that they are on now: a merge may have moved them."""
    rows = Comment.objects.filter(pk__in=comment_ids).order_by("pk").values_list("post_id", "pk")
    return [Target(*row) for row in rows]


def count_due() -> int:
    """Count waiting votes whose time has come, at most `VOTES`. Return how many there were.

    They count from the moment they waited for, if voting was still open then.
    """
    now = _now()
    waiting = ArchivedVote.objects.filter(state=VoteState.WAITING, counts_at__lte=now)
    pks = list(waiting.order_by("counts_at", "pk").values_list("pk", flat=True)[:VOTES])
    if pks:
        change(pks, Kind.COUNT, DUE, without_void)
    return len(pks)


def void(vote: CastVote, _closes_at: datetime | None) -> CastVote | None:
    """Return a vote as it is when moderators have voided it; None if it is void or withdrawn."""
    if vote.state == VoteState.VOID or not vote.vote:
        return None
    return vote._replace(state=VoteState.VOID)


def restored(vote: CastVote, closes_at: datetime | None) -> CastVote | None:
    """Return a void vote as it is when moderators have restored it; None if it isn't void."""
    return without_void(vote, closes_at) if vote.state == VoteState.VOID else None


def without_void(vote: CastVote, closes_at: datetime | None) -> CastVote:
    """Return a vote as it is if it isn't void: it counts, waits, or came too late to count.

    `closes_at` is when voting on its target closes; None if never.
    """
    state = VoteState.COUNTED
    if vote.counts_at and vote.counts_at > _now():
        state = VoteState.WAITING
    elif vote.counts_at and closes_at and vote.counts_at >= closes_at:
        state = VoteState.LATE
    return vote._replace(state=state)


@transaction.atomic
def change(
    pks: Collection[int],
    kind: LedgerEntry.Kind,
    source: str,
    decide: Callable[[CastVote, datetime | None], CastVote | None],
) -> dict[Key, CastVote]:
    """Change whether votes count, and return the changed votes.

    `pks` are the ids of at most `VOTES` archived votes. `decide` gets each vote, and when voting on
    its target closes (None: never); it returns the vote with a new state, or None. `kind` and
    `source` are for the ledger entries.
    """
    rows = ArchivedVote.objects.filter(pk__in=pks).order_by("pk")
    posts = _with_remaining(set(rows.values_list("post_id", flat=True)))
    merged_votes.stop_archiving(posts)
    Post.objects.lock(posts)
    votes = {_key(row): (row.pk, CastVote.of(row)) for row in rows}
    closes_at = _closing_times({target for target, _who in votes})
    before, after = dict[Key, CastVote](), dict[Key, CastVote]()
    for key, (_pk, vote) in votes.items():
        changed = decide(vote, closes_at[key[0]]) if key[0] in closes_at else None
        if changed not in {None, vote}:
            before[key], after[key] = vote, changed
    _log(kind, source, {votes[key][0]: (key, vote) for key, vote in after.items()})
    entries.archive(after)
    _credit(before, after)
    _forget_days(after, kind)
    _sync({target for target, _who in after} | {Target(pk) for pk in posts})
    return after


def _key(row: ArchivedVote) -> Key:
    return Target(row.post_id, row.comment_id), row.user_id


def _with_remaining(post_ids: set[int]) -> set[int]:
    """Return posts, with the posts into which they were merged."""
    merged = Post.objects.filter(pk__in=post_ids, merged_into__isnull=False)
    remaining = {pk for pk in merged.values_list("merged_into", flat=True) if pk} - post_ids
    return post_ids | _with_remaining(remaining) if remaining else post_ids


def _closing_times(targets: Collection[Target]) -> dict[Target, datetime | None]:
    """Map targets to the times when voting on them closes; None for answers. Two queries.

    Leaves out targets that SQL doesn't have.
    """
    window = timedelta(seconds=settings.VOTING_RULES.window)
    posts = Post.objects.filter(pk__in={one.post_id for one in targets if not one.comment_id})
    comments = Comment.objects.filter(pk__in={one.comment_id for one in targets} - {0})
    times: dict[Target, datetime | None] = {
        Target(pk): at + window for pk, at in posts.values_list("pk", "created_at")
    }
    for post_id, pk, at, is_answer in comments.values_list(
        "post_id", "pk", "created_at", "is_answer"
    ):
        times[Target(post_id, pk)] = None if is_answer else at + window
    return times


def _log(kind: LedgerEntry.Kind, source: str, votes: Mapping[int, tuple[Key, CastVote]]) -> None:
    """Add ledger entries. `votes` maps the ids of archived votes to the votes afterwards.

    Votes that came too late to count have changed nothing, so they get no entry.
    """
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            kind=kind,
            user_id=who,
            post_id=target.post_id,
            comment_id=target.comment_id,
            vote=vote.vote,
            at=vote.since if kind == Kind.COUNT else _now(),
            state=vote.state,
            counts_at=vote.counts_at,
            generation=source,
            shard=0,
            entry=f"{pk}:{int(vote.since.timestamp())}",
        )
        for pk, ((target, who), vote) in votes.items()
        if vote.state != VoteState.LATE
    )


def _credit(before: Mapping[Key, CastVote], after: Mapping[Key, CastVote]) -> None:
    """Update karma and leaderboards, also where votes count for a post after a merge."""
    voters = defaultdict[int, set[int]](set)
    for target, who in after:
        if not target.comment_id:
            voters[target.post_id].add(who)
    posts = Post.objects.filter(pk__in=voters).select_related("merged_into", "withheld_by")
    united = {post.pk: leaderboards.united_to(post) for post in posts}
    own = {
        (target, who): vote
        for (target, who), vote in after.items()
        if target.comment_id or who > united[target.post_id]
    }
    sync_votes(leaderboards.credit(leaderboards.changes(before, own), merged_votes.ALWAYS))
    for post in posts:
        merged_votes.settle(post, voters[post.pk])


def _forget_days(votes: Mapping[Key, CastVote], kind: LedgerEntry.Kind) -> None:
    """Make the worker find the best of past days again if changed votes were cast on them.

    A void vote doesn't count on a day, either, at whose end its voter had not changed it yet.
    """
    cast = [(target, who, vote) for (target, who), vote in votes.items() if not target.comment_id]
    post_ids = {target.post_id for target, _who, _vote in cast}
    posts = Post.objects.filter(pk__in=post_ids)
    days = {Target(pk): at.date() for pk, at in posts.values_list("pk", "created_at")}
    if kind != Kind.COUNT:
        people = {who for _target, who, _vote in cast}
        logged = LedgerEntry.objects.filter(post_id__in=post_ids, comment_id=0, user_id__in=people)
        rows = logged.filter(kind=Kind.VOTE)
        cast += [(Target(row.post_id), row.user_id, CastVote.of(row)) for row in rows]
    finished_days.forget(
        {
            days[target]
            for target, who, vote in cast
            if (target, who) in votes and vote.since.date() == days.get(target)
        }
    )


def _sync(targets: Collection[Target]) -> None:
    """Correct the counts in SQL now, and in Redis after the commit."""
    recount_posts([one.post_id for one in targets if not one.comment_id])
    recount_comments([one.comment_id for one in targets if one.comment_id])
    outbox.add(VoteStateSync(sorted((one.post_id, one.comment_id) for one in targets)))


def _now() -> datetime:
    return datetime.fromtimestamp(get_voting_service().now(), UTC)

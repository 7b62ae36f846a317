"""Combines the votes on merged posts: each person counts once, with the latest vote.

A post that was merged into another post (the target) keeps its own votes in SQL. The target's votes
are computed from the votes on both, so merges can be undone in any order. A merge never changes the
vote of the target's author.

Call `stop_archiving` first in each transaction that calls these functions.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date, datetime
from typing import NamedTuple

from django.db.models import QuerySet

from forum.ledger import leaderboards
from forum.ledger.cast_votes import CastVote
from forum.ledger.counters import sync_votes
from forum.ledger.leaderboards import Change, DatedVote, dated_vote
from forum.models import ArchivedVote, LedgerCursor, Post, UnitedVote, VoteState
from forum.store.service import get_voting_service
from voting.types import Target, Vote

VOTERS = 500
"""How many people's votes one transaction combines."""
ALWAYS = date.min
"""The first day whose leaderboards a merge changes.

A merge changes the leaderboards of all days, so that undoing it can restore all of them.
"""


class CountedVote(NamedTuple):
    """A vote that counts, and when it was cast, or began to count after it had waited."""

    vote: int
    at: datetime

    @property
    def dated(self) -> DatedVote:
        """Return the vote with the UTC day on which it was cast."""
        return dated_vote(Vote(self.vote), int(self.at.timestamp()))


def stop_archiving(post_ids: Iterable[int]) -> None:
    """Stop archiving votes on these posts and their comments until the transaction ends.

    Call it first in the transaction, before locking posts. Archiving takes locks in the same order,
    so that no deadlock can happen.
    """
    count = len(get_voting_service().maintenance.ledger.shards)
    shards = {post_id % count for post_id in post_ids}
    locked = LedgerCursor.objects.select_for_update().filter(shard__in=shards).order_by("shard")
    list(locked.values_list("pk"))


def unite(source: Post, target: Post, after: int) -> int | None:
    """Count votes on the merged post `source` as votes on `target`, for the next `VOTERS` people.

    Starts with the lowest person id above `after`. Returns the last person's id, or None if nobody
    is left. Votes that don't count are passed by: `settle` moves them if they begin to count.
    """
    voters = list(_on(source).filter(user_id__gt=after).order_by("user_id")[:VOTERS])
    cast = _by_person(voters)
    moved = [Change(who, Target(source.pk), vote.dated, None) for who, vote in cast.items()]
    _credit(moved + _save_counted_votes(target, cast), source, target)
    return max((row.user_id for row in voters), default=None)


def separate(source: Post, target: Post, up_to: int) -> int | None:
    """Stop counting votes on the post `source` as votes on the post `target`.

    Each call handles the next `VOTERS` people with ids of at most `up_to`, highest id first.
    Returns the last handled person's id, or None if nobody is left.
    """
    voters = list(_on(source).filter(user_id__lte=up_to).order_by("-user_id")[:VOTERS])
    cast = _by_person(voters)
    moved = [Change(who, Target(source.pk), None, vote.dated) for who, vote in cast.items()]
    _credit(moved + _save_counted_votes(target, cast), source, target)
    return min((row.user_id for row in voters), default=None)


def save_author_vote(source: Post, target: Post) -> None:
    """Decide which vote by the author of the post `source` counts on the post `target`; save it.

    Call this when the merge of `source` into `target` begins or is undone.
    """
    _credit(_save_counted_votes(target, [source.author_id]), source, target)


def settle(post: Post, user_ids: Collection[int]) -> None:
    """Decide again which votes of some people count on a post, because some began or ceased to.

    Also decides it for the posts into which the post was merged.
    """
    moved_to = leaderboards.united_to(post)
    united_votes = UnitedVote.objects.filter(post_id=post.pk, user_id__in=user_ids)
    if united_votes.exists() or Post.objects.filter(merged_into=post).exists():
        changed = _save_counted_votes(post, user_ids)
        _credit([one for one in changed if one.user_id > moved_to], post, post)
    if post.merged_into:
        settle(post.merged_into, [who for who in user_ids if who <= moved_to])


def count_author(source: Post, target: Post, *, counts: bool) -> None:
    """Start or stop counting the vote that the author of `source` cast on the post `target`.

    While `source` is merged into `target`, this vote doesn't count for karma and leaderboards.
    Call this just before setting `source.merged_into`, and just after removing it.
    """
    own = _votes([target.pk], [source.author_id]).get((target.pk, source.author_id))
    if own is not None:
        before, after = (None, own.dated) if counts else (own.dated, None)
        _credit([Change(source.author_id, Target(target.pk), before, after)], source, target)


def _credit(changed: Collection[Change], source: Post, target: Post) -> None:
    """Update karma and leaderboards in SQL. Then sync karma, leaderboards and likes to Redis.

    Likes are synced even if the votes don't count for karma.
    """
    if changed:
        credited = leaderboards.credit(changed, ALWAYS)
        voted = {(change.user_id, change.target.post_id) for change in changed}
        own = {(post.author_id, post.pk) for post in (source, target)}
        sync_votes(replace(credited, liked=sorted(voted - own)))


def _save_counted_votes(target: Post, user_ids: Iterable[int]) -> list[Change]:
    """Save in SQL which vote of each person now counts on the post `target`.

    It is the person's latest vote on `target` or on a post that was merged into it. If the person's
    vote on `target` is void or waits, it stays so. Returns the votes that changed.
    """
    people = set(user_ids) - {target.author_id} - _uncounted(target)
    current = {who: vote for (_, who), vote in _votes([target.pk], people).items()}
    rows = UnitedVote.objects.filter(post_id=target.pk, user_id__in=people)
    united = {row.user_id: row for row in rows}
    own = {who: _own(current.get(who), united.get(who)) for who in people}
    merged = _latest_on_merged(target, people)
    counted = {who: _later(own[who], merged.get(who)) for who in people}
    changed = {who: vote for who, vote in counted.items() if vote != current.get(who)}
    _save(target, own, counted, united, changed)
    return [
        Change(who, Target(target.pk), _dated(current.get(who)), _dated(counted[who]))
        for who in sorted(changed)
    ]


def _uncounted(target: Post) -> set[int]:
    """Return the ids of the people whose votes on a post don't count."""
    return set(_on(target).exclude(state=VoteState.COUNTED).values_list("user_id", flat=True))


def _own(current: CountedVote | None, united: UnitedVote | None) -> CountedVote | None:
    """Return the vote that a person cast on a post itself, not on a post merged into it."""
    if united is None or current != CountedVote(united.vote, united.at):
        return current
    if united.own_vote is None or united.own_at is None:
        return None
    return CountedVote(united.own_vote, united.own_at)


def _later(own: CountedVote | None, merged: CountedVote | None) -> CountedVote | None:
    if own is None or merged is None:
        return own or merged
    return merged if merged.at > own.at else own


def _dated(vote: CountedVote | None) -> DatedVote | None:
    return vote.dated if vote else None


def _latest_on_merged(target: Post, people: Collection[int]) -> dict[int, CountedVote]:
    """Return each person's latest vote on posts that were merged into `target`.

    The author of a merged post counts as having voted that post up.
    """
    active = Post.objects.filter(merged_into=target, withheld_by__undone_at=None)
    sources = list(active.order_by("pk").only("author_id", "created_at"))
    cast = _votes([source.pk for source in sources], people)
    for source in sources:
        if source.author_id in people:
            posted = CountedVote(Vote.UP, source.created_at)
            cast.setdefault((source.pk, source.author_id), posted)
    latest: dict[int, CountedVote] = {}
    for (_, who), vote in cast.items():
        latest[who] = _later(latest.get(who), vote) or vote
    return latest


def _save(
    target: Post,
    own: dict[int, CountedVote | None],
    counted: dict[int, CountedVote | None],
    united: dict[int, UnitedVote],
    changed: dict[int, CountedVote | None],
) -> None:
    """Save the changed votes on a post in SQL, and record which votes came from merged posts."""
    from_merged = {who: vote for who, vote in counted.items() if vote and vote != own[who]}
    UnitedVote.objects.filter(
        post_id=target.pk, user_id__in=united.keys() - from_merged.keys()
    ).delete()
    UnitedVote.objects.bulk_create(
        [
            UnitedVote(
                post_id=target.pk,
                user_id=who,
                vote=vote.vote,
                at=vote.at,
                own_vote=before.vote if (before := own[who]) else None,
                own_at=before.at if before else None,
            )
            for who, vote in sorted(from_merged.items())
        ],
        update_conflicts=True,
        unique_fields=["post_id", "user_id"],
        update_fields=["vote", "at", "own_vote", "own_at"],
    )
    gone = [who for who, vote in changed.items() if vote is None]
    ArchivedVote.objects.filter(post_id=target.pk, comment_id=0, user_id__in=gone).delete()
    ArchivedVote.objects.bulk_create(
        [
            ArchivedVote(post_id=target.pk, user_id=who, vote=vote.vote, at=vote.at)
            for who, vote in sorted(changed.items())
            if vote
        ],
        update_conflicts=True,
        unique_fields=["post_id", "comment_id", "user_id"],
        update_fields=["vote", "at", "counts_at"],
    )


def _votes(
    post_ids: Collection[int], people: Collection[int]
) -> dict[tuple[int, int], CountedVote]:
    """Return the votes of some people that count on some posts, by (post id, person id)."""
    rows = _counted(post_ids).filter(user_id__in=people).order_by("post_id")
    return {(row.post_id, row.user_id): _counted_vote(row) for row in rows}


def _on(post: Post) -> QuerySet[ArchivedVote]:
    return ArchivedVote.objects.filter(post_id=post.pk, comment_id=0)


def _counted(post_ids: Collection[int]) -> QuerySet[ArchivedVote]:
    return ArchivedVote.objects.counted().filter(post_id__in=post_ids, comment_id=0)


def _by_person(cast: Iterable[ArchivedVote]) -> dict[int, CountedVote]:
    return {row.user_id: _counted_vote(row) for row in cast if row.state == VoteState.COUNTED}


def _counted_vote(row: ArchivedVote) -> CountedVote:
    return CountedVote(row.vote, CastVote.of(row).since)

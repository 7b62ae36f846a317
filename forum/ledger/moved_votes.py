"""When comments move to another post, makes the votes on them count in that post's groups."""

from collections.abc import Collection, Iterable
from datetime import date

from forum.ledger import leaderboards
from forum.ledger.cast_votes import CastVote
from forum.ledger.counters import sync_votes
from forum.ledger.leaderboards import Change, dated
from forum.models import ArchivedVote, LedgerEntry
from voting.types import Target


def move(comment_ids: Collection[int], old: int, new: int) -> None:
    """Move the votes on comments, with their ledger entries, from one post to another in SQL.

    First call `merged_votes.stop_archiving` in the same transaction. All votes on these comments
    must already be archived.
    """
    moving = ArchivedVote.objects.filter(post_id=old, comment_id__in=comment_ids)
    sync_votes(leaderboards.credit(_changes(moving, new), date.min))
    moving.update(post_id=new)
    LedgerEntry.objects.filter(post_id=old, comment_id__in=comment_ids).update(post_id=new)


def _changes(moving: Iterable[ArchivedVote], new: int) -> list[Change]:
    found = []
    for row in moving:
        vote = dated(CastVote.of(row))
        found.append(Change(row.user_id, Target(row.post_id, row.comment_id), vote, None))
        found.append(Change(row.user_id, Target(new, row.comment_id), None, vote))
    return found

"""Converts comments from SQL to the types of `voting`."""

from collections.abc import Collection, Iterator, Mapping

from django.db.models import QuerySet

from forum.models import ArchivedVote, Comment
from forum.store import comment_cards
from forum.store.service import get_voting_service
from forum.store.voters import Voters, by_target
from voting.types import comments

BATCH = 500
"""How many comments one query reads."""


def to_voting_comment(comment: Comment) -> comments.Comment:
    """Convert a comment to the type that `voting` stores."""
    return comments.Comment(
        id=comment.pk,
        post_id=comment.post_id,
        author_id=comment.author_id,
        posted_at=comment.posted_at,
        card=comment_cards.pack(comment),
        version=comment.version,
        answer=comment.is_answer,
    )


def readable(found: QuerySet[Comment]) -> QuerySet[Comment]:
    """Return the query set with all data of comments that `to_voting_comment` reads."""
    return found.select_related("author").only(
        *("author__username", "post", "author", "parent", "is_answer", "body_html", "version"),
        *("created_at", "edited_at", "deleted_at", "up", "down"),
    )


def read_comment_records(found: QuerySet[Comment]) -> Iterator[comments.CommentRecord]:
    """Convert comments to CommentRecords with vote counts from SQL, ordered by id.

    A record also lists the people who voted, if Redis still keeps that list (the voter set) for the
    comment.
    """
    after = 0
    while batch := list(readable(found.filter(pk__gt=after).order_by("pk"))[:BATCH]):
        after = batch[-1].pk
        voters = _voters([comment for comment in batch if _keeps_voters(comment)])
        for comment in batch:
            votes = voters.get(comment.pk, Voters())
            yield comments.CommentRecord(
                comment=to_voting_comment(comment),
                up=comment.up,
                down=comment.down,
                ups=tuple(votes.ups),
                downs=tuple(votes.downs),
                uncounted=votes.uncounted,
                newcomers=votes.newcomers,
            )


def _keeps_voters(comment: Comment) -> bool:
    """Return whether Redis still keeps the list of a comment's voters."""
    return comment.is_answer or get_voting_service().votes.has_voter_set(comment.posted_at)


def _voters(found: Collection[Comment]) -> Mapping[int, Voters]:
    authors = {comment.pk: comment.author_id for comment in found}
    return by_target(archived_votes(found), "comment_id", authors)


def archived_votes(found: Collection[Comment]) -> QuerySet[ArchivedVote]:
    """Return the archived votes on comments. The query uses the index on posts."""
    return ArchivedVote.objects.filter(
        post_id__in={comment.post_id for comment in found},
        comment_id__in=[comment.pk for comment in found],
    )

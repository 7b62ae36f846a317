"""Reads the parts of a post's page that change often: votes, rank and comment tallies."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from forum.config.hidden_scores import are_on, is_hidden
from forum.models import Post
from forum.queries.listings import sql_row
from forum.store import post_cards
from forum.store.service import get_voting_service
from forum.store.voters import OwnVote, archived_thread_votes
from voting.errors import StoreUnavailable, UnknownTarget
from voting.types import Row
from voting.types.comments import CommentTally, ThreadState
from voting.types.standing import Standing

ReadThread = Callable[[Post, Sequence[int], int | None], ThreadState]
"""A function that reads the state of a post and its comments for a viewer."""
POST = 0
"""The key for the post itself, in dictionaries whose other keys are comment ids."""


@dataclass(frozen=True, slots=True)
class Above:
    """The post just above another post in `hot`, and how many up votes it takes to pass it."""

    id: int
    title: str
    slug: str
    votes: int


@dataclass(frozen=True, slots=True)
class PostState:
    """The parts of a post's page that change often.

    `standing` is the post's rank in `hot`. It is None if Redis is unavailable or doesn't know the
    post yet.
    """

    row: Row
    standing: Standing | None
    above: Above | None
    redis_down: bool
    tallies: Mapping[int, CommentTally] = field(default_factory=dict)
    """The tallies of the page's comments, except comments that Redis doesn't know."""
    seen_at: int | None = None
    """When the viewer opened the page the previous time, in seconds since 1970."""
    votes: Mapping[int, OwnVote] = field(default_factory=dict)
    """The viewer's archived votes on the comments; used while Redis is unavailable."""
    unread: int | None = None
    """The number of unread items in the viewer's inbox."""

    @property
    def closes_at(self) -> datetime:
        """The time at which voting on the post ends."""
        return datetime.fromtimestamp(self.row.posted_at + settings.VOTING_RULES.window, UTC)

    @property
    def closed(self) -> bool:
        """Whether voting on the post has ended."""
        return self.closes_at <= timezone.now()

    @property
    def hides_score(self) -> bool:
        """Whether readers don't see the votes on the post yet."""
        return is_hidden(self.row.posted_at)

    @property
    def tells_votes_to_next(self) -> bool:
        """Whether readers see how many votes it takes to pass the post above.

        If scores are hidden, the number would give away the score of the post above.
        """
        return not are_on()

    @property
    def counts_as(self) -> datetime | None:
        """The posting time that would give a post without votes the same hot score as this post."""
        return datetime.fromtimestamp(self.standing.score, UTC) if self.standing else None

    @property
    def vote_hours(self) -> float:
        """The number of hours by which votes move the post in `hot`."""
        return self.standing.vote_seconds / 3_600 if self.standing else 0.0

    @property
    def vote_minutes(self) -> int | None:
        """The number of minutes that the votes add to the hot score. Negative if they subtract.

        None if the votes add or subtract an hour or more.
        """
        minutes = round(self.vote_hours * 60)
        return minutes if abs(minutes) < 60 else None


def read_thread(post: Post, comment_ids: Sequence[int], viewer_id: int | None) -> ThreadState:
    """Return the state of a post and its comments in Redis. One round trip."""
    return get_voting_service().comments.thread(post.pk, comment_ids, viewer=viewer_id)


def post_state(
    post: Post,
    viewer_id: int | None,
    comment_ids: Sequence[int] = (),
    *,
    read: ReadThread = read_thread,
) -> PostState:
    """Return a post's votes and rank, and the tallies of its comments.

    One round trip, by `read`. One query if some of the viewer's votes are only in SQL, or if Redis
    is unavailable.
    """
    try:
        state = read(post, comment_ids, viewer_id)
        above = _above(state.standing)
    except UnknownTarget:
        return PostState(sql_row(post), None, None, redis_down=False)
    except StoreUnavailable:
        votes = own_archived_votes(post.pk, (POST, *comment_ids), viewer_id)
        row = sql_row(post)
        if POST in votes:
            row = replace(row, **votes[POST]._asdict())
        return PostState(row, None, None, redis_down=True, votes=votes)
    own = state.row
    stand = CommentTally(own.up, own.down, own.vote, None, own.counts_at)
    tallies = with_archived_thread_votes(post.pk, {POST: stand, **state.tallies}, viewer_id)
    stand = tallies.pop(POST)
    row = replace(own, vote=stand.vote, counts_at=stand.counts_at)
    return PostState(
        row,
        state.standing,
        above,
        redis_down=False,
        tallies=tallies,
        seen_at=state.seen_at,
        unread=state.unread,
    )


def with_archived_thread_votes(
    post_id: int, tallies: Mapping[int, CommentTally], viewer_id: int | None
) -> dict[int, CommentTally]:
    """Return the tallies. If Redis has dropped the viewer's vote on a comment, add it from SQL.

    Redis drops a comment's votes some time after voting on the comment closes. One query at most.
    """
    forgotten = [each for each, tally in tallies.items() if tally.vote is None]
    if viewer_id is None or not forgotten:
        return dict(tallies)
    votes = own_archived_votes(post_id, forgotten, viewer_id)
    known = {
        each: replace(tallies[each], **votes.get(each, OwnVote())._asdict()) for each in forgotten
    }
    return {**tallies, **known}


def own_archived_votes(
    post_id: int, comment_ids: Collection[int], viewer_id: int | None
) -> dict[int, OwnVote]:
    """Return a dict from comment ids to the viewer's votes that SQL has on these comments.

    In `comment_ids`, the value `POST` stands for the post itself. One query; none for a guest.
    Returns {} if SQL is unavailable.
    """
    if viewer_id is None:
        return {}
    try:
        return archived_thread_votes(viewer_id, post_id, comment_ids)
    except DatabaseError:
        return {}


def _above(standing: Standing) -> Above | None:
    """Return the post just above a post in `hot`.

    Returns None if there is no such post, or if no number of votes would be enough to pass it.
    """
    if standing.next_id is None or standing.votes_to_next is None or standing.next_card is None:
        return None
    card = post_cards.unpack(standing.next_card)
    return Above(standing.next_id, card.title, card.slug, standing.votes_to_next)

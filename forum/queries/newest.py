"""The newest comments, flat: of a post from voting and beyond that from SQL, of the site and of a
person from SQL.

Pages are asked for by the id they go on below, never by a number: what is written or deleted
meanwhile neither repeats nor hides a comment.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from django.conf import settings
from django.db import DatabaseError

from forum.gateway import comment_cards
from forum.gateway.comment_cards import CommentCard
from forum.gateway.service import get_voting_service
from forum.gateway.voters import archived_comment_votes
from forum.models import Comment, Post, User
from forum.models.managers import CommentQuerySet
from voting.errors import StoreUnavailable
from voting.types import Target, Vote
from voting.types.comments import CommentStates, CommentTally, NewestPage


@dataclass(frozen=True, slots=True)
class FlatComment:
    """One comment of a flat page, with the post it is on."""

    id: int
    post: Post
    card: CommentCard
    up: int = 0
    down: int = 0
    """Its votes as the database has them, if it was read from there."""
    tally: CommentTally | None = None
    """None if Redis is down or does not know the comment."""
    vote: Vote = Vote.NONE
    """The reader's own."""

    @property
    def target(self) -> Target:
        """What votes on it are cast on."""
        return Target(self.post.pk, self.id)


@dataclass(frozen=True, slots=True)
class FlatPage:
    """A flat page: its comments, and the id below which the next one goes on, if there is one."""

    comments: tuple[FlatComment, ...]
    older: int | None

    @property
    def targets(self) -> list[Target]:
        """What votes on the comments are cast on."""
        return [entry.target for entry in self.comments]


def of_post(post: Post, before: int | None) -> FlatPage:
    """Return a page of a post's newest comments.

    One round trip and no query for what Redis holds, a query beyond it. Where Redis has forgotten
    them, this fills them anew.
    """
    size = settings.PAGE_SIZE + 1
    try:
        held = get_voting_service().comments.newest(post.pk, before=before, count=size)
        if held.filler:
            _fill(post, held.filler)
    except StoreUnavailable:
        held = NewestPage((), None)
    if held.floor is None:
        return _flat(_archived(post, before, size))
    found = [FlatComment(one.id, post, comment_cards.unpack(one.card)) for one in held.comments]
    if len(found) < size and held.floor:
        below = held.floor if before is None else min(before, held.floor)
        found += _archived(post, below, size - len(found))
    return _flat(found)


def of_site(before: int | None) -> FlatPage:
    """Return a page of the site's newest comments. One query."""
    comments = _below(before).on_visible_posts().select_related("post")
    shown = comments.defer("post__body", "post__body_html")[: settings.PAGE_SIZE + 1]
    return _flat([_entry(comment, comment.post) for comment in shown])


def of_person(person: User, before: int | None) -> FlatPage:
    """Return a page of what a person wrote, newest first. One query."""
    comments = _below(before).on_visible_posts().filter(author=person).select_related("post")
    shown = comments.defer("post__body", "post__body_html")[: settings.PAGE_SIZE + 1]
    return _flat([_entry(comment, comment.post) for comment in shown])


def tallies_of(flat: FlatPage, viewer_id: int | None) -> CommentStates:
    """Return how the comments of a page stand; nothing while Redis is down. One round trip."""
    try:
        return get_voting_service().comments.states(flat.targets, viewer_id)
    except StoreUnavailable:
        return CommentStates({}, None)


def with_tallies(
    flat: FlatPage, tallies: Mapping[int, CommentTally], viewer_id: int | None
) -> FlatPage:
    """Return a page whose comments show how they stand, with the viewer's own votes.

    One query if some of these are only in the database: voting closed long ago, or Redis is down.
    """
    known = {comment_id: tally.vote for comment_id, tally in tallies.items()}
    unknown = [on for on in flat.targets if known.get(on.comment_id) is None]
    votes = {one: vote for one, vote in known.items() if vote is not None}
    if viewer_id is not None and unknown:
        with suppress(DatabaseError):
            votes |= archived_comment_votes(viewer_id, unknown)
    comments = (
        replace(entry, tally=tallies.get(entry.id), vote=votes.get(entry.id, Vote.NONE))
        for entry in flat.comments
    )
    return replace(flat, comments=tuple(comments))


def _fill(post: Post, filler: str) -> None:
    """Have Redis hold a post's newest comments again. One query; a round trip for 1,000 comments,
    and one more.
    """
    service = get_voting_service().comments
    found = list(_below(None).filter(post=post)[: service.max_newest])
    floor = found[-1].pk if len(found) == service.max_newest else 0
    cards = [(comment.pk, comment.version, comment_cards.pack(comment)) for comment in found]
    service.fill_newest(post.pk, filler, cards, floor=floor)


def _archived(post: Post, before: int | None, count: int) -> list[FlatComment]:
    """Return comments as SQL has them. One query, by index."""
    shown = _below(before).filter(post=post)[:count]
    return [_entry(comment, post) for comment in shown]


def _below(before: int | None) -> CommentQuerySet[Comment]:
    """Return comments that are not deleted, newest first, with what their cards read and without
    the Markdown, which would double it.
    """
    comments = Comment.objects.visible().select_related("author").defer("body")
    comments = comments.order_by("-pk")
    return comments if before is None else comments.filter(pk__lt=before)


def _entry(comment: Comment, post: Post) -> FlatComment:
    return FlatComment(comment.pk, post, comment_cards.card(comment), comment.up, comment.down)


def _flat(found: Sequence[FlatComment]) -> FlatPage:
    """Return a page of comments, of which one more than it shows says that it is not the last."""
    comments = tuple(found[: settings.PAGE_SIZE])
    return FlatPage(comments, comments[-1].id if len(found) > settings.PAGE_SIZE else None)

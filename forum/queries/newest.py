"""Reads flat views: lists of the newest comments on a post, on the site or by a person.

A flat view doesn't nest replies under comments. A post's newest comments come from Redis, all other
comments from SQL. The URL of a page contains a comment id, and the page lists comments with lower
ids. So no comment is repeated or skipped if comments are written or deleted between two pages.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Exists, OuterRef

from forum.models import Comment, HiddenGroup, Mark, Post, SavedComment, User
from forum.models.managers import TEXTS, CommentQuerySet
from forum.queries.keyset import newest_below
from forum.store import comment_cards
from forum.store.comment_cards import CommentCard
from forum.store.service import get_voting_service
from forum.store.voters import OwnVote, archived_comment_votes
from voting.errors import StoreUnavailable
from voting.types import Target, Vote
from voting.types.comments import CommentStates, CommentTally, NewestPage

POST_TEXTS = tuple(f"post__{name}" for name in TEXTS)


@dataclass(frozen=True, slots=True)
class FlatComment:
    """A comment in a flat view, with the post that the comment is on."""

    id: int
    post: Post
    card: CommentCard
    up: int = 0
    down: int = 0
    """The number of down votes in SQL. Pages show `up` and `down` only if `tally` is None."""
    tally: CommentTally | None = None
    """The votes in Redis; None if Redis is unavailable or doesn't know the comment."""
    vote: Vote = Vote.NONE
    """The viewer's vote on the comment."""
    counts_at: int | None = None
    """If the viewer's vote doesn't count: when it will (s since 1970), or `VOID`."""
    saved: bool | None = None
    """Whether the viewer saved the comment; None if the page doesn't show that."""

    @property
    def target(self) -> Target:
        """The target of a vote on this comment."""
        return Target(self.post.pk, self.id)


@dataclass(frozen=True, slots=True)
class FlatPage:
    """A page of a flat view: a list of the newest comments, not nested.

    The next page has the comments with ids below `older`, which is None on the last page. In a list
    of saved comments, `older` is the id of the row that says so.
    """

    comments: tuple[FlatComment, ...]
    older: int | None

    @property
    def targets(self) -> list[Target]:
        """The `Target` of each comment on the page."""
        return [entry.target for entry in self.comments]


def of_post(post: Post, before: int | None) -> FlatPage:
    """Return a page of a post's newest comments.

    One round trip for comments in Redis, and one query for older ones. If Redis has dropped the
    post's comments, loads them from SQL into Redis again.
    """
    size = settings.PAGE_SIZE + 1
    try:
        stored = get_voting_service().comments.newest(post.pk, before=before, count=size)
        if stored.filler:
            _fill(post, stored.filler)
    except StoreUnavailable:
        stored = NewestPage((), None)
    if stored.floor is None:
        return _flat(_from_sql(post, before, size))
    found = [FlatComment(one.id, post, comment_cards.unpack(one.card)) for one in stored.comments]
    if len(found) < size and stored.floor:
        below = stored.floor if before is None else min(before, stored.floor)
        found += _from_sql(post, below, size - len(found))
    return _flat(found)


def of_branch(post: Post, comment_id: int) -> FlatPage:
    """Return the first page of a branch: a comment and all replies below it, newest first.

    Two queries, of which one reads the ids of all comments on the post.
    """
    comments = Comment.objects.filter(post=post).order_by("pk")
    branch, visible = {comment_id}, []
    for own, parent, deleted_at in comments.values_list("pk", "parent_id", "deleted_at"):
        if parent in branch:  # a reply has a higher id than its parent
            branch.add(own)
        if own in branch and deleted_at is None:
            visible.append(own)
    newest = _below(None).filter(pk__in=visible[-settings.PAGE_SIZE - 1 :])
    return _flat([_entry(comment, post) for comment in newest])


def of_site(before: int | None, viewer_id: int | None = None) -> FlatPage:
    """Return a page of the newest comments of the whole site. One query.

    Leaves out comments on posts that the viewer hid, or whose group the viewer hid.
    """
    comments = _below(before).on_visible_posts().select_related("post")
    if viewer_id is not None:
        posts = Mark.objects.filter(user=viewer_id, kind=Mark.Kind.HIDDEN, post=OuterRef("post"))
        groups = HiddenGroup.objects.filter(user=viewer_id, group__posts=OuterRef("post"))
        comments = comments.exclude(Exists(posts)).exclude(Exists(groups))
    shown = comments.defer(*POST_TEXTS)[: settings.PAGE_SIZE + 1]
    return _flat([_entry(comment, comment.post) for comment in shown])


def of_person(person: User, before: int | None) -> FlatPage:
    """Return a page of a person's comments, newest first. One query."""
    comments = _below(before).on_visible_posts().filter(author=person).select_related("post")
    shown = comments.defer(*POST_TEXTS)[: settings.PAGE_SIZE + 1]
    return _flat([_entry(comment, comment.post) for comment in shown])


def saved_by(person: User, before: int | None) -> FlatPage:
    """Return a page of the comments that a person saved, last saved first. One query.

    `before` is the id of a SavedComment.
    """
    saves = SavedComment.objects.filter(
        user=person, comment__deleted_at=None, comment__post__deleted_at=None
    )
    saves = saves.select_related("comment__author", "comment__post")
    saves = saves.defer("comment__body", *(f"comment__{name}" for name in POST_TEXTS))
    page, older = newest_below(saves, before)
    comments = (_entry(save.comment, save.comment.post) for save in page)
    return FlatPage(tuple(replace(comment, saved=True) for comment in comments), older)


def of_comment(comment: Comment) -> FlatPage:
    """Return a page with only this comment, which may be withheld.

    No query if the comment was loaded with its author and post.
    """
    return FlatPage((_entry(comment, comment.post),), None)


def of_ids(comment_ids: Sequence[int]) -> FlatPage:
    """Return these comments as one page, newest first. At most one query.

    Leaves out deleted comments, and comments on deleted posts.
    """
    comments = _below(None).on_visible_posts().filter(pk__in=comment_ids).select_related("post")
    return FlatPage(tuple(_entry(one, one.post) for one in comments.defer(*POST_TEXTS)), None)


def tallies_of(flat: FlatPage, viewer_id: int | None) -> CommentStates:
    """Return the tallies and the viewer's votes for a page's comments. One round trip.

    The result is empty while Redis is unavailable.
    """
    try:
        return get_voting_service().comments.states(flat.targets, viewer_id)
    except StoreUnavailable:
        return CommentStates({}, None)


def with_tallies(
    flat: FlatPage, tallies: Mapping[int, CommentTally], viewer_id: int | None
) -> FlatPage:
    """Add tallies and the viewer's votes to the comments of a page.

    One query if some of the viewer's votes are only in SQL.
    """
    votes = {
        comment_id: OwnVote(tally.vote, tally.counts_at)
        for comment_id, tally in tallies.items()
        if tally.vote is not None
    }
    unknown = [on for on in flat.targets if on.comment_id not in votes]
    if viewer_id is not None and unknown:
        with suppress(DatabaseError):
            votes |= archived_comment_votes(viewer_id, unknown)
    comments = (
        replace(entry, tally=tallies.get(entry.id), **votes.get(entry.id, OwnVote())._asdict())
        for entry in flat.comments
    )
    return replace(flat, comments=tuple(comments))


def _fill(post: Post, filler: str) -> None:
    """Load a post's newest comments from SQL into Redis again.

    One query, and two round trips for up to 1,000 comments.
    """
    service = get_voting_service().comments
    found = list(_below(None).filter(post=post)[: service.max_newest])
    floor = found[-1].pk if len(found) == service.max_newest else 0
    cards = [(comment.pk, comment.version, comment_cards.pack(comment)) for comment in found]
    service.fill_newest(post.pk, filler, cards, floor=floor)


def _from_sql(post: Post, before: int | None, count: int) -> list[FlatComment]:
    """Return a post's comments, newest first, from SQL. One query, which uses an index."""
    shown = _below(before).filter(post=post)[:count]
    return [_entry(comment, post) for comment in shown]


def _below(before: int | None) -> CommentQuerySet[Comment]:
    """Return the visible comments with ids below `before`, newest first.

    Leaves out the Markdown, which would double the amount of data.
    """
    comments = Comment.objects.visible().select_related("author").defer("body", "search_text")
    comments = comments.order_by("-pk")
    return comments if before is None else comments.filter(pk__lt=before)


def _entry(comment: Comment, post: Post) -> FlatComment:
    return FlatComment(comment.pk, post, comment_cards.card(comment), comment.up, comment.down)


def _flat(found: Sequence[FlatComment]) -> FlatPage:
    """Return a page of the first `PAGE_SIZE` comments. If there are more, set its cursor."""
    comments = tuple(found[: settings.PAGE_SIZE])
    return FlatPage(comments, comments[-1].id if len(found) > settings.PAGE_SIZE else None)

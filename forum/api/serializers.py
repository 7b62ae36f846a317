"""Converts the results of queries to the objects in API responses."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from forum import models
from forum.actions.sentences import why_text_is_withheld
from forum.api import schemas
from forum.config import hidden_scores
from forum.config.hidden_scores import is_hidden
from forum.identity.throttle import rate_limit, subject_of
from forum.models.deleted_names import name_for_programs
from forum.moderation.log.entries import LogEntry
from forum.queries.groups import Topic
from forum.queries.newest import FlatComment
from forum.queries.posts import PostState
from forum.store import post_cards
from voting.types import Row

LIMITED = ("api", "post", "comment", "edit", "vote", "follow", "flag", "search")
"""The actions of programs that have limits."""


def absolute(path: str) -> str:
    """Return the full URL of a path on this site."""
    return f"{settings.SITE_URL}{path}"


def post(row: Row) -> schemas.Post:
    """Return a post as it appears in lists."""
    return _listed(row, is_hidden(row.posted_at))


@lru_cache(maxsize=8_192)
def _listed(row: Row, hides_score: bool) -> schemas.Post:
    return schemas.Post(**_post(row, hides_score))


def _post(row: Row, hides_score: bool) -> dict[str, Any]:
    card = post_cards.unpack(row.card)
    return {
        "id": row.id,
        "url": absolute(reverse("post", args=[row.id, card.slug])),
        "title": card.title,
        "kind": card.kind,
        "link": card.url or None,
        "domain": card.domain or None,
        "author": name_for_programs(card.author),
        "groups": list(row.groups),
        "created_at": _time(row.posted_at),
        **votes(row.up, row.down, row.points, hides_score=hides_score),
        "starting_points": None if hides_score else row.starting_points,
        "comments": row.comments,
        "views": row.views,
        "answered": card.answered,
        "vote": row.vote,
        "saved": row.saved,
        "merged_into": card.merged_into or None,
    }


def votes(up: int, down: int, points: int, *, hides_score: bool) -> dict[str, Any]:
    """Return the numbers of votes as fields; all None while the score is hidden."""
    if hides_score:
        return {"points": None, "up": None, "down": None}
    return {"points": points, "up": up, "down": down}


def full_post(found: models.Post, state: PostState) -> schemas.FullPost:
    """Return a post with its text."""
    return schemas.FullPost(
        **_post(state.row, is_hidden(state.row.posted_at)),
        text=found.body,
        html=found.body_html,
        edited_at=found.edited_at,
        accepted_answer=found.accepted_id,
        locked=found.locked,
        votes_until=state.closes_at,
        **_visibility(found),
    )


def _visibility(text: models.Post | models.Comment) -> dict[str, Any]:
    return {"state": text.withheld or "published", "notice": why_text_is_withheld(text)}


def standing(state: PostState) -> schemas.Standing:
    """Return a post's rank in `hot`, and the values that explain the rank."""
    found = state.standing
    return schemas.Standing(
        rank=found.rank if found else None,
        of=found.total if found else None,
        counts_as=None if state.hides_score else state.counts_as,
        vote_hours=None if state.hides_score else state.vote_hours,
        votes_to_next=found.votes_to_next if found and not hidden_scores.are_on() else None,
        next=found.next_id if found else None,
    )


def comment(row: models.Comment, found: FlatComment, reader_id: int | None) -> schemas.Comment:
    """Return a comment, with the vote of the person who reads it.

    `row` is the comment; `found` has its votes, its author and its post.
    """
    card, tally = found.card, found.tally
    up, down = (tally.up, tally.down) if tally else (found.up, found.down)
    return schemas.Comment(
        id=found.id,
        url=absolute(reverse("comment", args=[found.post.pk, found.id])),
        post=found.post.pk,
        post_title=found.post.title,
        parent=card.parent_id or None,
        author=name_for_programs(card.author),
        text=row.body,
        html=card.html,
        created_at=_time(card.posted_at),
        edited_at=_time(card.edited_at) if card.edited_at else None,
        answer=row.is_answer,
        accepted=found.post.accepted_id == found.id,
        **_visibility(row),
        **votes(up, down, up - down, hides_score=is_hidden(card.posted_at)),
        vote=None if reader_id is None else found.vote,
    )


def placeholder(row: models.Comment) -> schemas.Comment:
    """Return the place of a deleted comment in its thread, without its text and author."""
    return schemas.Comment(
        id=row.pk,
        url=absolute(row.get_absolute_url()),
        post=row.post_id,
        post_title=row.post.title,
        parent=row.parent_id,
        author="",
        text="",
        html="",
        created_at=row.created_at,
        edited_at=None,
        answer=row.is_answer,
        accepted=row.post.accepted_id == row.pk,
        state=row.withheld or "deleted",  # type: ignore[arg-type]  # a comment is never merged
        notice=why_text_is_withheld(row) or _("This comment was deleted."),
        points=0,
        up=0,
        down=0,
        vote=None,
    )


def group(topic: Topic) -> schemas.Group:
    """Return a group."""
    return schemas.Group(
        name=topic.slug,
        url=absolute(reverse("group", args=[topic.slug])),
        title=topic.title,
        description=topic.description,
        closed=topic.closed,
    )


def action(found: LogEntry) -> schemas.Action:
    """Return an entry of the moderation log."""
    done = found.action
    return schemas.Action(
        id=done.pk,
        url=absolute(done.get_absolute_url()),
        kind=done.kind,
        at=done.created_at,
        by=found.name,
        group=done.group.slug if done.group else None,
        target=found.target,
        person=name_for_programs(found.person.username) if found.person else None,
        reason="" if found.is_secret else done.translated_reason,
        votes=found.progress.done
        if found.progress and done.kind == models.ModAction.Kind.VOID_VOTES
        else None,
        undone=done.undone_at is not None,
    )


def inbox_item(item: models.InboxItem) -> schemas.InboxItem:
    """Return a notification. A notification from moderators names no person."""
    return schemas.InboxItem(
        id=item.pk,
        kind=item.kind,
        at=item.created_at,
        read=item.read_at is not None,
        person=None if item.is_from_moderators else name_for_programs(item.actor.username),
        post=item.post_id,
        comment=item.comment_id,
        sentence=item.sentence,
        text=item.quoted.body if item.quoted else item.message,
        url=absolute(_subject(item)),
    )


def _subject(item: models.InboxItem) -> str:
    """Return the address of what an inbox item is about, or the address that leads there."""
    if item.comment and item.can_be_replied_to:
        return item.comment.get_absolute_url()
    if item.post and not item.post.deleted_at:
        return item.post.get_absolute_url()
    return reverse("inbox_item", args=[item.pk])


def me(person: models.User, token: models.ApiToken) -> schemas.Me:
    """Return a token with its owner and the owner's limits."""
    limits = [rate_limit(subject_of(person), action) for action in LIMITED]
    return schemas.Me(
        name=person.username,
        url=absolute(person.get_absolute_url()),
        token=token.name,
        scopes=token.scopes,
        created_at=token.created_at,
        ends_at=token.ends_at,
        limits=[
            schemas.Limit(action=limit.action, times=window.hits, seconds=window.seconds)
            for limit in limits
            for window in limit.windows
        ],
    )


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

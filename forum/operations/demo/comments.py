"""Writes the remarks of the demo content as comments, with votes and what posts tell of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import starmap

from django.db import connection

from forum.content.post_service import PostSync
from forum.ledger import leaderboards
from forum.ledger.dated_votes import Change, dated_vote
from forum.models import ArchivedVote, Comment, Post, Revision
from forum.operations.demo.conversations import HOUR, Told
from forum.operations.demo.scene import Scene, moment
from forum.queries.people import spelt
from forum.sync import outbox
from forum.text import markup
from voting.types import Target

CHANGED_AFTER = HOUR // 2
"""Seconds after which a remark was edited, or deleted, where there was time."""
SET_PARENT = "UPDATE forum_comment SET parent_id = %s WHERE id = %s"


def write(scene: Scene, told: Sequence[Told]) -> dict[str, Comment]:
    """Write remarks, given in the order of time, and return the comments by the remarks' keys.

    They are synced after the commit; karma and boards have moved. A handful of queries.
    """
    written = Comment.objects.bulk_create([_comment(scene, one) for one in told])
    comments = {one.key: comment for one, comment in zip(told, written, strict=True)}
    _hang_up(told, comments)
    _write_votes(told, comments)
    Revision.objects.bulk_create(
        _revision(scene, one, comments[one.key]) for one in told if one.remark.was
    )
    _tell_posts(told, comments)
    shown = [(one.post.pk, comments[one.key].pk) for one in told if not one.remark.gone]
    outbox.add(*starmap(PostSync, shown))
    return comments


def _comment(scene: Scene, one: Told) -> Comment:
    remark = one.remark
    text = remark.text.strip()
    return Comment(
        post=one.post,
        is_answer=one.is_answer,
        author=one.author,
        body=text,
        body_html=markup.render(text, spelt),
        created_at=moment(one.at),
        edited_at=_changed(scene, one) if remark.was else None,
        deleted_at=_changed(scene, one) if remark.gone else None,
        version=2 if remark.was or remark.gone else 1,
        up=remark.up,
        down=remark.down,
    )


def _revision(scene: Scene, one: Told, comment: Comment) -> Revision:
    return Revision(post=one.post, comment=comment, body=one.remark.was, until=_changed(scene, one))


def _changed(scene: Scene, one: Told) -> datetime:
    return moment(min(one.at + CHANGED_AFTER, scene.now - 1))


def _hang_up(told: Sequence[Told], comments: Mapping[str, Comment]) -> None:
    """Tie comments to what they answer, which has a number only now."""
    for one in told:
        if one.parent:
            comments[one.key].parent = comments[one.parent.key]
    rows = [(one.parent_id, one.pk) for one in comments.values() if one.parent_id]
    with connection.cursor() as cursor:
        cursor.executemany(SET_PARENT, rows)


def _write_votes(told: Sequence[Told], comments: Mapping[str, Comment]) -> None:
    """Archive who voted on what, and credit it."""
    cast = [(Target(one.post.pk, comments[one.key].pk), vote) for one in told for vote in one.votes]
    ArchivedVote.objects.bulk_create(
        ArchivedVote(
            user_id=vote.user_id,
            post_id=on.post_id,
            comment_id=on.comment_id,
            vote=vote.vote,
            at=moment(vote.at),
        )
        for on, vote in cast
    )
    leaderboards.credit(
        [Change(vote.user_id, on, None, dated_vote(vote.vote, vote.at)) for on, vote in cast]
    )


def _tell_posts(told: Sequence[Told], comments: Mapping[str, Comment]) -> None:
    """Have posts say how many comments they have, since when, and which one is accepted."""
    changed: dict[int, Post] = {}
    for one in told:
        if not one.remark.gone:
            post = changed.setdefault(one.post.pk, one.post)
            post.comment_count += 1
            post.commented_at, post.last_comment = moment(one.at), comments[one.key]
            if one.remark.accepted:
                post.accepted = comments[one.key]
    Post.objects.bulk_update(
        changed.values(), ["comment_count", "commented_at", "last_comment", "accepted"]
    )

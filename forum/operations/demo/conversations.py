"""Saves the comments of the demo content with their times and votes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from forum.ledger import leaderboards
from forum.ledger.leaderboards import Change, dated_vote
from forum.models import ArchivedVote, Comment, Post, Revision, User
from forum.operations.demo import content
from forum.operations.demo.content import Remark
from forum.operations.demo.scene import Scene, chance, moment
from forum.operations.importing.drafts import Cast, draw
from forum.queries.people import find_names
from forum.store import outbox
from forum.store.post_sync import PostSync
from forum.text import markup, search_text
from voting.types import Target

HOUR = 3_600
FIRST_ANSWERS, REPLIES = 24 * HOUR, 5 * HOUR
"""People comment on a post within FIRST_ANSWERS seconds, and reply within REPLIES seconds.

Most comments and replies are written much sooner.
"""
SOONEST = 0.004
"""The shortest time until a comment or reply, as a share of FIRST_ANSWERS or REPLIES."""
CHANGED_AFTER = HOUR // 2
"""How many seconds after writing a comment its author edits or deletes it.

If that is after the demo content is loaded, the change is dated a second before loading.
"""
SET_PARENT = "UPDATE forum_comment SET parent_id = %s WHERE id = %s"


@dataclass(frozen=True, slots=True)
class PlacedRemark:
    """A comment of the demo content with its parent, time, votes and SQL row."""

    remark: Remark
    at: int
    """When the comment was written, in seconds since 1970."""
    changed_at: datetime
    """When the author edited or deleted the comment. Meaningless for other comments."""
    parent: "PlacedRemark | None"
    votes: tuple[Cast, ...]
    comment: Comment

    @property
    def post(self) -> Post:
        """Return the post that the comment is about."""
        return self.comment.post

    @property
    def author(self) -> User:
        """Return the person who wrote the comment."""
        return self.comment.author


def place_remarks(scene: Scene) -> list[PlacedRemark]:
    """Return all comments, oldest first; parents come before replies. Saves nothing."""
    threads = content.threads().items()
    placed = (one for post, remarks in threads for one in _thread(scene, post, remarks))
    return sorted(placed, key=lambda one: one.at)


def write_comments(conversation: Sequence[PlacedRemark]) -> None:
    """Save the comments with their votes and old revisions in SQL.

    Also updates posts, karma and leaderboards. After the commit, the comments are synced to Redis.
    """
    Comment.objects.bulk_create([one.comment for one in conversation])
    _write_parents(conversation)
    _write_votes(conversation)
    Revision.objects.bulk_create(
        Revision(post=one.post, comment=one.comment, body=one.remark.was, until=one.changed_at)
        for one in conversation
        if one.remark.was
    )
    visible = [one for one in conversation if not one.remark.deleted]
    _update_posts(visible)
    outbox.add(*(PostSync(one.post.pk, one.comment.pk) for one in visible))


def _thread(scene: Scene, name: str, remarks: Sequence[Remark]) -> Iterator[PlacedRemark]:
    """Yield the comments on the demo post called `name`. Each comment comes before its replies."""
    branch: list[PlacedRemark] = []
    for number, remark in enumerate(remarks):
        del branch[remark.deep :]
        parent = branch[-1] if branch else None
        placed = _place(scene, f"{name}#{number}", scene.posts[name], remark, parent)
        branch.append(placed)
        yield placed


def _place(
    scene: Scene, key: str, post: Post, remark: Remark, parent: PlacedRemark | None
) -> PlacedRemark:
    since = max(parent.at if parent else post.posted_at, scene.joined(remark.by))
    longest = REPLIES if parent else FIRST_ANSWERS
    passed = SOONEST + (1 - SOONEST) * chance("when", key).random() ** 2
    at = since + int(min(longest, scene.now - since - 1) * passed)
    author = scene.people[remark.by]
    changed_at = moment(min(at + CHANGED_AFTER, scene.now - 1))
    text = remark.text.strip()
    html = markup.render(text, find_names)
    answers = post.kind == Post.Kind.QUESTION and parent is None and not remark.on_question
    comment = Comment(
        post=post,
        is_answer=answers,
        author=author,
        body=text,
        body_html=html,
        search_text=search_text.of_comment(html),
        created_at=moment(at),
        edited_at=changed_at if remark.was else None,
        deleted_at=changed_at if remark.deleted else None,
        version=2 if remark.was or remark.deleted else 1,
        up=remark.up,
        down=remark.down,
    )
    votes = draw(
        key,
        author_id=author.pk,
        posted_at=at,
        up=remark.up,
        down=remark.down,
        people=scene.here(at),
    )
    return PlacedRemark(remark, at, changed_at, parent, votes, comment)


def _write_parents(conversation: Sequence[PlacedRemark]) -> None:
    """Save the parent of each reply, after all comments were saved and have ids."""
    replies = [one for one in conversation if one.parent]
    for one in replies:
        one.comment.parent = one.parent.comment if one.parent else None
    rows = [(one.comment.parent_id, one.comment.pk) for one in replies]
    with connection.cursor() as cursor:
        cursor.executemany(SET_PARENT, rows)


def _write_votes(conversation: Sequence[PlacedRemark]) -> None:
    """Save the votes on the comments, and add these votes to karma and leaderboards."""
    cast = [
        (Target(one.post.pk, one.comment.pk), vote) for one in conversation for vote in one.votes
    ]
    ArchivedVote.objects.bulk_create(
        ArchivedVote(
            user_id=vote.user_id,
            post_id=target.post_id,
            comment_id=target.comment_id,
            vote=vote.vote,
            at=moment(vote.at),
        )
        for target, vote in cast
    )
    leaderboards.credit(
        [
            Change(vote.user_id, target, None, dated_vote(vote.vote, vote.at))
            for target, vote in cast
        ]
    )


def _update_posts(visible: Sequence[PlacedRemark]) -> None:
    changed: dict[int, Post] = {}
    for one in visible:
        post = changed.setdefault(one.post.pk, one.post)
        post.comment_count += 1
        post.commented_at, post.last_comment = moment(one.at), one.comment
        if one.remark.accepted:
            post.accepted = one.comment
    Post.objects.bulk_update(
        changed.values(), ["comment_count", "commented_at", "last_comment", "accepted"]
    )

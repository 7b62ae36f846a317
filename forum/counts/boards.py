"""Karma and leaderboards in SQL: moved once for each vote, in the transaction that archives it.

A vote counts on the UTC day it was cast, for the site and each group its post is in; what takes it
back or turns it round takes it off that day. Votes on one's own never count. Posts collect the
votes on themselves, people those on all they wrote.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import QuerySet

from forum.counts.dated_votes import Change, DatedVote, Moved, dated_vote, earliest
from forum.models import ArchivedVote, BoardPoints, Comment, Group, LedgerEntry, Post
from forum.store import voting
from voting.types import Target, Vote
from voting.types.boards import Kind, Spot
from voting.types.upkeep import Entry

WEEK = 7
ADD_POINTS = """
    INSERT INTO forum_boardpoints (day, "group", kind, subject_id, points)
    VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (day, "group", kind, subject_id)
    DO UPDATE SET points = forum_boardpoints.points + excluded.points
"""
ADD_KARMA = """
    UPDATE forum_user SET karma = karma + %s,
        likes_given = CASE WHEN likes_given + %s < 0 THEN 0 ELSE likes_given + %s END
    WHERE id = %s
"""


@dataclass(frozen=True, slots=True)
class Credited:
    """Whose points and counters have moved, so that Redis must hear of them."""

    spots: frozenset[Spot] = frozenset()
    people: frozenset[int] = frozenset()
    liked: frozenset[tuple[int, int]] = frozenset()
    """Person and post, where a vote on somebody else's post has changed."""

    def __or__(self, other: "Credited") -> "Credited":
        return Credited(
            self.spots | other.spots, self.people | other.people, self.liked | other.liked
        )


class _Targets:
    """Who wrote targets, and the groups of their posts. Three queries; locks the posts, so that
    nobody moves them to other groups meanwhile.
    """

    def __init__(self, targets: Collection[Target]) -> None:
        post_ids = {target.post_id for target in targets}
        comment_ids = {target.comment_id for target in targets if target.comment_id}
        posts = Post.objects.select_for_update(no_key=True).filter(pk__in=post_ids).order_by("pk")
        comments = Comment.objects.filter(pk__in=comment_ids)
        self._posts = dict(posts.values_list("pk", "author_id"))
        self._comments = dict(comments.values_list("pk", "author_id"))
        self._groups: defaultdict[int, list[str]] = defaultdict(list)
        places = Post.groups.through.objects.filter(post_id__in=post_ids)
        for post_id, slug in places.values_list("post_id", "group__slug"):
            self._groups[post_id].append(slug)

    def author(self, target: Target) -> int | None:
        """Return who wrote it, or None where SQL has lost it."""
        if target.comment_id:
            return self._comments.get(target.comment_id)
        return self._posts.get(target.post_id)

    def scopes(self, target: Target) -> tuple[str, ...]:
        """Return the site and the groups where its votes count."""
        return ("", *self._groups[target.post_id])


def changes(entries: Iterable[Entry]) -> list[Change]:
    """Return what entries of the ledger change, by what the archive knows. One query.

    Of several changes by one person on one target only the last counts. Ask before archiving.
    """
    latest = {(entry.target, entry.user_id): entry for entry in entries}
    cast = ArchivedVote.objects.filter(
        post_id__in={target.post_id for target, _ in latest},
        comment_id__in={target.comment_id for target, _ in latest},
        user_id__in={user_id for _, user_id in latest},
    ).values_list("post_id", "comment_id", "user_id", "vote", "at")
    known = {
        (Target(post_id, comment_id), user_id): DatedVote(Vote(vote), at.date())
        for post_id, comment_id, user_id, vote, at in cast
    }
    return [
        Change(user_id, target, known.get((target, user_id)), dated_vote(entry.vote, entry.at))
        for (target, user_id), entry in latest.items()
    ]


def credit(changed: Collection[Change]) -> Credited:
    """Move karma, likes given and boards by what has changed. Five queries; inside the transaction
    that archives the votes.
    """
    targets = _Targets({change.target for change in changed})
    moved = Moved()
    for change in changed:
        author = targets.author(change.target)
        if author is not None and author != change.user_id:
            scopes = targets.scopes(change.target)
            for vote, sign in ((change.before, -1), (change.after, 1)):
                moved.people(change, vote, sign, author)
                moved.boards(change, vote, sign, author, scopes)
    return _write(moved)


def regroup(post: Post, groups: Collection[Group]) -> Credited:
    """Move the points of a post, and of those who wrote in it, to the boards of other groups.

    Call it before the post is moved, in the same transaction. Eight queries.
    """
    Post.objects.select_for_update(no_key=True).get(pk=post.pk)  # no vote is archived meanwhile
    cast = ArchivedVote.objects.filter(post_id=post.pk, at__gte=earliest()).exclude(vote=Vote.NONE)
    changed = [
        Change(user_id, Target(post.pk, comment_id), None, DatedVote(Vote(vote), at.date()))
        for user_id, comment_id, vote, at in cast.values_list("user_id", "comment_id", "vote", "at")
    ]
    targets = _Targets({Target(post.pk), *(change.target for change in changed)})
    before, after = set(targets.scopes(Target(post.pk))) - {""}, {group.slug for group in groups}
    moved = Moved()
    for change in changed:
        author = targets.author(change.target)
        if author is not None and author != change.user_id:
            moved.boards(change, change.after, 1, author, after - before)
            moved.boards(change, change.after, -1, author, before - after)
    return _write(moved)


def recent(entries: int) -> Credited:
    """Return whom the last archived entries may have moved, this week. Five queries.

    A reader that died after its commit may not have told Redis of them.
    """
    last = LedgerEntry.objects.order_by("-pk").values_list("post_id", "comment_id", "user_id")
    found = list(last[:entries])
    post_ids = {post_id for post_id, _, _ in found}
    comment_ids = {comment_id for _, comment_id, _ in found if comment_id}
    writers = dict(Post.objects.filter(pk__in=post_ids).values_list("pk", "author_id"))
    comments = Comment.objects.filter(pk__in=comment_ids)
    authors = {*writers.values(), *comments.values_list("author_id", flat=True)}
    rows = BoardPoints.objects.filter(day__gte=voting().activity.today() - timedelta(days=WEEK))
    moved = rows.filter(kind=Kind.POST, subject_id__in=post_ids)
    moved |= rows.filter(kind=Kind.PERSON, subject_id__in=authors)
    people = authors | {user_id for _, _, user_id in found}
    liked = {
        (user_id, post_id)
        for post_id, comment_id, user_id in found
        if not comment_id and writers.get(post_id, user_id) != user_id
    }
    spots = frozenset(spot for spot, _ in standing(moved))
    return Credited(spots, frozenset(people), frozenset(liked))


def liked(pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], float | None]:
    """Return when (s) people voted posts up, None where their vote is not up. One query."""
    ups = ArchivedVote.objects.filter(
        user_id__in={user_id for user_id, _ in pairs},
        post_id__in={post_id for _, post_id in pairs},
        comment_id=0,
        vote=Vote.UP,
    )
    found: dict[tuple[int, int], float | None] = dict.fromkeys(pairs)
    for user_id, post_id, at in ups.values_list("user_id", "post_id", "at"):
        if (user_id, post_id) in found:
            found[user_id, post_id] = at.timestamp()
    return found


def points(spots: Collection[Spot]) -> dict[Spot, int]:
    """Return the points of spots, 0 where there is no row. One query."""
    rows = BoardPoints.objects.filter(
        day__in={spot.day for spot in spots},
        group__in={spot.group for spot in spots},
        kind__in={spot.kind for spot in spots},
        subject_id__in={spot.subject_id for spot in spots},
    )
    return dict.fromkeys(spots, 0) | {spot: n for spot, n in standing(rows) if spot in spots}


def standing(rows: QuerySet[BoardPoints]) -> Iterable[tuple[Spot, int]]:
    """Yield spots with their points. One query."""
    for day, group, kind, subject, n in rows.values_list(
        "day", "group", "kind", "subject_id", "points"
    ).iterator():
        yield Spot(day, group, Kind(kind), subject), n


def _write(moved: Moved) -> Credited:
    """Write what has moved, always in the same order, so that two writers never wait in a ring."""
    day = connection.ops.adapt_datefield_value
    rows = [
        (day(spot.day), spot.group, spot.kind.value, spot.subject_id, n)
        for spot, n in sorted(moved.points.items())
        if n
    ]
    people = [
        (moved.karma[user_id], moved.likes[user_id], moved.likes[user_id], user_id)
        for user_id in sorted(moved.karma.keys() | moved.likes.keys())
        if moved.karma[user_id] or moved.likes[user_id]
    ]
    with connection.cursor() as cursor:
        if rows:
            cursor.executemany(ADD_POINTS, rows)
        if people:
            cursor.executemany(ADD_KARMA, people)
    spots = frozenset(spot for spot, n in moved.points.items() if n)
    return Credited(spots, frozenset(user_id for *_, user_id in people), frozenset(moved.liked))

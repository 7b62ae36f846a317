"""Karma and leaderboards in SQL, updated in the transaction that archives a vote.

A vote counts on the UTC day on which it was cast, for the site and for each group of its post.
If the vote is removed or reversed, it no longer counts on that day. Votes on one's own content
never count. If two posts were merged, votes by either author on the other's post don't count. A
post gets points from votes on the post itself. A person gets points from votes on all of the
person's posts and comments.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from forum.ledger import bulk_sql
from forum.ledger.cast_votes import CastVote, Key, known
from forum.models import ArchivedVote, BoardPoints, Comment, Group, Post, User
from forum.models.mod_action import MERGED_VOTES_TO
from forum.queries.batches import batches, each
from forum.store.service import get_voting_service
from voting.types import Target, Vote
from voting.types.boards import BoardKey, BoardKind

KEY = ("day", "group", "kind", "subject_id")
ADD_POINTS = """
    ON CONFLICT (day, "group", kind, subject_id)
    DO UPDATE SET points = forum_boardpoints.points + excluded.points
"""
POINTS = """SELECT given.*, points
    FROM {rows} JOIN forum_boardpoints USING (day, "group", kind, subject_id)
"""
ADD_KARMA = """
    UPDATE forum_user SET karma = forum_user.karma + given.karma,
        likes_given = CASE WHEN forum_user.likes_given + given.likes_given < 0 THEN 0
            ELSE forum_user.likes_given + given.likes_given END
    FROM {rows} WHERE forum_user.id = given.id
"""


@dataclass(frozen=True, slots=True)
class DatedVote:
    """A vote, the UTC day on which it was cast or began to count, and whether it counts."""

    vote: Vote
    day: date
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a person's vote on a post or comment; `before` is None if there was no vote."""

    user_id: int
    target: Target
    before: DatedVote | None
    after: DatedVote | None


def dated_vote(vote: Vote, at: int) -> DatedVote:
    """Return a vote with its UTC day. `at` is the time of the vote in seconds since 1970."""
    return DatedVote(vote, datetime.fromtimestamp(at, UTC).date())


def dated(vote: CastVote | None) -> DatedVote | None:
    """Return a vote with its UTC day; None if there is no vote."""
    return vote and DatedVote(vote.vote, vote.since.date(), vote.counts)


@dataclass
class VoteSums:
    """Sums of votes: leaderboard points, people's karma, and how many likes each person gave."""

    since: date = field(default_factory=lambda: earliest().date())
    points: Counter[BoardKey] = field(default_factory=Counter)
    karma: Counter[int] = field(default_factory=Counter)
    likes: Counter[int] = field(default_factory=Counter)
    liked: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of person id and post id, for votes on other people's posts."""

    def people(self, change: Change, vote: DatedVote | None, sign: int, author: int) -> None:
        """Add a vote to the author's karma and the voter's likes; if `sign` is -1, subtract it."""
        if vote is None:
            return
        if not change.target.comment_id:
            self.liked.add((change.user_id, change.target.post_id))
        if vote.counts:
            self.karma[author] += sign * int(vote.vote)
            self.likes[change.user_id] += sign * (vote.vote is Vote.UP)

    def boards(
        self, change: Change, vote: DatedVote | None, sign: int, author: int, scopes: Iterable[str]
    ) -> None:
        """Add a vote to the leaderboards of its day; if `sign` is -1, subtract it."""
        if vote is None or not vote.counts or vote.day < self.since:
            return
        for scope in scopes:
            worth = sign * int(vote.vote)
            self.points[BoardKey(vote.day, scope, BoardKind.PERSON, author)] += worth
            if not change.target.comment_id:
                self.points[BoardKey(vote.day, scope, BoardKind.POST, change.target.post_id)] += (
                    worth
                )


def earliest() -> datetime:
    """Return the start of the earliest day whose leaderboards Redis stores."""
    now = datetime.fromtimestamp(get_voting_service().now(), UTC)
    return now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(
        days=get_voting_service().boards.days_kept
    )


@dataclass(frozen=True, slots=True)
class ChangedCounts:
    """The data to sync to Redis after votes changed: leaderboard lines, people and liked posts."""

    keys: Sequence[BoardKey]
    people: Sequence[int]
    liked: Sequence[tuple[int, int]]
    """Pairs of person id and post id, for changed votes on other people's posts."""


class _Targets:
    """The authors of targets (posts or comments), and the groups of the posts.

    Locks the posts, so that nobody moves them to other groups meanwhile.
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
        merged = Post.objects.filter(merged_into__in=post_ids)
        self._merged = set(merged.values_list("merged_into_id", "author_id"))

    def author(self, target: Target) -> int | None:
        """Return the id of the author of a post or comment; None if it isn't in SQL."""
        if target.comment_id:
            return self._comments.get(target.comment_id)
        return self._posts.get(target.post_id)

    def counts(self, user_id: int, target: Target) -> bool:
        """Return whether a vote counts for karma and leaderboards. An author's own vote doesn't."""
        if not target.comment_id and (target.post_id, user_id) in self._merged:
            return False
        return self.author(target) not in {None, user_id}

    def scopes(self, target: Target) -> tuple[str, ...]:
        """Return "", which stands for the whole site, and the slugs of a target's groups."""
        return ("", *self._groups[target.post_id])


def changes(before: Mapping[Key, CastVote], after: Mapping[Key, CastVote]) -> list[Change]:
    """Return how each vote in `after` differs from the same person's vote in `before`."""
    return [
        Change(who, target, dated(before.get((target, who))), dated(vote))
        for (target, who), vote in after.items()
    ]


def credit(changed: Collection[Change], since: date | None = None) -> ChangedCounts:
    """Update karma, leaderboards and the numbers of likes that people gave in SQL.

    Call it in the transaction that archives the votes. Leaderboards of days before `since` don't
    change; the default is the earliest day that Redis stores.
    """
    targets = _Targets({change.target for change in changed})
    sums = VoteSums() if since is None else VoteSums(since)
    for change in changed:
        author = targets.author(change.target)
        if author is not None and targets.counts(change.user_id, change.target):
            scopes = targets.scopes(change.target)
            for vote, sign in ((change.before, -1), (change.after, 1)):
                sums.people(change, vote, sign, author)
                sums.boards(change, vote, sign, author, scopes)
    return _write(sums)


def regroup(post: Post, groups: Collection[Group]) -> list[str]:
    """Move the leaderboard points of a post's thread from its old groups to its new groups.

    Call it before the post is moved, in the same transaction. Returns the slugs of groups that the
    post leaves or joins. The caller must sync these groups' leaderboards to Redis.
    """
    Post.objects.locked(post.pk)  # no vote is archived meanwhile
    recent = Q(at__gte=earliest()) | Q(counts_at__gte=earliest())
    cast = ArchivedVote.objects.counted().filter(recent, post_id=post.pk).exclude(vote=Vote.NONE)
    cast = cast.exclude(comment_id=0, user_id__lte=united_to(post))
    changed = [
        Change(row.user_id, Target(post.pk, row.comment_id), None, dated(CastVote.of(row)))
        for row in cast
    ]
    targets = _Targets({Target(post.pk), *(change.target for change in changed)})
    before, after = set(targets.scopes(Target(post.pk))) - {""}, {group.slug for group in groups}
    sums = VoteSums()
    for change in changed:
        author = targets.author(change.target)
        if author is not None and targets.counts(change.user_id, change.target):
            sums.boards(change, change.after, 1, author, after - before)
            sums.boards(change, change.after, -1, author, before - after)
    _write(sums)
    return sorted(before ^ after)


def united_to(post: Post) -> int:
    """Return the highest id of the people whose votes a merge has moved to the remaining post.

    A merge moves the merged post's votes in the order of the voters' ids. Returns 0 if the post
    isn't merged.
    """
    merged = Post.objects.filter(pk=post.pk, merged_into__isnull=False)
    details = merged.values_list("withheld_by__details", flat=True).first()
    return int(details.get(MERGED_VOTES_TO, 0)) if details else 0


def lines_of(post_id: int, groups: Collection[str]) -> Iterator[BoardKey]:
    """Yield the keys of a post's lines on the leaderboards of some groups.

    Also yields the keys of the lines of everybody who wrote in the post's thread. The queries list
    each day, because with a range of days SQL would read whole leaderboards.
    """
    today, kept = get_voting_service().activity.today(), get_voting_service().boards.days_kept
    days = [today - timedelta(days=ago) for ago in range(kept + 1)]
    lines = BoardPoints.objects.filter(day__in=days, group__in=groups)
    yield from _keys(lines.filter(kind=BoardKind.POST, subject_id=post_id))
    writers = set(Post.objects.filter(pk=post_id).values_list("author_id", flat=True))
    writers.update(Comment.objects.filter(post_id=post_id).values_list("author_id", flat=True))
    for some in batches(sorted(writers)):
        yield from _keys(lines.filter(kind=BoardKind.PERSON, subject_id__in=some))


def _keys(lines: QuerySet[BoardPoints]) -> list[BoardKey]:
    return [
        BoardKey(day, group, BoardKind(kind), who)
        for day, group, kind, who in lines.values_list(*KEY)
    ]


def liked(pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], float | None]:
    """Map pairs of person id and post id to the time of the person's up vote on the post.

    The time, in seconds since 1970, is None if the person has not voted the post up.
    """
    found: dict[tuple[int, int], float | None] = dict.fromkeys(pairs)
    for (target, who), cast in known({(Target(post_id), who) for who, post_id in pairs}).items():
        if cast.vote is Vote.UP:
            found[who, target.post_id] = cast.at.timestamp()
    return found


def points(keys: Collection[BoardKey]) -> dict[BoardKey, int]:
    """Return the points of leaderboard lines; 0 if SQL lacks a line."""
    lines = list(keys)
    adapted = dict(zip(_adapted(lines), lines, strict=True))
    found = bulk_sql.read(POINTS, BoardPoints, KEY, list(adapted))
    return dict.fromkeys(lines, 0) | {adapted[row[:-1]]: row[-1] for row in found}


def _adapted(keys: Iterable[BoardKey]) -> list[tuple[Any, ...]]:
    day = connection.ops.adapt_datefield_value
    return [(day(one.day), one.group, one.kind.value, one.subject_id) for one in keys]


def with_points(lines: QuerySet[BoardPoints]) -> Iterable[tuple[BoardKey, int]]:
    """Yield leaderboard lines with their points."""
    for _pk, day, group, kind, subject, n in each(lines, *KEY, "points"):
        yield BoardKey(day, group, BoardKind(kind), subject), n


def _write(sums: VoteSums) -> ChangedCounts:
    """Write changed sums to SQL, always in the same order, so that two processes never deadlock."""
    keys = sorted(key for key, n in sums.points.items() if n)
    added = zip(_adapted(keys), (sums.points[key] for key in keys), strict=True)
    bulk_sql.insert(BoardPoints, (*KEY, "points"), [(*key, n) for key, n in added], ADD_POINTS)
    people = [
        (user_id, sums.karma[user_id], sums.likes[user_id])
        for user_id in sorted(sums.karma.keys() | sums.likes.keys())
        if sums.karma[user_id] or sums.likes[user_id]
    ]
    ids = [user_id for user_id, *_ in people]
    locked = User.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    list(locked.values_list("pk"))  # an UPDATE of many rows would lock them in any order
    bulk_sql.write(ADD_KARMA, User, ("id", "karma", "likes_given"), people)
    return ChangedCounts(keys, ids, sorted(sums.liked))

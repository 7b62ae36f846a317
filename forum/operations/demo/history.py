"""Saves daily views of posts, days on which people were active, and visits of threads."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial

from forum.models import ActivityPiece, DailyViews, Post
from forum.operations.demo import content
from forum.operations.demo.conversations import HOUR, PlacedRemark
from forum.operations.demo.scene import Scene, chance, moment
from forum.store.service import get_voting_service
from voting.service import VotingService

FIRST_DAY, FADING = 0.55, 0.45
"""FIRST_DAY is the share of a post's views that it gets on its first day.

Each later day has FADING times as many views as the day before.
"""
WEEK = 7
"""Days in a week; weeks begin on Monday."""
VISITS = 72 * HOUR
"""The demo's people opened threads only within this many seconds before now."""


def write_views(scene: Scene) -> None:
    """Save how often each post was viewed on each day."""
    today = moment(scene.now).date()
    rows = [row for key, post in scene.posts.items() for row in _views(key, post, today)]
    DailyViews.objects.bulk_create(rows)
    posts = {post.pk: post for post in scene.posts.values()}
    for row in rows:
        posts[row.post_id].views += row.views
    Post.objects.bulk_update(posts.values(), ["views"])


def _views(key: str, post: Post, today: date) -> Iterator[DailyViews]:
    """Yield a post's views for each day: most on the first day, fewer on each later day."""
    total = (post.up + post.down + post.comment_count) * (2 + 4 * chance("views", key).random())
    day, share = post.created_at.date(), FIRST_DAY
    while day <= today and int(total * share):
        yield DailyViews(post_id=post.pk, day=day, views=int(total * share))
        day, share = day + timedelta(days=1), share * FADING


def write_activity(
    scene: Scene, conversation: Sequence[PlacedRemark], votes: Iterable[tuple[int, int]]
) -> None:
    """Save the days on which each person wrote, voted or only read.

    `votes` contains pairs of a voter's id and the time of the vote in seconds since 1970.
    """
    days: defaultdict[date, set[int]] = defaultdict(set)
    for post in scene.posts.values():
        days[post.created_at.date()].add(post.author_id)
    for one in conversation:
        days[moment(one.at).date()].add(one.author.pk)
    for user_id, at in votes:
        days[moment(at).date()].add(user_id)
    for name, ties in content.ties().items():
        for day in _reading_days(scene, name, ties.days):
            days[day].add(scene.people[name].pk)
    ActivityPiece.objects.bulk_create(
        ActivityPiece(day=day, piece=piece, bits=bits.rstrip(b"\0"))
        for day, user_ids in sorted(days.items())
        for piece, bits in get_voting_service().activity.bitmaps(user_ids).items()
    )


def _reading_days(scene: Scene, name: str, share: float) -> Iterator[date]:
    """Yield days on which a person read something, including the day on which the person joined.

    `share` says how active the person is, from 0 to 1.
    """
    today, joined = moment(scene.now).date(), moment(scene.joined(name)).date()
    yield joined
    for ago in range((today - joined).days):
        weeks_ago = (ago + WEEK - 1 - today.weekday()) // WEEK
        stays_away = chance("away", name, weeks_ago).random() > share
        if not stays_away and chance("here", name, ago).random() < share:
            yield today - timedelta(days=ago)


def replay_visits(scene: Scene, conversation: Sequence[PlacedRemark]) -> None:
    """Record in Redis when each person last opened each thread.

    On pages for that person, comments written after the last visit are then marked as new. Raises
    StoreUnavailable.
    """
    service = get_voting_service()
    for name in content.ties():
        for at, key in sorted(_visits(scene, name, conversation)):
            post = scene.posts[key]
            past = VotingService(service.store, service.rules, clock=partial(float, at))
            seen = sum(
                one.post.pk == post.pk and not one.remark.deleted and one.at <= at
                for one in conversation
            )
            past.comments.thread(post.pk, (), viewer=scene.people[name].pk, comments=seen)


def _visits(
    scene: Scene, name: str, conversation: Sequence[PlacedRemark]
) -> Iterator[tuple[int, str]]:
    """Yield each visit of a person: the time in seconds since 1970, and the post's key.

    No visit is earlier than the person's last comment on the post.
    """
    wrote_at = {one.post.pk: one.at for one in conversation if one.remark.by == name}
    opened = content.ties()[name].opened
    for index, key in enumerate(opened):
        drawn = chance("opened", name, key).random()
        post = scene.posts[key]
        at = scene.now - VISITS * (1 - (index + drawn) / len(opened))
        if at <= post.posted_at:
            at = post.posted_at + (scene.now - post.posted_at) * drawn * 0.7
        yield max(int(at), wrote_at.get(post.pk, post.posted_at)), key

"""Writes what would have been counted in the demo content's past: views, and who was here when."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from forum.gateway.service import get_voting_service
from forum.models import ActivityPiece, DailyViews, Post
from forum.operations.demo import content
from forum.operations.demo.conversations import Told
from forum.operations.demo.scene import Scene, chance, moment

FIRST_DAY, FADING = 0.55, 0.45
"""The share of a post's views on its first day, and how much of a day's share the next one has."""
WEEK = 7
"""Days; weeks begin on Monday."""


def write_views(scene: Scene) -> None:
    """Write how often each post was viewed on which day. Two queries."""
    today = moment(scene.now).date()
    rows = [row for key, post in scene.posts.items() for row in _views(key, post, today)]
    DailyViews.objects.bulk_create(rows)
    posts = {post.pk: post for post in scene.posts.values()}
    for row in rows:
        posts[row.post_id].views += row.views
    Post.objects.bulk_update(posts.values(), ["views"])


def _views(key: str, post: Post, today: date) -> Iterator[DailyViews]:
    """Yield a post's views: so many for each who voted or wrote, most of them soon."""
    wanted = (post.up + post.down + post.comment_count) * (2 + 4 * chance("views", key).random())
    day, share = post.created_at.date(), FIRST_DAY
    while day <= today and int(wanted * share):
        yield DailyViews(post_id=post.pk, day=day, views=int(wanted * share))
        day, share = day + timedelta(days=1), share * FADING


def write_activity(scene: Scene, told: Sequence[Told], votes: Iterable[tuple[int, int]]) -> None:
    """Write who was here on which day: those who wrote or voted then, and some only to read.

    `votes` are ids of people with the times of their votes (s). One query.
    """
    days: defaultdict[date, set[int]] = defaultdict(set)
    for post in scene.posts.values():
        days[post.created_at.date()].add(post.author_id)
    for one in told:
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
    """Yield the day on which somebody joined and about so large a share of those since.

    Those who come more seldom stay away for whole weeks, too.
    """
    today, joined = moment(scene.now).date(), moment(scene.joined(name)).date()
    yield joined
    for ago in range((today - joined).days):
        weeks_ago = (ago + WEEK - 1 - today.weekday()) // WEEK
        stays_away = chance("away", name, weeks_ago).random() > share
        if not stays_away and chance("here", name, ago).random() < share:
            yield today - timedelta(days=ago)

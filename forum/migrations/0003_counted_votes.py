"""Counts the votes that were archived before karma and leaderboards came."""

from collections import Counter
from datetime import timedelta

from django.db import migrations
from django.db.models import Count, F, OuterRef, Subquery, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

BOARDS = timedelta(days=40)


def count_votes(apps, schema_editor):
    """Set karma, likes given and the boards of the last days by the archive of votes on posts."""
    models = {name: apps.get_model("forum", name) for name in ("ArchivedVote", "Post", "User")}
    author = models["Post"].objects.filter(pk=OuterRef("post_id")).values("author_id")
    votes = (
        models["ArchivedVote"]
        .objects.filter(comment_id=0)
        .exclude(vote=0)
        .annotate(author=Subquery(author))
        .exclude(author=None)
        .exclude(user_id=F("author"))
        .order_by()
    )
    people = models["User"].objects
    for user_id, karma in votes.values("author").annotate(n=Sum("vote")).values_list("author", "n"):
        people.filter(pk=user_id).update(karma=karma)
    given = votes.filter(vote=1).values("user_id").annotate(n=Count("pk"))
    for user_id, likes in given.values_list("user_id", "n"):
        people.filter(pk=user_id).update(likes_given=likes)
    since = (timezone.now() - BOARDS).replace(hour=0, minute=0, second=0, microsecond=0)
    recent = votes.filter(at__gte=since).annotate(day=TruncDate("at"))
    sums = recent.values("day", "post_id", "author").annotate(n=Sum("vote"))
    points = Counter()
    for day, post_id, writer, worth in sums.values_list("day", "post_id", "author", "n"):
        slugs = models["Post"].objects.get(pk=post_id).groups.values_list("slug", flat=True)
        for group in ("", *slugs):
            points[day, group, "post", post_id] += worth
            points[day, group, "person", writer] += worth
    rows = apps.get_model("forum", "BoardPoints")
    fields = ("day", "group", "kind", "subject_id")
    rows.objects.bulk_create(
        [rows(points=worth, **dict(zip(fields, spot))) for spot, worth in points.items() if worth],
        batch_size=500,
    )


class Migration(migrations.Migration):

    dependencies = [("forum", "0002_conversation")]
    operations = [migrations.RunPython(count_votes, migrations.RunPython.noop, elidable=True)]

"""Compares what Redis holds with what SQL remembers."""

from collections.abc import Iterable, Iterator
from itertools import islice

from django.db.models import Count, Q

from forum.archive import archive_rest
from forum.models import Group, OutboxItem, Post
from forum.records import records
from forum.store import voting
from voting.types import Inspected, Record

BATCH = 500
LOOKS = 5
"""How often a post that seems to differ is looked at while people vote on it."""


def differences() -> Iterator[str]:
    """Yield a sentence for each difference, and none where both agree. Raises StoreUnavailable.

    Votes that arrive meanwhile are no difference; a post that never rests is passed over. Three
    round trips for 500 posts.
    """
    _archive()
    posts = Post.objects.filter(deleted_at=None).order_by("pk")
    for batch in _batches(posts.values_list("pk", flat=True).iterator()):
        yield from _differing(batch)
    for listed in _batches(voting().upkeep.listed_ids()):
        known = set(posts.filter(pk__in=listed).values_list("pk", flat=True))
        for post_id in sorted(set(listed) - known):
            yield f"post {post_id} is listed in Redis, but SQL does not show it"
    if _miscounted():
        for slug, (archived, found) in _miscounted().items():
            yield f"group {slug}: SQL has {archived} posts, Redis has {found}"


def _differing(post_ids: list[int]) -> Iterator[str]:
    """Yield what differs in posts. Those that seem to are looked at until nobody votes meanwhile:
    then SQL was read when it had all the votes that Redis had.
    """
    upkeep = voting().upkeep
    suspects = _named(_compare(post_ids, upkeep.inspect(post_ids)))
    for _ in range(LOOKS):
        if not suspects:
            return
        held = upkeep.inspect(suspects)
        _archive()
        found = list(_compare(suspects, held))
        again = upkeep.inspect(suspects)
        resting = {post_id for post_id in suspects if held.get(post_id) == again.get(post_id)}
        yield from (sentence for post_id, sentence in found if post_id in resting)
        suspects = [post_id for post_id in _named(found) if post_id not in resting]


def _named(found: Iterable[tuple[int, str]]) -> list[int]:
    return list(dict.fromkeys(post_id for post_id, _ in found))


def _archive() -> None:
    archive_rest(voting().upkeep.generation())


def _batches(post_ids: Iterable[int]) -> Iterator[list[int]]:
    remaining = iter(post_ids)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _miscounted() -> dict[str, tuple[int, int]]:
    """Return groups with another number of posts in SQL than in Redis, unless posts are on the way.

    Finds posts in groups that they do not say they are in. One query, one round trip.
    """
    shown = Count("posts", filter=Q(posts__deleted_at=None))
    counted = dict(Group.objects.annotate(shown=shown).values_list("slug", "shown"))
    held = voting().group_sizes(list(counted))
    if OutboxItem.objects.exists():
        return {}
    return {slug: (n, held[slug]) for slug, n in counted.items() if n != held[slug]}


def _compare(post_ids: list[int], held: dict[int, Inspected]) -> Iterator[tuple[int, str]]:
    """Yield the posts that differ, each with a sentence. What waits in the outbox is left out."""
    waiting = OutboxItem.objects.filter(post_id__in=post_ids).values("post_id")
    posts = Post.objects.filter(pk__in=post_ids, deleted_at=None).exclude(pk__in=waiting)
    for record in records(posts):
        post_id = record.post.id
        if post_id not in held:
            yield post_id, f"post {post_id} is missing in Redis"
            continue
        for what, archived, found in _pairs(record, held[post_id]):
            if archived != found:
                yield post_id, f"post {post_id}: {what}: SQL has {archived}, Redis has {found}"
        for ranking in held[post_id].misplaced:
            yield post_id, f"post {post_id} does not rank in {ranking} by its votes and time"


def _pairs(record: Record, held: Inspected) -> Iterator[tuple[str, object, object]]:
    """Yield what to compare: its name, what SQL has, what Redis has."""
    post = record.post
    yield "card", post.card, held.card
    yield "posting time", post.posted_at, held.posted_at
    yield "up votes", record.up, held.up
    yield "down votes", record.down, held.down
    yield "groups", sorted(post.groups), sorted(held.groups)
    yield "listed", True, not held.gone
    if voting().is_open(post.posted_at):
        yield "people who voted up", sorted(record.ups), sorted(held.ups)
        yield "people who voted down", sorted(record.downs), sorted(held.downs)

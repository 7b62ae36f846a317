"""Compares what Redis holds with what SQL remembers."""

from collections.abc import Iterator, Mapping

from forum.gateway.post_records import records
from forum.gateway.service import get_voting_service
from forum.ledger import vote_value
from forum.models import Group, OutboxItem, Post
from forum.models.managers import DeletableQuerySet
from forum.operations.repair import check_comments
from forum.operations.repair.reconcile import archive_waiting, differing
from forum.operations.repair.scope import WHOLE, Scope
from forum.queries.batches import batches, each_pk, once
from voting.types import PostRecord, Target
from voting.types.maintenance import InspectedPost

UNSHOWN = "post {post_id} is listed in Redis, but SQL does not show it"


def differences(scope: Scope = WHOLE) -> Iterator[str]:
    """Yield a sentence for each difference, and none where both agree. Raises StoreUnavailable."""
    for _target, sentence in found(scope):
        yield sentence


def found(scope: Scope) -> Iterator[tuple[Target | None, str]]:
    """Yield what differs, with a sentence; None where it is nothing that could be loaded anew.

    Votes that arrive meanwhile are no difference; a post that never rests is passed over. Three
    round trips for 500 posts.
    """
    archive_waiting()
    maintenance = get_voting_service().maintenance
    for batch in batches(each_pk(scope.posts().visible())):
        for post_id, sentence in differing(batch, maintenance.inspection.posts, _compare):
            yield Target(post_id), sentence
    if scope.whole:
        yield from _strays()
    else:
        for post_id in _undeleted(scope):
            yield Target(post_id), UNSHOWN.format(post_id=post_id)
    yield from check_comments.found(scope)


def _strays() -> Iterator[tuple[Target | None, str]]:
    """Yield what listings hold and should not, whatever the posts themselves say."""
    told = set[int]()
    for post_id in _listed_beside(None, Post.objects.visible()):
        told.add(post_id)
        yield Target(post_id), UNSHOWN.format(post_id=post_id)
    for slug in list(Group.objects.values_list("slug", flat=True)):
        for post_id in _listed_beside(slug, Post.objects.visible().filter(groups__slug=slug)):
            if post_id not in told:
                yield None, f"post {post_id} is listed in {slug}, where SQL does not have it"


def _listed_beside(group: str | None, belonging: DeletableQuerySet[Post]) -> Iterator[int]:
    """Yield posts that the site or a group lists besides those that belong there, unless that is on
    the way.
    """
    maintenance = get_voting_service().maintenance
    waiting = OutboxItem.waiting_posts()
    right = belonging | Post.objects.filter(pk__in=waiting)
    for listed in batches(once(maintenance.listed_posts.scan(group))):
        suspects = set(listed) - set(right.filter(pk__in=listed).values_list("pk", flat=True))
        if suspects:
            yield from maintenance.listed_posts.still_listed(group, sorted(suspects))


def _undeleted(scope: Scope) -> Iterator[int]:
    """Yield the posts that SQL has deleted and Redis shows, unless that is on the way."""
    waiting = OutboxItem.waiting_posts()
    hidden = scope.posts().deleted().exclude(pk__in=waiting)
    for some in batches(each_pk(hidden)):
        held = get_voting_service().maintenance.inspection.posts(some)
        yield from (post_id for post_id in some if post_id in held and not held[post_id].gone)


def _compare(post_ids: list[int], held: Mapping[int, InspectedPost]) -> Iterator[tuple[int, str]]:
    """Yield the posts that differ, each with a sentence. What waits in the outbox is left out."""
    waiting = OutboxItem.waiting_posts().filter(subject_id__in=post_ids)
    posts = Post.objects.visible().filter(pk__in=post_ids).exclude(pk__in=waiting)
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
    score = vote_value.scoring()
    for post in posts.only("created_at", "up", "down", "score"):
        if post.score != score(post.posted_at, post.up - post.down):
            yield post.pk, f"post {post.pk}: its score in SQL is not what its votes and time make"


def _pairs(record: PostRecord, held: InspectedPost) -> Iterator[tuple[str, object, object]]:
    """Yield what to compare: its name, what SQL has, what Redis has."""
    post = record.post
    yield "card", post.card, held.card
    yield "posting time", post.posted_at, held.posted_at
    yield "up votes", record.up, held.up
    yield "down votes", record.down, held.down
    yield "groups", sorted(post.groups), sorted(held.groups)
    yield "version", post.version, held.version
    yield "listed", True, not held.gone
    if get_voting_service().votes.is_open(post.posted_at):
        yield "people who voted up", sorted(record.ups), sorted(held.ups)
        yield "people who voted down", sorted(record.downs), sorted(held.downs)
        yield "up votes counted, and their people", record.up, len(held.ups)
        yield "down votes counted, and their people", record.down, len(held.downs)

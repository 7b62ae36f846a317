"""Compares posts and comments in Redis with SQL."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap

from forum.ledger import vote_value
from forum.ledger.archiver import archive_waiting
from forum.models import Comment, Group, OutboxItem, Post
from forum.models.managers import DeletableQuerySet
from forum.operations.repair.reconcile import stable_differences
from forum.operations.repair.scope import WHOLE, Scope
from forum.queries.batches import batches, each, each_pk, once
from forum.store import comment_records
from forum.store.post_records import read_post_records
from forum.store.service import get_voting_service
from voting.types import PostRecord, Target
from voting.types.comments import CommentRecord
from voting.types.maintenance import InspectedComment, InspectedPost

Pairs = Iterator[tuple[str, object, object]]
"""Values to compare: each has a name, the value in SQL and the value in Redis."""

UNSHOWN = "post {post_id} is listed in Redis, but not visible in SQL"


def differences(scope: Scope = WHOLE) -> Iterator[str]:
    """Yield a sentence for each difference between Redis and SQL. Raises StoreUnavailable."""
    for _target, sentence in targets_that_differ(scope):
        yield sentence


def targets_that_differ(scope: Scope) -> Iterator[tuple[Target | None, str]]:
    """Yield each post or comment that differs between Redis and SQL, and a sentence about it.

    For a post that Redis lists in a wrong group, yields None instead of the post, because reloading
    the post doesn't repair this. Skips posts and comments that change too often to compare. Raises
    StoreUnavailable.
    """
    archive_waiting()
    inspection = get_voting_service().maintenance.inspection
    for batch in batches(each_pk(scope.posts().visible())):
        for post_id, sentence in stable_differences(batch, inspection.posts, _compare_posts):
            yield Target(post_id), sentence
    if scope.whole:
        yield from _wrongly_listed()
    else:
        for post_id in _undeleted(scope):
            yield Target(post_id), UNSHOWN.format(post_id=post_id)
    for rows in batches(each(scope.comments().on_visible_posts(), "post_id")):
        targets = [Target(post_id, pk) for pk, post_id in rows]
        yield from stable_differences(targets, inspection.comments, _compare_comments)


def _wrongly_listed() -> Iterator[tuple[Target | None, str]]:
    """Yield a sentence about each post that is listed in Redis, but shouldn't be according to SQL.

    With the sentence, yields the post if it should be in no listing at all, or None if only the
    listing of a group is wrong.
    """
    unshown = set[int]()
    for post_id in _listed_beside(None, Post.objects.visible()):
        unshown.add(post_id)
        yield Target(post_id), UNSHOWN.format(post_id=post_id)
    for slug in list(Group.objects.values_list("slug", flat=True)):
        for post_id in _listed_beside(slug, Post.objects.visible().filter(groups__slug=slug)):
            if post_id not in unshown:
                yield (
                    None,
                    f"post {post_id} is listed in {slug} in Redis, but isn't in that group in SQL",
                )


def _listed_beside(group: str | None, right: DeletableQuerySet[Post]) -> Iterator[int]:
    """Yield the ids of posts that are listed in a group in Redis, but not in SQL.

    `group` is a slug, or None for the whole site. `right` selects the posts that are listed there
    according to SQL. Skips posts that wait in the outbox to be synced.
    """
    listings = get_voting_service().maintenance.listed_posts
    right |= Post.objects.filter(pk__in=OutboxItem.waiting_posts())
    for listed in batches(once(listings.scan(group))):
        suspects = set(listed) - set(right.filter(pk__in=listed).values_list("pk", flat=True))
        if suspects:
            yield from listings.still_listed(group, sorted(suspects))


def _undeleted(scope: Scope) -> Iterator[int]:
    """Yield the ids of posts that are visible in Redis but not in SQL.

    Skips posts that wait in the outbox to be synced.
    """
    waiting = OutboxItem.waiting_posts()
    for post_ids in batches(each_pk(scope.posts().deleted().exclude(pk__in=waiting))):
        inspected = get_voting_service().maintenance.inspection.posts(post_ids)
        yield from (pk for pk in post_ids if pk in inspected and not inspected[pk].retracted)


def _compare_posts(
    post_ids: Sequence[int], inspected: Mapping[int, InspectedPost]
) -> Iterator[tuple[int, str]]:
    """Yield the ids of posts that differ between Redis and SQL, each with a sentence.

    Skips posts that wait in the outbox to be synced.
    """
    waiting = OutboxItem.waiting_posts().filter(subject_id__in=post_ids)
    posts = Post.objects.visible().filter(pk__in=post_ids).exclude(pk__in=waiting)
    for record in read_post_records(posts):
        post_id = record.post.id
        name = f"post {post_id}"
        if post_id not in inspected:
            yield post_id, f"{name} is missing in Redis"
            continue
        for sentence in _differing_pairs(name, _post_pairs(record, inspected[post_id])):
            yield post_id, sentence
        for ranking in inspected[post_id].misplaced:
            yield post_id, f"{name} has a wrong score in {ranking}"
    score = vote_value.scoring()
    for post in posts.only("created_at", "up", "down", "starting_points", "score"):
        if post.score != score(post.posted_at, post.points):
            yield (
                post.pk,
                f"post {post.pk}: its score in SQL doesn't match its votes and time",
            )


def _compare_comments(
    targets: Sequence[Target], inspected: Mapping[Target, InspectedComment]
) -> Iterator[tuple[Target, str]]:
    """Yield comments that differ between Redis and SQL, with a sentence about each difference.

    Skips comments whose post waits in the outbox to be synced.
    """
    ids = [target.comment_id for target in targets]
    post_ids = {target.post_id for target in targets}
    waiting = OutboxItem.waiting_posts().filter(subject_id__in=post_ids)
    comments = Comment.objects.filter(pk__in=ids).exclude(post_id__in=waiting)
    for target in starmap(Target, comments.deleted().values_list("post_id", "pk")):
        if target in inspected and not inspected[target].retracted:
            yield target, f"comment {target.comment_id} is visible in Redis, but deleted in SQL"
    for record in comment_records.read_comment_records(comments.visible()):
        comment = record.comment
        target, name = Target(comment.post_id, comment.id), f"comment {comment.id}"
        if target not in inspected:
            yield target, f"{name} is missing in Redis"
            continue
        for sentence in _differing_pairs(name, _comment_pairs(record, inspected[target])):
            yield target, sentence


def _differing_pairs(name: str, pairs: Pairs) -> Iterator[str]:
    for what, in_sql, in_redis in pairs:
        if in_sql != in_redis:
            yield f"{name}: {what}: SQL has {in_sql}, Redis has {in_redis}"


def _post_pairs(record: PostRecord, inspected: InspectedPost) -> Pairs:
    post = record.post
    yield "card", post.card, inspected.card
    yield "posting time", post.posted_at, inspected.posted_at
    yield "groups", sorted(post.groups), sorted(inspected.groups)
    yield "version", post.version, inspected.version
    yield "listed", True, not inspected.retracted
    yield "starting points", record.starting_points, inspected.starting_points
    yield from _vote_pairs(record, inspected, get_voting_service().votes.is_open(post.posted_at))


def _comment_pairs(record: CommentRecord, inspected: InspectedComment) -> Pairs:
    comment = record.comment
    yield "posting time", comment.posted_at, inspected.posted_at
    yield "an answer", comment.answer, inspected.answer
    yield "shown", True, not inspected.retracted
    yield "version", comment.version, inspected.version
    is_open = comment.answer or get_voting_service().votes.is_open(comment.posted_at)
    yield from _vote_pairs(record, inspected, is_open)


def _vote_pairs(
    record: PostRecord | CommentRecord, inspected: InspectedPost | InspectedComment, is_open: bool
) -> Pairs:
    """Yield vote counts to compare, as (name, SQL's value, Redis's value).

    If voting is open, also yields the voters.
    """
    yield "up votes", record.up, inspected.up
    yield "down votes", record.down, inspected.down
    if is_open:
        yield "people who voted up", sorted(record.ups), sorted(inspected.ups)
        yield "people who voted down", sorted(record.downs), sorted(inspected.downs)
        yield "votes that don't count", record.uncounted, inspected.uncounted
        ups, downs = (
            len(who - inspected.uncounted.keys()) for who in (inspected.ups, inspected.downs)
        )
        yield "number of up votes, and of people who voted up", record.up, ups
        yield "number of down votes, and of people who voted down", record.down, downs

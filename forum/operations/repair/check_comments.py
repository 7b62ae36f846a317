"""Compares what Redis holds of comments with what SQL remembers."""

from collections.abc import Iterator, Mapping
from itertools import starmap

from forum.gateway.comment_records import records
from forum.gateway.service import get_voting_service
from forum.models import Comment, OutboxItem
from forum.operations.repair.reconcile import differing
from forum.operations.repair.scope import Scope
from forum.queries.batches import batches, each
from voting.types import Target
from voting.types.comments import CommentRecord
from voting.types.maintenance import InspectedComment


def found(scope: Scope) -> Iterator[tuple[Target, str]]:
    """Yield each comment that differs, with a sentence; see `forum.operations.repair.check.found`.

    One round trip for 500 comments.
    """
    comments = scope.comments().on_visible_posts()
    for some in batches(each(comments, "post_id")):
        targets = [Target(post_id, pk) for pk, post_id in some]
        yield from differing(
            targets, get_voting_service().maintenance.inspection.comments, _compare
        )


def _compare(
    targets: list[Target], held: Mapping[Target, InspectedComment]
) -> Iterator[tuple[Target, str]]:
    """Yield what differs, with a sentence, except on posts that wait in the outbox."""
    ids = [target.comment_id for target in targets]
    waiting = OutboxItem.waiting_posts().filter(subject_id__in={one.post_id for one in targets})
    comments = Comment.objects.filter(pk__in=ids).exclude(post_id__in=waiting)
    for gone in starmap(Target, comments.deleted().values_list("post_id", "pk")):
        if gone in held and not held[gone].gone:
            yield gone, f"comment {gone.comment_id} is shown by Redis, but SQL has it deleted"
    for record in records(comments.visible()):
        comment = record.comment
        target, name = Target(comment.post_id, comment.id), f"comment {comment.id}"
        if target not in held:
            yield target, f"{name} is missing in Redis"
            continue
        for what, archived, found in _pairs(record, held[target]):
            if archived != found:
                yield target, f"{name}: {what}: SQL has {archived}, Redis has {found}"


def _pairs(record: CommentRecord, held: InspectedComment) -> Iterator[tuple[str, object, object]]:
    """Yield what to compare: its name, what SQL has, what Redis has."""
    comment = record.comment
    yield "posting time", comment.posted_at, held.posted_at
    yield "up votes", record.up, held.up
    yield "down votes", record.down, held.down
    yield "an answer", comment.answer, held.answer
    yield "shown", True, not held.gone
    yield "version", comment.version, held.version
    if comment.answer or get_voting_service().votes.is_open(comment.posted_at):
        yield "people who voted up", sorted(record.ups), sorted(held.ups)
        yield "people who voted down", sorted(record.downs), sorted(held.downs)
        yield "up votes counted, and their people", record.up, len(held.ups)
        yield "down votes counted, and their people", record.down, len(held.downs)

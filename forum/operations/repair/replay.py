"""Proves the archive: the ledger, replayed entry by entry, must lead to what is counted.

Redis is compared with the archive (`forum.operations.repair.check`), and here the archive with
the ledger.
"""

from collections.abc import Collection, Iterator, Mapping

from django.db.models import Model, QuerySet

from forum.models import ArchivedVote, Comment, LedgerEntry, Post
from forum.operations.repair.reconcile import differing
from forum.operations.repair.scope import Scope
from forum.queries.batches import batches, each, each_pk
from voting.types import Target, Vote

Votes = dict[int, int]
"""How people voted: 1, 0 or -1 by person."""
Counted = dict[Target, tuple[int, int, int]]
"""Who wrote what, and its up and down votes as SQL counts them."""


def differences(scope: Scope) -> Iterator[str]:
    """Yield a sentence for each target whose votes are not what its ledger makes them."""
    for _target, sentence in found(scope):
        yield sentence


def found(scope: Scope) -> Iterator[tuple[Target, str]]:
    """Yield the targets whose votes are not what their ledger makes them, each with a sentence.

    Votes on imported content have no entries: what the archive holds of them is where the replay
    begins. Four queries for 500 targets.
    """
    for some in batches(each_pk(scope.posts())):
        yield from differing([Target(pk) for pk in some], _replayed, _compare)
    for chosen in batches(each(scope.comments(), "post_id")):
        yield from differing([Target(post_id, pk) for pk, post_id in chosen], _replayed, _compare)


def _replayed(targets: list[Target]) -> dict[Target, Votes]:
    """Return the votes to which the entries of each target lead, taken in their order."""
    return _told(LedgerEntry.objects.all(), targets)


def _told(found: QuerySet[Model], targets: list[Target]) -> dict[Target, Votes]:
    wanted, votes = set(targets), {target: Votes() for target in targets}
    rows = found.filter(
        post_id__in={target.post_id for target in targets},
        comment_id__in={target.comment_id for target in targets},
    )
    told = rows.order_by("pk").values_list("post_id", "comment_id", "user_id", "vote")
    for post_id, comment_id, person, vote in told.iterator(chunk_size=10_000):
        target = Target(post_id, comment_id)
        if target in wanted:
            votes[target][person] = vote
    return votes


def _compare(
    targets: list[Target], replayed: Mapping[Target, Votes]
) -> Iterator[tuple[Target, str]]:
    archived, counted = _told(ArchivedVote.objects.all(), targets), _counted(targets)
    for target in targets:
        if target in counted:
            sentences = _pairs(replayed[target], archived[target], counted[target])
            yield from ((target, f"{_name(target)}: {one}") for one in sentences)


def _counted(targets: Collection[Target]) -> Counted:
    found: Counted = {}
    posts = Post.objects.filter(pk__in=[one.post_id for one in targets if not one.comment_id])
    for pk, author_id, up, down in posts.values_list("pk", "author_id", "up", "down"):
        found[Target(pk)] = (author_id, up, down)
    comments = Comment.objects.filter(pk__in=[one.comment_id for one in targets if one.comment_id])
    rows = comments.values_list("post_id", "pk", "author_id", "up", "down")
    for post_id, pk, author_id, up, down in rows:
        found[Target(post_id, pk)] = (author_id, up, down)
    return found


def _pairs(replayed: Votes, archived: Votes, counted: tuple[int, int, int]) -> Iterator[str]:
    """Yield what differs: first people, then sums."""
    author, up, down = counted
    for person, vote in sorted(replayed.items()):
        kept = archived.get(person)
        if kept != vote:
            spelled = "nothing" if kept is None else Vote(kept).name.lower()
            word = Vote(vote).name.lower()
            yield f"person {person}: the ledger makes {word}, the archive has {spelled}"
    votes = {author: 1} | archived | replayed
    sums = {"up": list(votes.values()).count(1), "down": list(votes.values()).count(-1)}
    for (word, made), held in zip(sums.items(), (up, down), strict=True):
        if made != held:
            yield f"the ledger makes {made} {word} votes, SQL counts {held}"


def _name(target: Target) -> str:
    return f"comment {target.comment_id}" if target.comment_id else f"post {target.post_id}"

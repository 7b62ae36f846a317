"""Posts with votes in the database that Redis does not know, such as imported ones."""

from collections.abc import Sequence

from forum.gateway.post_records import records
from forum.gateway.service import get_voting_service
from forum.models import ArchivedVote, Post
from voting.types import Target


def load_voted(post_ids: Sequence[int]) -> set[int]:
    """Load posts that Redis does not know and the database has votes of. Return them if all were
    loaded: Redis then has their present state. Four round trips for 200 posts, one if none is new.
    """
    known = get_voting_service().maintenance.loading.known(
        [Target(post_id) for post_id in post_ids]
    )
    unknown = set(post_ids) - {target.post_id for target in known}
    votes = ArchivedVote.objects.filter(post_id__in=unknown, comment_id=0)
    voted = set(votes.values_list("post_id", flat=True).distinct()) if unknown else unknown
    if not voted:
        return voted
    shown = Post.objects.visible().filter(pk__in=voted)
    return (
        voted
        if get_voting_service().maintenance.loading.load_posts(records(shown)) == len(voted)
        else set()
    )

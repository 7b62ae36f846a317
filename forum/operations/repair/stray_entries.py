"""Takes out of Redis's listings what SQL does not put there, on a live site."""

from collections.abc import Collection

from django.db.models import QuerySet

from forum.content import post_service
from forum.gateway.service import get_voting_service
from forum.models import Group, Post
from forum.queries.batches import batches, once


def unlist_strays() -> None:
    """Unlist posts from the site and from groups they are not in. Raises StoreUnavailable.

    A post that comes to a group in the same moment is put there again.
    """
    shown = Post.objects.visible()
    _unlist(None, shown)
    for slug in Group.objects.values_list("slug", flat=True):
        _unlist(slug, shown.filter(groups__slug=slug))


def _unlist(group: str | None, belonging: QuerySet[Post]) -> None:
    for listed in batches(once(get_voting_service().maintenance.listed_posts.scan(group))):
        strays = sorted(set(listed) - _known(belonging, listed))
        if not strays:
            continue
        get_voting_service().maintenance.listed_posts.remove(group, strays)
        come = _known(belonging, strays)
        if come:
            post_service.deliver(come)
        if group is None:
            take_back([post_id for post_id in strays if post_id not in come])


def take_back(post_ids: Collection[int]) -> None:
    """Close posts that SQL does not show. One that is undeleted in the same moment has a later
    version by then, and stays. One query, and a round trip a post.
    """
    posts = Post.objects.filter(pk__in=post_ids).only("version", "deleted_at").in_bulk()
    for post_id in post_ids:
        post = posts.get(post_id)
        if post is None:
            get_voting_service().posts.retract(post_id)
        elif post.deleted_at:
            get_voting_service().posts.retract(post_id, post.version)


def _known(posts: QuerySet[Post], ids: Collection[int]) -> set[int]:
    return set(posts.filter(pk__in=ids).values_list("pk", flat=True))

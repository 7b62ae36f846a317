"""Removes entries from Redis that SQL doesn't have, while the site runs.

The entries are posts, follows, saved or hidden posts, and hidden groups.
"""

from collections.abc import Callable, Collection, Iterable, Iterator

from django.db.models import Q, QuerySet

from forum.actions.ties import LISTS, TABLES, Kind, sync
from forum.models import Group, Post, User
from forum.queries.batches import batches, each_pk, once
from forum.store import post_sync
from forum.store.service import get_voting_service


def remove_stray_posts() -> None:
    """Remove posts from Redis listings of the site or a group if SQL doesn't list them there.

    Raises StoreUnavailable.
    """
    visible = Post.objects.visible()
    _unlist(None, visible)
    for slug in Group.objects.values_list("slug", flat=True):
        _unlist(slug, visible.filter(groups__slug=slug))


def retract_hidden(post_ids: Collection[int]) -> None:
    """Hide posts in Redis that are missing or deleted in SQL.

    A hidden post is in no listing, and people can't vote on it. If somebody restores a post at the
    same moment, it stays visible.
    """
    posts = Post.objects.filter(pk__in=post_ids).only("version", "deleted_at").in_bulk()
    for post_id in post_ids:
        post = posts.get(post_id)
        if post is None:
            get_voting_service().posts.retract(post_id)
        elif post.deleted_at:
            get_voting_service().posts.retract(post_id, post.version)


def remove_stray_ties() -> None:
    """Remove follows, saved and hidden posts, and hidden groups from Redis if SQL lacks them.

    Raises StoreUnavailable.
    """
    groups = dict(Group.objects.values_list("slug", "pk"))
    service = get_voting_service()
    follows, lists = service.follows, service.person_lists
    for user_ids in batches(each_pk(User.objects.all())):
        _sync_strays(Kind.PERSON, user_ids, follows.of_people(user_ids))
        for kind, kept in LISTS.items():
            _sync_strays(kind, user_ids, lists.members(kept, user_ids))
        followed = _with_group_ids(groups, follows.groups_of_people(user_ids), _unfollow)
        _sync_strays(Kind.GROUP, user_ids, followed)
        hidden = _with_group_ids(groups, lists.hidden_groups_of(user_ids), _unhide)
        _sync_strays(Kind.HIDDEN_GROUP, user_ids, hidden)


def _unlist(group: str | None, right: QuerySet[Post]) -> None:
    listings = get_voting_service().maintenance.listed_posts
    for listed in batches(once(listings.scan(group))):
        strays = sorted(set(listed) - _existing(right, listed))
        if not strays:
            continue
        listings.remove(group, strays)
        added = _existing(right, strays)
        if added:
            post_sync.deliver(added)
        if group is None:
            retract_hidden([post_id for post_id in strays if post_id not in added])


def _existing(posts: QuerySet[Post], ids: Collection[int]) -> set[int]:
    return set(posts.filter(pk__in=ids).values_list("pk", flat=True))


def _sync_strays(kind: Kind, user_ids: list[int], in_redis: Iterable[tuple[int, int]]) -> None:
    table = TABLES[kind]
    concerned = Q(**{f"{table.owner}__in": user_ids})
    if kind is Kind.PERSON:
        concerned |= Q(**{f"{table.subject}__in": user_ids})
    marked = {"kind": table.mark} if table.mark else {}
    in_sql = table.rows.filter(concerned, **marked).values_list(table.owner, table.subject)
    for user_id, subject_id in set(in_redis).difference(in_sql.iterator()):
        sync(kind, user_id, subject_id)


def _with_group_ids(
    ids: dict[str, int], ties: Iterable[tuple[int, str]], drop: Callable[[int, str], object]
) -> Iterator[tuple[int, int]]:
    """In each pair of a person's id and a group's slug, replace the slug with the group's id.

    If SQL has no group with the slug, leaves out the pair and calls `drop` with it.
    """
    for user_id, slug in ties:
        if slug in ids:
            yield user_id, ids[slug]
        else:
            drop(user_id, slug)


def _unfollow(user_id: int, slug: str) -> None:
    get_voting_service().follows.set_group(user_id, slug, None)


def _unhide(user_id: int, slug: str) -> None:
    get_voting_service().person_lists.hide_group(user_id, slug, False)

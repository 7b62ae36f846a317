"""Writing posts. SQL decides, in one transaction with an outbox row; Redis hears at once.

What a crash or an absent Redis leaves undelivered stays in the outbox, and the worker repeats it.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial

import structlog
from django.db import transaction
from django.utils import timezone

from forum import links, markup
from forum.models import ArchivedVote, Group, OutboxItem, Post, User
from forum.records import described, readable, records
from forum.store import voting
from voting.errors import StoreUnavailable

DUPLICATE_AGE = timedelta(days=30)

log = structlog.get_logger()


def find_duplicate(url: str) -> Post | None:
    """Return the newest post of the last 30 days with the same address. One query."""
    key = links.key(url)
    recent = Post.objects.filter(
        url_key=key, created_at__gt=timezone.now() - DUPLICATE_AGE, deleted_at=None
    )
    return recent.order_by("-created_at", "-pk").first() if key else None


@transaction.atomic
def publish(
    *,
    author: User,
    kind: str,
    title: str,
    url: str = "",
    body: str = "",
    groups: Sequence[Group],
) -> Post:
    """Write a new post and announce it. The author's own up vote counts from the start."""
    now = timezone.now().replace(microsecond=0)
    post = Post.objects.create(
        author=author,
        kind=kind,
        title=title,
        url=url,
        url_key=links.key(url) if url else "",
        body=body,
        body_html=markup.render(body),
        created_at=now,
        up=1,
        score=voting().score(int(now.timestamp()), 1),
    )
    post.groups.set(groups)
    _announce(post)
    return post


@transaction.atomic
def edit(post: Post, *, title: str, body: str) -> None:
    """Change what a post says."""
    post.title, post.body, post.body_html = title, body, markup.render(body)
    post.edited_at = timezone.now()
    _save(post, "title", "body", "body_html", "edited_at")


@transaction.atomic
def regroup(post: Post, groups: Sequence[Group]) -> None:
    """Put a post in exactly these groups."""
    post.groups.set(groups)
    _save(post)


@transaction.atomic
def delete(post: Post) -> None:
    """Take a post out of every list; its votes and its row stay."""
    post.deleted_at = timezone.now()
    _save(post, "deleted_at")


@transaction.atomic
def undelete(post: Post) -> None:
    """Bring a deleted post back with its votes."""
    post.deleted_at = None
    _save(post, "deleted_at")


def _save(post: Post, *changed: str) -> None:
    """Save the named fields with the next version; concurrent changes get versions of their own."""
    current = Post.objects.select_for_update().only("version").get(pk=post.pk)
    post.version = current.version + 1
    post.save(update_fields=[*changed, "version"])
    _announce(post)


def _announce(post: Post) -> None:
    OutboxItem.objects.create(post=post)
    transaction.on_commit(partial(_deliver_or_leave, post.pk))


def _deliver_or_leave(post_id: int) -> None:
    try:
        deliver([post_id])
    except StoreUnavailable as error:
        log.warning("post waits in the outbox", post_id=post_id, reason=str(error))


def deliver(post_ids: Iterable[int]) -> None:
    """Tell Redis what posts are now, and clear their outbox. Raises StoreUnavailable.

    One round trip a post. A post that the archive has votes of (an imported one) is loaded with
    its voters first. Safe to repeat, and to run in several processes at once.
    """
    wanted = list(post_ids)
    waiting = list(OutboxItem.objects.filter(post_id__in=wanted).values_list("pk", flat=True))
    posts = Post.objects.filter(pk__in=wanted)
    service = voting()
    for post in readable(posts.exclude(pk__in=_load_voted(wanted))):
        if post.deleted_at:
            service.retract(post.pk, post.version)
        else:
            service.publish(described(post))
    OutboxItem.objects.filter(pk__in=waiting).delete()


def _load_voted(post_ids: Sequence[int]) -> set[int]:
    """Load posts that the archive has votes of; return them if Redis knew none before.

    It then has their present state. Three round trips for 200 posts.
    """
    votes = ArchivedVote.objects.filter(post_id__in=post_ids, comment_id=0)
    voted = set(votes.values_list("post_id", flat=True).distinct())
    if not voted:
        return voted
    shown = Post.objects.filter(pk__in=voted, deleted_at=None)
    return voted if voting().upkeep.load(records(shown)) == len(voted) else set()

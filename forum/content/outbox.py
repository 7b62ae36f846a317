"""Repeats what a crash or an absent Redis left undelivered."""

from datetime import timedelta

from django.utils import timezone

from forum.content.post_service import deliver
from forum.models import OutboxItem

GRACE = timedelta(seconds=2)
"""Age at which an item is no longer the business of the request that wrote it."""
BATCH = 200


def repeat() -> int:
    """Deliver posts that have waited for two seconds; return how many. Raises StoreUnavailable.

    One round trip a post; one query where nothing waits.
    """
    waiting = OutboxItem.objects.filter(created_at__lt=timezone.now() - GRACE).order_by("pk")
    post_ids = list(dict.fromkeys(waiting.values_list("post_id", flat=True)[:BATCH]))
    if post_ids:
        deliver(post_ids)
    return len(post_ids)
